package io.vhca.harness.sim;

import io.vhca.api.NativeMemory;

/**
 * The memory of one direction: what WRITEs left in the peer's region and what READs brought from it.
 *
 * <p>A byte must be that of the last WRITE before the operation looked at; a WRITE posted later may have been there
 * already, and a READ that ran twice may have seen it.
 */
final class MemoryChecker {
    private static final int ABSENT = -1;

    private final OpPlan plan;
    private final long regionAddress;
    private final String where;
    private final Violations violations;

    /** @param regionAddress the peer's memory, of {@link OpPlan#regionBytes()} bytes; 0 in a test without one */
    MemoryChecker(final OpPlan plan, final long regionAddress, final String where, final Violations violations) {
        this.plan = plan;
        this.regionAddress = regionAddress;
        this.where = where;
        this.violations = violations;
    }

    /** Puts the region into the state before the first operation. */
    void initialise() {
        Content.fill(regionAddress, plan.regionBytes(), plan.regionKey());
    }

    /**
     * A READ completed into {@code bufferAddress}.
     *
     * @param posted operations posted by now
     */
    void onReadCompleted(final int op, final long bufferAddress, final int posted) {
        final int from = plan.regionOffset(op);
        check("READ data", plan.describe(op), bufferAddress - from, from, from + plan.lengthBytes(op), op, posted);
    }

    /**
     * Message {@code op} was seen by the peer's application: every WRITE before it, its own included, must be there.
     *
     * @param posted operations posted by now
     */
    void onMessageSeen(final int op, final int posted) {
        int checked = 0;
        for (int write = op; write >= 0 && checked < 4; write--) {
            if (plan.isWrite(write)) {
                final int from = plan.regionOffset(write);
                final int to = from + plan.lengthBytes(write);
                check("memory written", "after " + plan.describe(op), regionAddress, from, to, op, posted);
                checked++;
            }
        }
    }

    /** Nothing is under way: the region holds what the first {@code executed} operations wrote, to the byte. */
    void onQuiet(final int executed, final int posted) {
        check("memory written", "at the end", regionAddress, 0, plan.regionBytes(), executed - 1, posted);
    }

    private void check(
            final String name, final String when, final long base, final int from, final int to, final int op, final int posted) {
        int offset = from;
        while (offset < to) {
            final int writer = lastWriter(offset, op);
            final int end = endOfRun(offset, to, op, writer);
            final int bad = writer == ABSENT
                    ? Content.mismatch(base, offset, end, plan.regionKey())
                    : mismatchOf(writer, base, offset, end);
            if (bad < 0) {
                offset = end;
            } else if (isOfLaterWrite(base, bad, op, posted)) {
                offset = bad + 1;
            } else {
                violations.report(
                        name, where, when + ": byte " + bad + " of the region should be "
                                + (writer == ABSENT ? "untouched" : "that of " + plan.describe(writer)) + ", it is "
                                + owner(base, bad, posted));
                return;
            }
        }
    }

    /** The last WRITE up to {@code op} that covers the byte. */
    private int lastWriter(final int offset, final int op) {
        for (int write = op; write >= 0; write--) {
            if (covers(write, offset)) {
                return write;
            }
        }
        return ABSENT;
    }

    /** Where the bytes with the same last writer end. */
    private int endOfRun(final int offset, final int limit, final int op, final int writer) {
        int end = writer == ABSENT ? limit : Math.min(limit, plan.regionOffset(writer) + plan.lengthBytes(writer));
        for (int write = writer + 1; write <= op; write++) {
            if (plan.isWrite(write) && plan.lengthBytes(write) > 0 && plan.regionOffset(write) > offset) {
                end = Math.min(end, plan.regionOffset(write));
            }
        }
        return end;
    }

    private int mismatchOf(final int writer, final long base, final int from, final int to) {
        final int start = plan.regionOffset(writer);
        final int bad = Content.mismatch(base + start, from - start, to - start, plan.contentKey(writer));
        return bad < 0 ? bad : bad + start;
    }

    private boolean isOfLaterWrite(final long base, final int offset, final int op, final int posted) {
        for (int write = op + 1; write < posted; write++) {
            if (holds(write, base, offset)) {
                return true;
            }
        }
        return false;
    }

    private boolean holds(final int write, final long base, final int offset) {
        return covers(write, offset)
                && NativeMemory.getByte(base + offset)
                        == Content.byteAt(plan.contentKey(write), offset - plan.regionOffset(write));
    }

    private boolean covers(final int write, final int offset) {
        return plan.isWrite(write)
                && offset >= plan.regionOffset(write)
                && offset < plan.regionOffset(write) + plan.lengthBytes(write);
    }

    private String owner(final long base, final int offset, final int posted) {
        for (int write = posted - 1; write >= 0; write--) {
            if (holds(write, base, offset)) {
                return "that of " + plan.describe(write);
            }
        }
        return NativeMemory.getByte(base + offset) == Content.byteAt(plan.regionKey(), offset) ? "untouched" : "foreign";
    }
}
