package io.vhca.harness.bench;

import io.vhca.api.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Two threads that post to one queue pair and poll one completion queue, as {@link PostPollBenchmark} does alone. */
@State(Scope.Benchmark)
@Threads(2)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SharedQueueBenchmark {
    /** Which device. */
    @Param({"null0", "bond0"})
    @SuppressWarnings("NullAway.Init")
    public String device;

    private final PostPollBenchmark queues = new PostPollBenchmark();

    /** What each thread has for itself. */
    @State(Scope.Thread)
    public static class Own {
        private final Arena arena = Arena.ofShared();
        private final WorkCompletion wc = WorkCompletion.allocate(arena, 16);

        /** For JMH. */
        public Own() {}

        @TearDown
        public void tearDown() {
            arena.close();
        }
    }

    /** For JMH. */
    public SharedQueueBenchmark() {}

    @Setup
    public void setUp() {
        queues.device = device;
        queues.setUp();
    }

    /** postSend, then pollCq once. */
    @Benchmark
    public int postAndPollShared(final Own own) {
        return queues.postAndPollOnce(own.wc);
    }

    @TearDown
    public void tearDown() {
        queues.tearDown();
    }
}
