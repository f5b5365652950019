package io.vhca.bond.link;

import io.vhca.bond.wire.QpNumDescriptor;

/**
 * The ports at which bonds listen for recoveries: {@code base_port} and a slot, which every vQPN names. Control lock.
 */
public final class RecoveryPort {
    private final int basePort;
    private int slot = -1;

    public RecoveryPort(final int basePort) {
        this.basePort = basePort;
    }

    /** The port of a slot. */
    public int ofSlot(final int index) {
        return basePort + index;
    }

    /** The port at which the bond of a vQPN listens. */
    public int of(final int qpNum) {
        return ofSlot(QpNumDescriptor.slot(qpNum));
    }

    /** This bond listens at that slot's port. */
    public void slot(final int taken) {
        assert slot < 0 && taken >= 0 : "a bond listens at one slot";
        slot = taken;
    }

    /** Whether the bond that gave out a vQPN listens where this one does. */
    public boolean isOwn(final int qpNum) {
        return QpNumDescriptor.slot(qpNum) == slot;
    }

    /** A vQPN of this bond. */
    public int qpNum(final int index) {
        assert slot >= 0 : "no queue pair is created before the bond listens";
        return QpNumDescriptor.qpNum(slot, index);
    }
}
