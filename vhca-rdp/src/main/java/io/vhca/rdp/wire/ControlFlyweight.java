package io.vhca.rdp.wire;

import static io.vhca.rdp.wire.ControlDescriptor.DESTINATION_PORT_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.ID_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.KIND_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.RESERVED_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.RESERVED_TOO_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.SEQUENCE_OFFSET;
import static io.vhca.rdp.wire.ControlDescriptor.SOURCE_PORT_OFFSET;

import io.vhca.api.NativeMemory;

/** A record of a control message in native memory. One thread at a time. */
public final class ControlFlyweight {
    private long address;

    public ControlFlyweight wrap(final long recordAddress) {
        address = recordAddress;
        return this;
    }

    public void write(
            final int kind, final int sourcePort, final int destinationPort, final int id, final long sequence) {
        NativeMemory.putByte(address + KIND_OFFSET, (byte) kind);
        NativeMemory.putByte(address + RESERVED_OFFSET, (byte) 0);
        NativeMemory.putShort(address + SOURCE_PORT_OFFSET, Short.reverseBytes((short) sourcePort));
        NativeMemory.putShort(address + DESTINATION_PORT_OFFSET, Short.reverseBytes((short) destinationPort));
        NativeMemory.putShort(address + RESERVED_TOO_OFFSET, (short) 0);
        NativeMemory.putInt(address + ID_OFFSET, Integer.reverseBytes(id));
        NativeMemory.putLong(address + SEQUENCE_OFFSET, Long.reverseBytes(sequence));
    }

    public int kind() {
        return NativeMemory.getByte(address + KIND_OFFSET);
    }

    public int sourcePort() {
        return Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(address + SOURCE_PORT_OFFSET)));
    }

    public int destinationPort() {
        return Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(address + DESTINATION_PORT_OFFSET)));
    }

    public int id() {
        return Integer.reverseBytes(NativeMemory.getInt(address + ID_OFFSET));
    }

    public long sequence() {
        return Long.reverseBytes(NativeMemory.getLong(address + SEQUENCE_OFFSET));
    }
}
