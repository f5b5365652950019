package io.vhca.harness.bench;

import io.vhca.api.CompletionQueue;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The work of {@link PostPollBenchmark} through the least that can stand between an application and a device and still
 * be able to send again: each request is copied and numbered, its key looked up, and its wr_id and the QP number are
 * given back with the completion. No gate, no check, no event, nothing that could fail over. What it takes is a floor
 * under what a bond takes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CopyingBenchmark {
    /** The null device with copies in front of it. */
    static final String COPIED = "null0 copied";

    private static final int SLOTS = 128;
    private static final int SGE = SendWrDescriptor.SIZE;
    private static final int WR_ID = SGE + SgeDescriptor.SIZE;
    /** A work request, its element, its wr_id; whole cache lines. */
    private static final int SLOT_BYTES = 192;

    private static final int KEYS = 256;

    /** Which device. */
    @Param(COPIED)
    @SuppressWarnings("NullAway.Init")
    public String device;

    private final PostPollBenchmark queues = new PostPollBenchmark();
    private final Arena arena = Arena.ofShared();
    private final long slots = arena.allocate((long) SLOTS * SLOT_BYTES, 64).address();
    private final int[] keys = new int[KEYS];
    private long producer;
    private long retired;

    @SuppressWarnings("NullAway.Init")
    private QueuePair qp;

    @SuppressWarnings("NullAway.Init")
    private CompletionQueue cq;

    private int qpNum;

    /** For JMH. */
    public CopyingBenchmark() {}

    @Setup
    public void setUp() {
        queues.device = device;
        queues.setUp();
        qp = queues.qp();
        cq = queues.cq();
        qpNum = qp.qpNum() + 1;
        for (int i = 0; i < KEYS; i++) {
            keys[i] = queues.lkey();
        }
        for (long slot = slots; slot < slots + (long) SLOTS * SLOT_BYTES; slot += SLOT_BYTES) {
            NativeMemory.putLong(slot + SendWrDescriptor.SG_LIST_OFFSET, slot + SGE);
        }
    }

    /** As {@link PostPollBenchmark#postAndPoll}. */
    @Benchmark
    public int postAndPoll() {
        post(queues.one(), 1);
        int polls = 1;
        while (poll(queues.completions()) == 0) {
            polls++;
        }
        return polls;
    }

    /** As {@link PostPollBenchmark#chainsAndPoll}. */
    @Benchmark
    @OperationsPerInvocation(PostPollBenchmark.POLLED)
    public int chainsAndPoll() {
        for (int i = 0; i < PostPollBenchmark.POLLED / PostPollBenchmark.CHAIN; i++) {
            post(queues.chain(), PostPollBenchmark.CHAIN);
        }
        int polls = 0;
        for (int got = 0; got < PostPollBenchmark.POLLED; polls++) {
            got += poll(queues.completions());
        }
        return polls;
    }

    private void post(final SendWorkRequest first, final int count) {
        final long head = slot(producer);
        final long end = retired + SLOTS;
        long sequence = producer;
        long last = head;
        for (long wr = first.address(); wr != 0 && sequence != end; sequence++) {
            final long to = slot(sequence);
            copy(wr, to, sequence);
            NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, to);
            last = to;
            wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
        }
        NativeMemory.putLong(last + SendWrDescriptor.NEXT_OFFSET, 0);
        if (sequence - producer != count || qp.postSend(head) != count) {
            throw new IllegalStateException("refused");
        }
        producer = sequence;
    }

    private void copy(final long wr, final long to, final long sequence) {
        final long sge = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        final int key = NativeMemory.getInt(sge + SgeDescriptor.LKEY_OFFSET);
        NativeMemory.putLong(to + SGE + SgeDescriptor.ADDR_OFFSET, SgeDescriptor.addr(sge));
        NativeMemory.putInt(to + SGE + SgeDescriptor.LENGTH_OFFSET, SgeDescriptor.length(sge));
        NativeMemory.putInt(to + SGE + SgeDescriptor.LKEY_OFFSET, keys[key & KEYS - 1]);
        NativeMemory.putLong(to + SendWrDescriptor.WR_ID_OFFSET, sequence);
        NativeMemory.putInt(
                to + SendWrDescriptor.NUM_SGE_OFFSET, NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET));
        NativeMemory.putInt(
                to + SendWrDescriptor.OPCODE_OFFSET, NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET));
        NativeMemory.putInt(
                to + SendWrDescriptor.SEND_FLAGS_OFFSET, NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET));
        NativeMemory.putLong(to + WR_ID, NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET));
    }

    private int poll(final WorkCompletion completions) {
        final int count = cq.poll(completions);
        long wc = completions.address();
        for (int i = 0; i < count; i++) {
            final long sequence = NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
            NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, NativeMemory.getLong(slot(sequence) + WR_ID));
            NativeMemory.putInt(wc + WcDescriptor.QP_NUM_OFFSET, qpNum);
            retired = sequence + 1;
            wc += WcDescriptor.SIZE;
        }
        return count;
    }

    private long slot(final long sequence) {
        return slots + (sequence & SLOTS - 1) * SLOT_BYTES;
    }

    @TearDown
    public void tearDown() {
        queues.tearDown();
        arena.close();
    }
}
