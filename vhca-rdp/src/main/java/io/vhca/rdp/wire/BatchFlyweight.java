package io.vhca.rdp.wire;

import static io.vhca.rdp.wire.BatchDescriptor.FLOW_ID_OFFSET;
import static io.vhca.rdp.wire.BatchDescriptor.FLOW_SEQUENCE_OFFSET;
import static io.vhca.rdp.wire.BatchDescriptor.LENGTH_OFFSET;

import io.vhca.api.NativeMemory;

/** The head of one datagram of a batch, in native memory. One thread at a time. */
public final class BatchFlyweight {
    private long address;

    public BatchFlyweight wrap(final long headAddress) {
        address = headAddress;
        return this;
    }

    public void write(final int flowId, final int lengthBytes, final long flowSequence) {
        NativeMemory.putInt(address + FLOW_ID_OFFSET, Integer.reverseBytes(flowId));
        NativeMemory.putInt(address + LENGTH_OFFSET, Integer.reverseBytes(lengthBytes));
        NativeMemory.putLong(address + FLOW_SEQUENCE_OFFSET, Long.reverseBytes(flowSequence));
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
}
