package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.NativeMemory;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;

/**
 * How received bytes and receive completions reach the application: at once, or, with the option that acknowledges
 * before placing, by way of a log that is up to so many messages behind.
 *
 * <p>The log's records, in native memory that grows with what waits:
 * <pre>
 *   0      8      16      24     32
 *   | kind | size | a     | b    | bytes ...
 *   BYTES: a = target address, b = key
 *   END:   a = wr_id, b = time to place; 32 flags, 36 opcode (-1: no receive), 40 byte_len, 44 immediate, 48 solicited
 * </pre>
 */
final class Placement {
    private static final int KIND_OFFSET = 0;
    private static final int SIZE_OFFSET = KIND_OFFSET + Long.BYTES;
    private static final int A_OFFSET = SIZE_OFFSET + Long.BYTES;
    private static final int B_OFFSET = A_OFFSET + Long.BYTES;
    private static final int HEADER = B_OFFSET + Long.BYTES;
    private static final int END_FLAGS_OFFSET = HEADER;
    private static final int END_OPCODE_OFFSET = END_FLAGS_OFFSET + Integer.BYTES;
    private static final int END_LENGTH_OFFSET = END_OPCODE_OFFSET + Integer.BYTES;
    private static final int END_IMMEDIATE_OFFSET = END_LENGTH_OFFSET + Integer.BYTES;
    private static final int END_SOLICITED_OFFSET = END_IMMEDIATE_OFFSET + Integer.BYTES;
    private static final int END_BYTES = END_SOLICITED_OFFSET + Integer.BYTES + Integer.BYTES;
    private static final long BYTES = 1;
    private static final long END = 2;
    private static final int NO_RECEIVE = -1;
    private static final long FIRST_CAPACITY = 16 * 1024;

    private final SoftQp qp;
    private final SoftNic nic;
    private final int maxBehind;
    private final long delayNs;
    private long base;
    private long capacity;
    private long head;
    private long tail;
    private int messages;

    Placement(final SoftQp qp) {
        this.qp = qp;
        nic = qp.nic;
        maxBehind = nic.config().ackBeforePlacingMessages();
        delayNs = nic.config().placeDelayNs();
    }

    boolean isBehind() {
        return tail > head;
    }

    /** Bytes of an RDMA WRITE, whose key was checked. */
    void place(final int rkey, final long address, final long data, final int lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        if (maxBehind == 0) {
            NativeMemory.copy(data, address, lengthBytes);
            return;
        }
        final long record = append(BYTES, HEADER + lengthBytes, address, rkey);
        NativeMemory.copy(data, record + HEADER, lengthBytes);
    }

    /** Bytes of a SEND into a part of a receive; false when a key does not allow it. */
    boolean scatter(final HeldReceive receive, final long offset, final long data, final int lengthBytes) {
        if (maxBehind == 0) {
            return qp.copy(
                    receive.sges(),
                    receive.numSge(),
                    offset,
                    data,
                    lengthBytes,
                    AccessFlags.LOCAL_WRITE,
                    true);
        }
        if (!qp.allowsAll(receive.sges(), receive.numSge(), AccessFlags.LOCAL_WRITE)) {
            return false;
        }
        long skip = offset;
        int done = 0;
        for (int i = 0; i < receive.numSge() && done < lengthBytes; i++) {
            final long sge = receive.sges() + (long) i * SgeDescriptor.SIZE;
            final long size = Integer.toUnsignedLong(SgeDescriptor.length(sge));
            if (skip >= size) {
                skip -= size;
                continue;
            }
            final int part = (int) Math.min(size - skip, lengthBytes - done);
            place(SgeDescriptor.lkey(sge), SgeDescriptor.addr(sge) + skip, data + done, part);
            skip = 0;
            done += part;
        }
        return true;
    }

    /** A message without a receive ended: a WRITE. */
    void end() {
        if (maxBehind > 0) {
            endRecord(0, NO_RECEIVE, 0, 0, 0, false);
        }
    }

    /** A message ended that completes a receive. */
    void end(
            final long wrId,
            final WcOpcode opcode,
            final int byteLen,
            final int rawImmediate,
            final int flags,
            final boolean isSolicited) {
        if (maxBehind == 0) {
            qp.completeReceive(wrId, WcStatus.SUCCESS, opcode, byteLen, rawImmediate, 0, flags, isSolicited);
        } else {
            endRecord(wrId, opcode.code(), byteLen, rawImmediate, flags, isSolicited);
        }
    }

    private void endRecord(
            final long wrId,
            final int opcode,
            final int byteLen,
            final int rawImmediate,
            final int flags,
            final boolean isSolicited) {
        final long placeAtNs = nic.nowNs() + delayNs;
        final long record = append(END, END_BYTES, wrId, placeAtNs);
        NativeMemory.putInt(record + END_FLAGS_OFFSET, flags);
        NativeMemory.putInt(record + END_OPCODE_OFFSET, opcode);
        NativeMemory.putInt(record + END_LENGTH_OFFSET, byteLen);
        NativeMemory.putInt(record + END_IMMEDIATE_OFFSET, rawImmediate);
        NativeMemory.putInt(record + END_SOLICITED_OFFSET, isSolicited ? 1 : 0);
        messages++;
        if (messages > maxBehind) {
            placeOldest();
        }
        nic.deadline().armed(placeAtNs);
    }

    boolean hasDeadline() {
        return messages > 0;
    }

    /** When the oldest message that has ended must be placed. */
    long deadlineNs() {
        long record = base + head;
        while (kind(record) != END) {
            record += size(record);
        }
        return NativeMemory.getLong(record + B_OFFSET);
    }

    void onDeadline() {
        while (messages > 0 && nic.nowNs() - deadlineNs() >= 0) {
            placeOldest();
        }
    }

    /** Catches up: everything is placed, also of a message that has not ended. */
    void placeAll() {
        while (messages > 0) {
            placeOldest();
        }
        while (head < tail) {
            placeRecord();
        }
        head = 0;
        tail = 0;
    }

    /** The device or its port died: what was acknowledged and not placed is lost, its receives are flushed. */
    void lose() {
        nic.counters().add(NicCounter.LOST_AFTER_ACK, messages);
        while (head < tail) {
            final long record = base + head;
            head += size(record);
            if (kind(record) == END && NativeMemory.getInt(record + END_OPCODE_OFFSET) != NO_RECEIVE) {
                final long wrId = NativeMemory.getLong(record + A_OFFSET);
                qp.completeReceive(wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            }
        }
        clear();
    }

    private void clear() {
        head = 0;
        tail = 0;
        messages = 0;
    }

    void free() {
        clear();
        if (base != 0) {
            NativeHeap.free(base);
            base = 0;
            capacity = 0;
        }
    }

    private void placeOldest() {
        boolean hasEnded = false;
        while (!hasEnded) {
            hasEnded = placeRecord();
        }
    }

    /** True when it was the end of a message. */
    private boolean placeRecord() {
        final long record = base + head;
        head += size(record);
        final long a = NativeMemory.getLong(record + A_OFFSET);
        if (kind(record) == BYTES) {
            final long lengthBytes = size(record) - HEADER;
            final long length = NativeMemory.getLong(record + SIZE_OFFSET) - HEADER;
            assert length <= lengthBytes;
            final int key = (int) NativeMemory.getLong(record + B_OFFSET);
            if (nic.keys().allows(key, qp.pd(), a, length, AccessFlags.LOCAL_WRITE)) {
                NativeMemory.copy(record + HEADER, a, length);
            }
            return false;
        }
        messages--;
        final int opcode = NativeMemory.getInt(record + END_OPCODE_OFFSET);
        if (opcode != NO_RECEIVE) {
            qp.completeReceive(
                    a,
                    WcStatus.SUCCESS,
                    WcOpcode.fromCode(opcode),
                    NativeMemory.getInt(record + END_LENGTH_OFFSET),
                    NativeMemory.getInt(record + END_IMMEDIATE_OFFSET),
                    0,
                    NativeMemory.getInt(record + END_FLAGS_OFFSET),
                    NativeMemory.getInt(record + END_SOLICITED_OFFSET) != 0);
        }
        return true;
    }

    private static long kind(final long record) {
        return NativeMemory.getLong(record + KIND_OFFSET);
    }

    /** Bytes to the next record. */
    private static long size(final long record) {
        return NativeMemory.getLong(record + SIZE_OFFSET) + Long.BYTES - 1 & -Long.BYTES;
    }

    private long append(final long kind, final long lengthBytes, final long a, final long b) {
        if (head == tail) {
            head = 0;
            tail = 0;
        }
        if (tail + lengthBytes + Long.BYTES > capacity) {
            makeRoom(lengthBytes + Long.BYTES);
        }
        final long record = base + tail;
        NativeMemory.putLong(record + KIND_OFFSET, kind);
        NativeMemory.putLong(record + SIZE_OFFSET, lengthBytes);
        NativeMemory.putLong(record + A_OFFSET, a);
        NativeMemory.putLong(record + B_OFFSET, b);
        tail += size(record);
        return record;
    }

    private void makeRoom(final long lengthBytes) {
        final long used = tail - head;
        final long needed = Math.max(FIRST_CAPACITY, 2 * (used + lengthBytes));
        final long moved = NativeHeap.allocate(needed);
        if (base != 0) {
            NativeMemory.copy(base + head, moved, used);
            NativeHeap.free(base);
        }
        base = moved;
        capacity = needed;
        head = 0;
        tail = used;
    }
}
