package io.vhca.rdp.wire;

import static io.vhca.rdp.wire.MessageDescriptor.CONTROL_GRANTED_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.FLAGS_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.FLOW_ID_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.FLOW_SEQUENCE_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.KIND_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.LANE_GRANTED_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.LENGTH_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.MAGIC;
import static io.vhca.rdp.wire.MessageDescriptor.MAGIC_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.RESERVED_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.SOURCE_PORT_OFFSET;
import static io.vhca.rdp.wire.MessageDescriptor.VERSION;
import static io.vhca.rdp.wire.MessageDescriptor.VERSION_OFFSET;

import io.vhca.api.NativeMemory;

/** A message header in native memory. One thread at a time. */
public final class MessageFlyweight {
    private long address;

    public MessageFlyweight wrap(final long headerAddress) {
        address = headerAddress;
        return this;
    }

    /** Writes all that the message itself says; what is granted is written by {@link #grants}. */
    public MessageFlyweight write(
            final byte kind, final byte flags, final int sourcePort, final int flowId, final int lengthBytes,
            final long flowSequence) {
        NativeMemory.putShort(address + MAGIC_OFFSET, Short.reverseBytes(MAGIC));
        NativeMemory.putByte(address + VERSION_OFFSET, VERSION);
        NativeMemory.putByte(address + KIND_OFFSET, kind);
        NativeMemory.putByte(address + FLAGS_OFFSET, flags);
        NativeMemory.putByte(address + RESERVED_OFFSET, (byte) 0);
        NativeMemory.putShort(address + SOURCE_PORT_OFFSET, Short.reverseBytes((short) sourcePort));
        NativeMemory.putInt(address + FLOW_ID_OFFSET, Integer.reverseBytes(flowId));
        NativeMemory.putInt(address + LENGTH_OFFSET, Integer.reverseBytes(lengthBytes));
        NativeMemory.putLong(address + FLOW_SEQUENCE_OFFSET, Long.reverseBytes(flowSequence));
        return this;
    }

    public MessageFlyweight grants(final int lane, final int control) {
        NativeMemory.putInt(address + LANE_GRANTED_OFFSET, Integer.reverseBytes(lane));
        NativeMemory.putInt(address + CONTROL_GRANTED_OFFSET, Integer.reverseBytes(control));
        return this;
    }

    /** Whether so many bytes are a message of this protocol and version, and as long as it says. */
    public boolean isOurs(final int messageBytes) {
        return messageBytes >= MessageDescriptor.SIZE
                && NativeMemory.getShort(address + MAGIC_OFFSET) == Short.reverseBytes(MAGIC)
                && NativeMemory.getByte(address + VERSION_OFFSET) == VERSION
                && NativeMemory.getByte(address + RESERVED_OFFSET) == 0
                && length() == messageBytes - MessageDescriptor.SIZE;
    }

    public byte kind() {
        return NativeMemory.getByte(address + KIND_OFFSET);
    }

    public byte flags() {
        return NativeMemory.getByte(address + FLAGS_OFFSET);
    }

    public int flowId() {
        return Integer.reverseBytes(NativeMemory.getInt(address + FLOW_ID_OFFSET));
    }

    public int length() {
        return Integer.reverseBytes(NativeMemory.getInt(address + LENGTH_OFFSET));
    }

    public long flowSequence() {
        return Long.reverseBytes(NativeMemory.getLong(address + FLOW_SEQUENCE_OFFSET));
    }

    public int laneGranted() {
        return Integer.reverseBytes(NativeMemory.getInt(address + LANE_GRANTED_OFFSET));
    }

    public int controlGranted() {
        return Integer.reverseBytes(NativeMemory.getInt(address + CONTROL_GRANTED_OFFSET));
    }
}
