package io.vhca.bond.memory;

import io.vhca.api.SgeDescriptor;

/** Takes where buffers are that the application gave away. Nobody promises that there is still memory. */
public interface BufferSink {
    /**
     * One buffer.
     *
     * @param queue    whose request it is of: vSQ or vRQ
     * @param sequence of that request
     */
    void buffer(String queue, long sequence, long address, long bytes);

    /** All buffers of a request, whose elements lie one behind the other. */
    default void buffers(final String queue, final long sequence, final long sgeList, final int numSge) {
        for (int i = 0; i < numSge; i++) {
            final long sge = sgeList + (long) i * SgeDescriptor.SIZE;
            buffer(queue, sequence, SgeDescriptor.addr(sge), Integer.toUnsignedLong(SgeDescriptor.length(sge)));
        }
    }
}
