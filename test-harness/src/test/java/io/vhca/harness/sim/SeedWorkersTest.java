package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Seeds that several threads share. */
class SeedWorkersTest {
    private static final int THREADS = 3;

    private final AtomicInteger open = new AtomicInteger();

    private final class Worker implements SeedWorkers.Worker<Long> {
        private final LongUnaryOperator job;

        private Worker(final LongUnaryOperator job) {
            this.job = job;
            open.incrementAndGet();
        }

        @Override
        public Long run(final long seed) {
            return job.applyAsLong(seed);
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }

    private SeedWorkers.Worker<Long> worker() {
        return new Worker(LongUnaryOperator.identity());
    }

    @Test
    void eachSeedRunsOnceAndWorkersAreClosed() throws InterruptedException {
        final List<Long> ended = new ArrayList<>();
        new SeedWorkers<Long>(10, 200, THREADS).run(this::worker, ended::add);
        assertThat(ended).containsExactlyInAnyOrderElementsOf(
                LongStream.range(10, 210).boxed().toList());
        assertThat(open).hasValue(0);
    }

    @Test
    void nothingIsToldOfAfterItWasEnough() throws InterruptedException {
        final List<Long> ended = new ArrayList<>();
        new SeedWorkers<Long>(1, 1_000_000, THREADS).run(this::worker, seed -> {
            ended.add(seed);
            return ended.size() < 5;
        });
        assertThat(ended).hasSize(5).doesNotHaveDuplicates();
        assertThat(open).hasValue(0);
    }

    @Test
    void aWorkerThatThrowsEndsAll() {
        assertThatThrownBy(() -> new SeedWorkers<Long>(1, Long.MAX_VALUE - 1, THREADS).run(
                        () -> new Worker(seed -> {
                            throw new IllegalStateException("of seed " + seed);
                        }),
                        seed -> true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("of seed ");
        assertThat(open).hasValue(0);
    }
}
