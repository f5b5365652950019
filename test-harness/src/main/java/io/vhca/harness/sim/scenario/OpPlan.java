package io.vhca.harness.sim.scenario;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Content;

/**
 * What one side of one QP will send, operation by operation, fixed before the run so that both ends and the checkers
 * know it. Arrays instead of objects: thousands of plans are drawn a second.
 */
public final class OpPlan {
    private final long key;
    private final int qpIndex;
    private final WrOpcode[] opcode;
    private final int[] lengthBytes;
    private final int[] regionOffset;
    private final int[] flags;
    private final int[] sgeCount;
    private final int[] chainLength;
    private final int regionBytes;
    private final AtomicPlan atomics;
    private int count;
    private int maxLengthBytes;

    /**
     * @param key         what the content of every operation derives from
     * @param capacity    most operations
     * @param regionBytes size of the peer's memory that WRITE and READ address
     */
    public OpPlan(final long key, final int capacity, final int regionBytes) {
        this(key, capacity, regionBytes, 0);
    }

    /**
     * As above.
     *
     * @param qpIndex which connection, 0 .. 3
     */
    public OpPlan(final long key, final int capacity, final int regionBytes, final int qpIndex) {
        this.key = key;
        this.qpIndex = qpIndex;
        this.regionBytes = regionBytes;
        atomics = new AtomicPlan(capacity, qpIndex, Content.key(key, -2));
        opcode = new WrOpcode[capacity];
        lengthBytes = new int[capacity];
        regionOffset = new int[capacity];
        flags = new int[capacity];
        sgeCount = new int[capacity];
        chainLength = new int[capacity];
    }

    /**
     * Appends an operation.
     *
     * @param offset    into the peer's region, for WRITE and READ; of an atomic: 0 this direction's own word, 1 the
     *                  one that connections share
     * @param sendFlags a combination of {@link SendFlags}
     * @param sges      how many elements its data is spread over
     * @param chain     how many operations, this one first, the application posts as one chain
     */
    public void add(final WrOpcode code, final int length, final int offset, final int sendFlags, final int sges,
            final int chain) {
        opcode[count] = code;
        lengthBytes[count] = length;
        regionOffset[count] = offset;
        flags[count] = sendFlags;
        sgeCount[count] = sges;
        chainLength[count] = chain;
        maxLengthBytes = Math.max(maxLengthBytes, length);
        if (OpMix.isAtomic(code)) {
            atomics.add(count, code, offset != 0, contentKey(count));
        } else {
            atomics.addNone(count);
        }
        count++;
    }

    /** The same with its first operations alone, the last of which is signaled as that of every plan. */
    OpPlan first(final int most) {
        final int kept = Math.min(count, most);
        final OpPlan plan = new OpPlan(key, kept, regionBytes, qpIndex);
        for (int op = 0; op < kept; op++) {
            final int signaled = op == kept - 1 ? SendFlags.SIGNALED : 0;
            plan.add(
                    opcode[op], lengthBytes[op], regionOffset[op], flags[op] | signaled, sgeCount[op],
                    chainLength[op]);
        }
        return plan;
    }

    /** The same operations with other bytes: those of another attempt, which nothing of this one can be taken for. */
    public OpPlan again(final int attempt) {
        final OpPlan plan = new OpPlan(Content.key(key, -3L - attempt), count, regionBytes, qpIndex);
        for (int op = 0; op < count; op++) {
            plan.add(
                    opcode[op], lengthBytes[op], regionOffset[op], flags[op], sgeCount[op], chainLength[op]);
        }
        return plan;
    }

    public int count() {
        return count;
    }

    int maxLengthBytes() {
        return maxLengthBytes;
    }

    public int regionBytes() {
        return regionBytes;
    }

    public WrOpcode opcode(final int op) {
        return opcode[op];
    }

    public int lengthBytes(final int op) {
        return lengthBytes[op];
    }

    public int regionOffset(final int op) {
        return regionOffset[op];
    }

    public int flags(final int op) {
        return flags[op];
    }

    public int sgeCount(final int op) {
        return sgeCount[op];
    }

    public int chainLength(final int op) {
        return chainLength[op];
    }

    /**
     * True where the operation consumes a receive at the peer, and so is a message that the peer's application sees.
     */
    public boolean isMessage(final int op) {
        return WrOpcode.consumesReceive(opcode[op].code());
    }

    /** True where the operation changes the peer's region. */
    public boolean isWrite(final int op) {
        return opcode[op] == WrOpcode.RDMA_WRITE || opcode[op] == WrOpcode.RDMA_WRITE_WITH_IMM;
    }

    public boolean isRead(final int op) {
        return opcode[op] == WrOpcode.RDMA_READ;
    }

    /** Operands and outcomes of its atomics. */
    public AtomicPlan atomics() {
        return atomics;
    }

    public boolean hasImm(final int op) {
        return opcode[op] == WrOpcode.SEND_WITH_IMM || opcode[op] == WrOpcode.RDMA_WRITE_WITH_IMM;
    }

    public int imm(final int op) {
        return (int) Content.key(contentKey(op), -1);
    }

    /** Key of an operation's bytes. */
    public long contentKey(final int op) {
        return Content.key(key, op);
    }

    /** Key of what the peer's region holds before the first WRITE. */
    public long regionKey() {
        return Content.key(key, -1);
    }

    /** First operation at or after {@code op} that is a message; {@link #count()} when none is. */
    public int nextMessage(final int op) {
        int next = op;
        while (next < count && !isMessage(next)) {
            next++;
        }
        return next;
    }

    /** How many of the first {@code end} operations are messages. */
    public int messagesBefore(final int end) {
        int messages = 0;
        for (int op = 0; op < end; op++) {
            if (isMessage(op)) {
                messages++;
            }
        }
        return messages;
    }

    public String describe(final int op) {
        return "op " + op + " (" + opcode[op] + ", " + lengthBytes[op] + " bytes)";
    }
}
