package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;

/** Big-endian access to a packet in native memory. Any thread. */
public final class Wire {
    /** UDP destination port of RoCEv2. */
    public static final int UDP_PORT = 4791;
    /** Size of the invariant CRC at the end of a packet. */
    public static final int ICRC_BYTES = Integer.BYTES;
    /** Size of a management datagram, the payload of a QP1 packet. */
    public static final int MAD_BYTES = 256;
    /** Size of the global route header in front of a UD receive's data. */
    public static final int GRH_BYTES = 40;
    /** The Q_Key of QP1. */
    public static final int GSI_QKEY = 0x8001_0000;
    /** The general services QP, which carries connection management. */
    public static final int GSI_QPN = 1;
    /** Mask of a 24-bit field. */
    public static final int MASK_24 = 0xff_ffff;

    private Wire() {}

    public static int getByte(final long address) {
        return NativeMemory.getByte(address) & 0xff;
    }

    public static int getShort(final long address) {
        return Short.reverseBytes(NativeMemory.getShort(address)) & 0xffff;
    }

    public static void putShort(final long address, final int value) {
        NativeMemory.putShort(address, Short.reverseBytes((short) value));
    }

    public static int getInt(final long address) {
        return Integer.reverseBytes(NativeMemory.getInt(address));
    }

    public static void putInt(final long address, final int value) {
        NativeMemory.putInt(address, Integer.reverseBytes(value));
    }

    public static long getLong(final long address) {
        return Long.reverseBytes(NativeMemory.getLong(address));
    }

    public static void putLong(final long address, final long value) {
        NativeMemory.putLong(address, Long.reverseBytes(value));
    }
}
