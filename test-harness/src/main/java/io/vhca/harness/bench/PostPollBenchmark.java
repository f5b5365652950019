package io.vhca.harness.bench;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
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
 * Signaled SENDs of 64 bytes posted and their completions polled, on a device that completes at once: with and without
 * the bond in between. The difference is what the bond costs an operation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PostPollBenchmark {
    private static final int MESSAGE_BYTES = 64;
    static final int CHAIN = 8;
    static final int POLLED = 16;

    /** The bond when nothing is traced. */
    static final String SILENT = "bond0 silent";

    /** The bond when every request and completion is traced. */
    static final String TRACED = "bond0 traced";

    /** The bond when the markers of a queue are looked at before each post. */
    static final String CHECKED = "bond0 checked";

    /** The bond when the application says that one thread at a time uses the queues. */
    static final String DECLARED = "bond0 single-threaded";

    /** Which device; {@code bond0} has two null devices beneath. */
    @Param({"null0", "bond0", DECLARED, SILENT, TRACED, CHECKED})
    @SuppressWarnings("NullAway.Init")
    public String device;

    @SuppressWarnings("NullAway.Init")
    private Context context;

    @SuppressWarnings("NullAway.Init")
    private RdmaListener listener;

    @SuppressWarnings("NullAway.Init")
    private RdmaConnection client;

    @SuppressWarnings("NullAway.Init")
    private RdmaConnection server;

    @SuppressWarnings("NullAway.Init")
    private MemoryRegion mr;

    private final Arena arena = Arena.ofShared();
    private final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
    private final SendWorkRequest[] chain = new SendWorkRequest[CHAIN];
    private final WorkCompletion wc = WorkCompletion.allocate(arena, POLLED);

    @SuppressWarnings("NullAway.Init")
    private QueuePair qp;

    @SuppressWarnings("NullAway.Init")
    private CompletionQueue cq;

    /** For JMH. */
    public PostPollBenchmark() {}

    @Setup
    public void setUp() {
        System.setProperty(NullProvider.PROPERTY, "null0=127.0.3.1,null1=127.0.3.2");
        System.setProperty("vhca.bond", "bond0: mode=active-backup members=null0,null1"
                + switch (device) {
                    case SILENT -> " trace=off";
                    case TRACED -> " trace=detail";
                    case CHECKED -> " checks=full";
                    default -> "";
                });
        context = Devices.open(device.split(" ", 2)[0]);
        listener = RdmaListener.listen(context, 0);
        client = RdmaConnection.connect(
                context, listener.address(), RdmaConnection.MESSAGE_BYTES, device.equals(DECLARED));
        server = listener.accept();
        client.awaitEstablished();
        mr = client.pd().regMr(arena.allocate(MESSAGE_BYTES, 64), AccessFlags.LOCAL_WRITE);
        wr.opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED).sge(mr.addr(), MESSAGE_BYTES, mr.lkey());
        for (int i = CHAIN - 1; i >= 0; i--) {
            chain[i] = SendWorkRequest.allocate(arena, 1)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(mr.addr(), MESSAGE_BYTES, mr.lkey())
                    .next(i == CHAIN - 1 ? 0 : chain[i + 1].address());
        }
        qp = client.qp();
        cq = client.cq();
    }

    /** postSend, then pollCq until its completion is there. */
    @Benchmark
    public int postAndPoll() {
        if (qp.postSend(wr) != 1) {
            throw new IllegalStateException("refused");
        }
        int polls = 1;
        while (cq.poll(wc) == 0) {
            polls++;
        }
        return polls;
    }

    /** Two chains of 8, then pollCq of up to 16 until all are there; the time is that of one request. */
    @Benchmark
    @OperationsPerInvocation(POLLED)
    public int chainsAndPoll() {
        for (int i = 0; i < POLLED / CHAIN; i++) {
            if (qp.postSend(chain[0]) != CHAIN) {
                throw new IllegalStateException("refused");
            }
        }
        int polls = 0;
        for (int got = 0; got < POLLED; polls++) {
            got += cq.poll(wc);
        }
        return polls;
    }

    QueuePair qp() {
        return qp;
    }

    CompletionQueue cq() {
        return cq;
    }

    int lkey() {
        return mr.lkey();
    }

    SendWorkRequest one() {
        return wr;
    }

    SendWorkRequest chain() {
        return chain[0];
    }

    WorkCompletion completions() {
        return wc;
    }

    /** As one of several threads with the same queues: a post, and one poll, which may bring others' completions. */
    int postAndPollOnce(final WorkCompletion own) {
        if (qp.postSend(wr) != 1) {
            throw new IllegalStateException("refused");
        }
        return cq.poll(own);
    }

    @TearDown
    public void tearDown() {
        mr.close();
        client.close();
        server.close();
        listener.close();
        context.close();
        arena.close();
    }
}
