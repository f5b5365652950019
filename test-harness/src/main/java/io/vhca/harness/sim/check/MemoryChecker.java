package io.vhca.harness.sim.check;

import io.vhca.api.NativeMemory;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/**
 * The memory of one direction: what WRITEs left in the peer's region and what READs brought from it.
 *
 * <p>A byte must be that of the last WRITE before the operation looked at; a WRITE posted later may have been there
 * already, and a READ that ran twice may have seen it. Two shadows of the region follow the WRITEs in order: one as far
 * as the messages that the receiver saw, one as far as the READs that the sender completed.
 */
public final class MemoryChecker {
    private final OpPlan plan;
    private final long regionAddress;
    private final Shadow seen;
    private final Shadow read;
    private final String where;
    private final Violations violations;

    /**
     * @param regionAddress the peer's memory, of {@link OpPlan#regionBytes()} bytes
     * @param shadowAddress memory of twice that size for the checker alone
     */
    MemoryChecker(
            final OpPlan plan, final long regionAddress, final long shadowAddress, final String where,
            final Violations violations) {
        this.plan = plan;
        this.regionAddress = regionAddress;
        this.where = where;
        this.violations = violations;
        seen = new Shadow(shadowAddress);
        read = new Shadow(shadowAddress + plan.regionBytes());
    }

    /** Puts the region and its shadows into the state before the first operation. */
    void initialise() {
        Content.fill(regionAddress, plan.regionBytes(), plan.regionKey());
        NativeMemory.copy(regionAddress, seen.address, plan.regionBytes());
        NativeMemory.copy(regionAddress, read.address, plan.regionBytes());
        seen.next = 0;
        read.next = 0;
    }

    /**
     * A READ completed into {@code bufferAddress}.
     *
     * @param posted operations posted by now
     */
    public void onReadCompleted(final int op, final long bufferAddress, final int posted) {
        read.advance(op);
        final int from = plan.regionOffset(op);
        final long base = bufferAddress - from;
        check("READ data", op, plan.describe(op), base, read, from, from + plan.lengthBytes(op), posted);
    }

    /**
     * Message {@code op} was seen by the peer's application: every WRITE before it, its own included, must be there.
     *
     * @param posted operations posted by now
     */
    void onMessageSeen(final int op, final int posted) {
        seen.advance(op);
        checkRegion(op, 0, posted);
    }

    /** Nothing is under way: the region holds what the first {@code executed} operations wrote, to the byte. */
    public void onQuiet(final int executed, final int posted) {
        onQuietAfter(executed, posted, 0, (byte) 0, false);
    }

    /**
     * The same after one WRITE more, at the region's beginning, of the same byte {@code lengthBytes} times.
     *
     * @param isThere it has succeeded; else it may be there or not
     */
    void onQuietAfter(
            final int executed, final int posted, final int lengthBytes, final byte value, final boolean isThere) {
        assert lengthBytes <= plan.regionBytes() : lengthBytes + " bytes of " + plan.regionBytes();
        boolean isFound = true;
        for (int offset = 0; offset < lengthBytes; offset++) {
            isFound &= NativeMemory.getByte(regionAddress + offset) == value;
        }
        if (isThere && !isFound) {
            violations.report("memory written", where, "at the end: the last WRITE has succeeded, and is not there");
        }
        seen.advance(executed - 1);
        checkRegion(-1, isFound ? lengthBytes : 0, posted);
    }

    private void checkRegion(final int op, final int from, final int posted) {
        check("memory written", op, "", regionAddress, seen, from, plan.regionBytes(), posted);
    }

    private void check(
            final String name, final int op, final String what, final long base, final Shadow shadow, final int from,
            final int to, final int posted) {
        int offset = difference(base, shadow.address, from, to);
        while (offset < to) {
            final int end = endOfLaterWrite(base, offset, to, shadow.next, posted);
            if (end == offset) {
                final String when = !what.isEmpty() ? what : op < 0 ? "at the end" : "after " + plan.describe(op);
                violations.report(
                        name, where, when + ": byte " + offset + " of the region should be "
                                + owner(shadow.address, offset, shadow.next) + ", it is "
                                + owner(base, offset, posted));
                return;
            }
            offset = difference(base, shadow.address, end, to);
        }
    }

    /** The first byte in a range that differs from the shadow's; {@code to} when none does. */
    private static int difference(final long left, final long right, final int from, final int to) {
        int offset = from;
        while (offset + Long.BYTES <= to
                && NativeMemory.getLong(left + offset) == NativeMemory.getLong(right + offset)) {
            offset += Long.BYTES;
        }
        while (offset < to && NativeMemory.getByte(left + offset) == NativeMemory.getByte(right + offset)) {
            offset++;
        }
        return offset;
    }

    /** How far the bytes are those of one WRITE in {@code first .. posted - 1}; {@code offset} when of none. */
    private int endOfLaterWrite(final long base, final int offset, final int to, final int first, final int posted) {
        for (int write = first; write < posted; write++) {
            if (holds(write, base, offset)) {
                final int start = plan.regionOffset(write);
                final int limit = Math.min(to, start + plan.lengthBytes(write));
                final int bad = Content.mismatch(base + start, offset - start, limit - start, plan.contentKey(write));
                return bad < 0 ? limit : bad + start;
            }
        }
        return offset;
    }

    private boolean holds(final int write, final long base, final int offset) {
        final int start = plan.regionOffset(write);
        return plan.isWrite(write)
                && offset >= start
                && offset < start + plan.lengthBytes(write)
                && NativeMemory.getByte(base + offset) == Content.byteAt(plan.contentKey(write), offset - start);
    }

    private String owner(final long base, final int offset, final int end) {
        for (int write = end - 1; write >= 0; write--) {
            if (holds(write, base, offset)) {
                return "that of " + plan.describe(write);
            }
        }
        return NativeMemory.getByte(base + offset) == Content.byteAt(plan.regionKey(), offset)
                ? "untouched" : "foreign";
    }

    /** The region as it is after the operations before {@link #next}. */
    private final class Shadow {
        private final long address;
        private int next;

        Shadow(final long address) {
            this.address = address;
        }

        void advance(final int op) {
            for (; next <= op; next++) {
                if (plan.isWrite(next)) {
                    Content.fill(address + plan.regionOffset(next), plan.lengthBytes(next), plan.contentKey(next));
                }
            }
        }
    }
}
