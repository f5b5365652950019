package io.vhca.physical.soft.engine.rc;

import io.vhca.api.AccessFlags;
import io.vhca.api.NativeMemory;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NativeHeap;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.queue.HeldReceive;
import java.lang.invoke.VarHandle;

/**
 * Places what a responder receives in the application's memory and completes its receives: at once, or, with the option
 * that acknowledges before placing, from a log that holds so many messages at most. The log is native memory, laid out
 * by {@link PlacementLogDescriptor}, and grows with what waits in it. The engine's owner.
 */
final class PayloadPlacer {
    private static final long FIRST_CAPACITY = 16 * 1024;

    private final EngineCore core;
    private final QpContext qp;
    private final MemoryDomain domain;
    private final int maxBehind;
    private final long delayNs;
    private long base;
    private long capacity;
    private long head;
    private long tail;
    private int messages;

    PayloadPlacer(final EngineCore core, final QpContext qp) {
        this.core = core;
        this.qp = qp;
        domain = qp.domain();
        final SoftNicConfig config = core.config();
        maxBehind = config.ackBeforePlacingMessages();
        delayNs = config.placeDelayNs();
    }

    /** True while the log holds anything. */
    boolean isBehind() {
        return tail > head;
    }

    /**
     * What is placed from here on is seen behind all that was: adapters place the requests of a queue pair in order,
     * and programs poll memory for the last of them. Without it AArch64 may show it before the others; on x86 it is no
     * instruction.
     */
    static void keepOrder() {
        VarHandle.storeStoreFence();
    }

    /** Bytes of an RDMA WRITE, whose key was checked. */
    void place(final int rkey, final long address, final long data, final int lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        if (maxBehind == 0) {
            keepOrder();
            NativeMemory.copy(data, address, lengthBytes);
            return;
        }
        final long record = append(PlacementLogDescriptor.BYTES, PlacementLogDescriptor.PAYLOAD_OFFSET + lengthBytes);
        NativeMemory.putLong(record + PlacementLogDescriptor.TARGET_OFFSET, address);
        NativeMemory.putLong(record + PlacementLogDescriptor.KEY_OFFSET, rkey);
        NativeMemory.copy(data, record + PlacementLogDescriptor.PAYLOAD_OFFSET, lengthBytes);
    }

    /** Bytes of a SEND into a part of a receive; false when a key does not allow it. */
    boolean scatter(final HeldReceive receive, final long offset, final long data, final int lengthBytes) {
        if (maxBehind == 0) {
            keepOrder();
            return domain.copy(
                    receive.sges(),
                    receive.numSge(),
                    offset,
                    data,
                    lengthBytes,
                    AccessFlags.LOCAL_WRITE,
                    true);
        }
        if (!domain.allowsAll(receive.sges(), receive.numSge(), AccessFlags.LOCAL_WRITE)) {
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
            endRecord(0, PlacementLogDescriptor.NO_RECEIVE, 0, 0, 0, false);
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
        final long placeAtNs = core.nowNs() + delayNs;
        final long record = append(PlacementLogDescriptor.END, PlacementLogDescriptor.END_BYTES);
        NativeMemory.putLong(record + PlacementLogDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putLong(record + PlacementLogDescriptor.DUE_NS_OFFSET, placeAtNs);
        NativeMemory.putInt(record + PlacementLogDescriptor.FLAGS_OFFSET, flags);
        NativeMemory.putInt(record + PlacementLogDescriptor.OPCODE_OFFSET, opcode);
        NativeMemory.putInt(record + PlacementLogDescriptor.BYTE_LEN_OFFSET, byteLen);
        NativeMemory.putInt(record + PlacementLogDescriptor.IMMEDIATE_OFFSET, rawImmediate);
        NativeMemory.putInt(record + PlacementLogDescriptor.SOLICITED_OFFSET, isSolicited ? 1 : 0);
        messages++;
        if (messages > maxBehind) {
            placeOldest();
        }
        qp.setTimer(placeAtNs);
    }

    boolean hasDeadline() {
        return messages > 0;
    }

    /** When the oldest message that has ended must be placed. */
    long deadlineNs() {
        assert messages > 0 : "no message has ended";
        long record = base + head;
        while (kind(record) != PlacementLogDescriptor.END) {
            record += size(record);
        }
        return NativeMemory.getLong(record + PlacementLogDescriptor.DUE_NS_OFFSET);
    }

    void onDeadline() {
        while (messages > 0 && core.nowNs() - deadlineNs() >= 0) {
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
        core.counters().add(NicCounter.LOST_AFTER_ACK, messages);
        while (head < tail) {
            final long record = base + head;
            head += size(record);
            if (kind(record) == PlacementLogDescriptor.END && hasReceive(record)) {
                qp.flushReceive(NativeMemory.getLong(record + PlacementLogDescriptor.WR_ID_OFFSET));
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
        assert head <= tail : "the log ends inside a record";
        if (kind(record) == PlacementLogDescriptor.BYTES) {
            final long target = NativeMemory.getLong(record + PlacementLogDescriptor.TARGET_OFFSET);
            final int key = (int) NativeMemory.getLong(record + PlacementLogDescriptor.KEY_OFFSET);
            final long lengthBytes = lengthBytes(record) - PlacementLogDescriptor.PAYLOAD_OFFSET;
            if (domain.allows(key, target, lengthBytes, AccessFlags.LOCAL_WRITE)) {
                keepOrder();
                NativeMemory.copy(record + PlacementLogDescriptor.PAYLOAD_OFFSET, target, lengthBytes);
            }
            return false;
        }
        messages--;
        if (hasReceive(record)) {
            qp.completeReceive(
                    NativeMemory.getLong(record + PlacementLogDescriptor.WR_ID_OFFSET),
                    WcStatus.SUCCESS,
                    WcOpcode.fromCode(NativeMemory.getInt(record + PlacementLogDescriptor.OPCODE_OFFSET)),
                    NativeMemory.getInt(record + PlacementLogDescriptor.BYTE_LEN_OFFSET),
                    NativeMemory.getInt(record + PlacementLogDescriptor.IMMEDIATE_OFFSET),
                    0,
                    NativeMemory.getInt(record + PlacementLogDescriptor.FLAGS_OFFSET),
                    NativeMemory.getInt(record + PlacementLogDescriptor.SOLICITED_OFFSET) != 0);
        }
        return true;
    }

    private static boolean hasReceive(final long record) {
        return NativeMemory.getInt(record + PlacementLogDescriptor.OPCODE_OFFSET) != PlacementLogDescriptor.NO_RECEIVE;
    }

    private static long kind(final long record) {
        return NativeMemory.getLong(record + PlacementLogDescriptor.KIND_OFFSET);
    }

    /** Bytes to the next record. */
    private static long size(final long record) {
        return PlacementLogDescriptor.aligned(lengthBytes(record));
    }

    private static long lengthBytes(final long record) {
        return NativeMemory.getLong(record + PlacementLogDescriptor.LENGTH_OFFSET);
    }

    private long append(final long kind, final long lengthBytes) {
        if (head == tail) {
            head = 0;
            tail = 0;
        }
        if (tail + lengthBytes + Long.BYTES > capacity) {
            makeRoom(lengthBytes + Long.BYTES);
        }
        final long record = base + tail;
        NativeMemory.putLong(record + PlacementLogDescriptor.KIND_OFFSET, kind);
        NativeMemory.putLong(record + PlacementLogDescriptor.LENGTH_OFFSET, lengthBytes);
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
