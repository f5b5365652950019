package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two machines against each other: every order of faults and deliveries up to a depth, then long random ones. */
class TwoMachinesTest {
    private static final long SEED = Long.getLong("vhca.seed", 20261121L);

    private long runs;
    private long replays;
    private long bothConnected;

    @Test
    void everyOrderOfFailuresAndLossesEndsConnected() {
        everyOrder(9, 2, 0);
        assertThat(runs).as("orders enumerated").isGreaterThan(20_000);
        assertThat(replays).isGreaterThan(runs);
        System.out.println("orders enumerated: " + runs);
        assertThat(bothConnected).isEqualTo(runs);
    }

    @Test
    void everyOrderOfClosesFailuresAndLossesEndsClosedOnBothSides() {
        everyOrder(7, 1, 2);
        assertThat(runs).as("orders enumerated").isGreaterThan(20_000);
        System.out.println("orders with closes enumerated: " + runs);
    }

    @Test
    void longRandomRunsEndWell() {
        final Random random = new Random(SEED);
        for (int i = 0; i < 30_000; i++) {
            final int closes = i % 4 == 0 ? 1 + random.nextInt(2) : 0;
            final CmWorld world = new CmWorld(1 + random.nextInt(5), closes);
            try {
                final int steps = 5 + random.nextInt(60);
                for (int step = 0; step < steps; step++) {
                    final List<Runnable> enabled = world.enabled(true);
                    if (enabled.isEmpty()) {
                        break;
                    }
                    enabled.get(random.nextInt(enabled.size())).run();
                }
                finish(world);
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + SEED + " run " + i + describe(world), e);
            }
        }
    }

    /** Counts through all choice lists like an odometer whose wheels are as wide as the choices turn out to be. */
    private void everyOrder(final int maxDepth, final int failures, final int closes) {
        final int[] choice = new int[maxDepth];
        final int[] width = new int[maxDepth];
        int wheel;
        do {
            final CmWorld world = new CmWorld(failures, closes);
            int depth = 0;
            try {
                for (; depth < maxDepth; depth++) {
                    final List<Runnable> enabled = world.enabled(true);
                    width[depth] = enabled.size();
                    if (enabled.isEmpty()) {
                        break;
                    }
                    enabled.get(choice[depth]).run();
                }
                finish(world);
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("run " + runs + describe(world), e);
            }
            runs++;
            wheel = depth - 1;
            while (wheel >= 0 && ++choice[wheel] >= width[wheel]) {
                choice[wheel--] = 0;
            }
        } while (wheel >= 0);
    }

    private void finish(final CmWorld world) {
        world.settle();
        replays += world.replays;
        assertThat(world.a.machine.defects() + world.b.machine.defects()).as("defects").isZero();
        assertThat(world.a.failed).isNull();
        assertThat(world.b.failed).isNull();
        assertThat(world.a.over()).as("A is over").isEqualTo(world.hasClosed);
        assertThat(world.b.over()).as("B is over").isEqualTo(world.hasClosed);
        if (world.hasClosed) {
            assertThat(world.a.disconnects).isEqualTo(1);
            assertThat(world.b.disconnects).isEqualTo(1);
        } else {
            assertThat(world.a.machine.state()).isEqualTo(RecoveryState.CONNECTED);
            assertThat(world.b.machine.state()).isEqualTo(RecoveryState.CONNECTED);
            assertThat(world.a.machine.epoch()).isEqualTo(world.b.machine.epoch());
            assertThat(world.a.gateOpen && world.b.gateOpen).isTrue();
            assertThat(world.a.machine.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
            bothConnected++;
        }
    }

    private static String describe(final CmWorld world) {
        return ":\n  " + String.join("\n  ",
                world.history) + "\nA:\n" + world.a.journal.format() + "B:\n" + world.b.journal.format();
    }
}
