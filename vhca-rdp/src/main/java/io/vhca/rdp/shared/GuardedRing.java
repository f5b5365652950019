package io.vhca.rdp.shared;

import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Reads a ring that Agrona's {@code OneToOneRingBuffer} of another process writes, and believes nothing that stands in
 * it: each word is read once and checked before it is used, and where reading stands is kept outside of the shared
 * memory. One thread.
 */
final class GuardedRing {
    private final AtomicBuffer buffer;
    private final int capacity;
    private final int longest;
    private long head;
    private int recordBytes;
    private int kind;

    /**
     * @param buffer  the ring with its trailer
     * @param longest no message may be longer
     */
    GuardedRing(final AtomicBuffer buffer, final int longest) {
        this.buffer = buffer;
        this.longest = longest;
        capacity = buffer.capacity() - RingBufferDescriptor.TRAILER_LENGTH;
        assert BitUtil.isPowerOfTwo(capacity) : capacity;
    }

    /**
     * Goes to the next message; {@link #done} is due before the one after it. False where there is none yet.
     *
     * @throws CorruptRingException where what stands there is none
     */
    boolean next() {
        if (!record()) {
            return false;
        }
        if (kind != RingBuffer.PADDING_MSG_TYPE_ID) {
            return true;
        }
        done();
        final boolean isThere = record();
        if (isThere && kind == RingBuffer.PADDING_MSG_TYPE_ID) {
            throw new CorruptRingException("its ring is padded twice before " + head);
        }
        return isThere;
    }

    private boolean record() {
        final int at = index();
        final int bytes = buffer.getIntVolatile(RecordDescriptor.lengthOffset(at));
        if (bytes <= 0) {
            return false; // nothing, or it is being written
        }
        kind = buffer.getInt(RecordDescriptor.typeOffset(at));
        final int most = kind == RingBuffer.PADDING_MSG_TYPE_ID ? capacity : longest + RecordDescriptor.HEADER_LENGTH;
        if (bytes < RecordDescriptor.HEADER_LENGTH || bytes > most
                || at + BitUtil.align(bytes, RecordDescriptor.ALIGNMENT) > capacity) {
            throw new CorruptRingException("its ring has a record of " + bytes + " bytes at " + at + " of " + capacity
                    + "; it may have " + RecordDescriptor.HEADER_LENGTH + " .. " + most);
        }
        recordBytes = bytes;
        return true;
    }

    private int index() {
        return (int) head & capacity - 1;
    }

    /** Where the message is. */
    AtomicBuffer buffer() {
        return buffer;
    }

    int offset() {
        return RecordDescriptor.encodedMsgOffset(index());
    }

    int length() {
        return recordBytes - RecordDescriptor.HEADER_LENGTH;
    }

    int kind() {
        return kind;
    }

    /** The message is read: its room is the writer's again. */
    void done() {
        final int bytes = BitUtil.align(recordBytes, RecordDescriptor.ALIGNMENT);
        // Agrona's writer takes room for free that is zero.
        buffer.setMemory(index(), bytes, (byte) 0);
        head += bytes;
        buffer.putLongRelease(capacity + RingBufferDescriptor.HEAD_POSITION_OFFSET, head);
    }
}
