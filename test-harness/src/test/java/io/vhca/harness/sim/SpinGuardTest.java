package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.Odds;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scenario that spins is ended, its seed is named, and the others run. */
class SpinGuardTest {
    private static final long MOST_NS = 60_000_000_000L;
    private static final int SEEDS = 5;
    /** Not one of those in which strangers are all that happens. */
    private static final long FIRST = 2;

    /** Never comes back from its begin, the first time. */
    private record Stuck(AtomicBoolean isFirst, CountDownLatch begun) implements Fault {
        private static final String LABEL = "stuck";

        @Override
        public String label() {
            return LABEL;
        }

        @Override
        public Damage damage() {
            return Damage.NONE;
        }

        @Override
        public boolean begin(final FaultTarget target) {
            if (isFirst.getAndSet(false)) {
                begun.countDown();
                while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
            }
            return true;
        }
    }

    /** Begins and ends without end, at one instant. */
    private record Restless() implements Fault {
        private static final String LABEL = "restless";

        @Override
        public String label() {
            return LABEL;
        }

        @Override
        public Damage damage() {
            return Damage.NONE;
        }
    }

    private static SimOptions with(final String label, final Fault fault, final Timing timing) {
        return SimOptions.FULL.with(
                FaultKind.beside(label, Odds.of(100, 100), dice -> new TimedFault(fault, timing)));
    }

    /** @param spins else it waits for ever, without the processor's help */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(600)
    void aRunThatNeverComesBackIsGivenUpAndTheOthersGoOn(final boolean spins) throws InterruptedException {
        final CountDownLatch begun = new CountDownLatch(1);
        final SimOptions options =
                with(Stuck.LABEL, new Stuck(new AtomicBoolean(true), begun), new Timing.ForGood(0));
        final SimRunner runner = new SimRunner(options, FIRST, SEEDS, 1, SEEDS);
        final List<RunResult> bad = new CopyOnWriteArrayList<>();
        final Thread all = new Thread(() -> {
            try {
                runner.run(bad::add);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        all.start();
        begun.await();
        final AtomicLong usedNs = new AtomicLong(7);
        final SpinGuard guard = new SpinGuard(runner, MOST_NS, thread -> usedNs.get());
        final long firstNs = Math.subtractExact(Long.MAX_VALUE, 5);
        guard.look(firstNs);
        if (spins) {
            usedNs.addAndGet(MOST_NS - 1);
            guard.look(firstNs + 2 * MOST_NS);
            assertThat(bad).as("it has time yet, on a busy machine").isEmpty();
            usedNs.incrementAndGet();
            guard.look(firstNs + 2 * MOST_NS);
        } else {
            guard.look(firstNs + SpinGuard.MOST_WAITS * MOST_NS - 1);
            assertThat(bad).as("it may still get the processor").isEmpty();
            guard.look(firstNs + SpinGuard.MOST_WAITS * MOST_NS);
        }
        all.join();
        assertThat(runner.summary().runs()).isEqualTo(SEEDS);
        assertThat(bad).hasSize(1);
        assertThat(SimReport.line(bad.getFirst()))
                .startsWith("BAD SEED 2: a run ends: all: after 60 s of a processor's time");
        final SimReport report = SimReport.of(bad.getFirst(), options);
        assertThat(report.text()).contains(
                "BAD SEED 2", "fault: stuck", "Stuck.begin", "again with: vhca sim --seeds 1 --seed 2");
    }

    @Test
    void workWithoutEndAtOneInstantIsFound() {
        final SimOptions options =
                with(Restless.LABEL, new Restless(), new Timing.Period(0, 0, Integer.MAX_VALUE));
        assertThat(SimRunner.record(FIRST, options, Recording.NONE).violations())
                .anyMatch(violation -> violation.contains("work without end at one instant"));
    }
}
