package io.vhca.tool.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.tool.users.DeviceHolders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who keeps a device that is being removed, by a clock and with processes that are made up. */
class GuardTest {
    private static final Map<String, String> THERE = Map.of("uverbs0", "rxe0", "uverbs1", "rxe1");
    private static final Map<String, String> WITHOUT_RXE0 = Map.of("uverbs1", "rxe1");
    private static final DeviceHolders.Process STAYS = new DeviceHolders.Process(20, "rping", List.of("uverbs0"), 1);
    private static final DeviceHolders.Process OTHER = new DeviceHolders.Process(30, "java", List.of("uverbs0"), 1);

    private final List<String> said = new ArrayList<>();
    private final List<String> done = new ArrayList<>();
    private boolean isPermitted = true;
    private boolean isWritten = true;

    private Guard guard(final boolean isDryRun, final String... programs) {
        return new Guard(
                new GuardConfig(Set.of(programs), 1000, 500, isDryRun), pid -> Optional.of(target(pid)), this::say);
    }

    private boolean say(final String line) {
        said.add(line);
        return isWritten;
    }

    private Target target(final long pid) {
        return new Target() {
            @Override
            public boolean terminate() {
                done.add("TERM " + pid);
                return isPermitted;
            }

            @Override
            public boolean kill() {
                done.add("KILL " + pid);
                return isPermitted;
            }
        };
    }

    @Test
    void whoDoesNotLetGoIsAskedToEndAndThenEnded() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, THERE, List.of());
        guard.turn(100, WITHOUT_RXE0, List.of(STAYS));
        assertThat(said).containsExactly(
                "rxe0 (uverbs0) is being removed and waits for process 20 (rping), which has 1000 ms");
        guard.turn(1099, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).isEmpty();
        guard.turn(1100, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).containsExactly("TERM 20");
        guard.turn(1599, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).hasSize(1);
        guard.turn(1600, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(9000, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).containsExactly("TERM 20", "KILL 20");
        guard.turn(9100, WITHOUT_RXE0, List.of());
        assertThat(said.subList(1, said.size())).containsExactly(
                "process 20 (rping) still has rxe0 (uverbs0): SIGTERM",
                "process 20 (rping) did not end: SIGKILL",
                "process 20 (rping) let go of rxe0 (uverbs0) after 9000 ms");
    }

    /** On a busy machine the first look at devices may be the only one before the kernel takes one away. */
    @Test
    void aDeviceThatGoesRightAfterTheFirstLookHasItsName() {
        guard(false, "rping").turn(0, THERE, List.of(STAYS));
        assertThat(said).containsExactly(
                "rxe0 (uverbs0) is being removed and waits for process 20 (rping), which has 1000 ms");
    }

    @Test
    void whoLetsGoInTimeIsLeftAlone() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(900, WITHOUT_RXE0, List.of());
        guard.turn(5000, WITHOUT_RXE0, List.of());
        assertThat(done).isEmpty();
        assertThat(said).last().isEqualTo("process 20 (rping) let go of uverbs0 after 900 ms");
    }

    @Test
    void whomTheConfigurationDoesNotNameIsNeverEnded() {
        final Guard guard = guard(false, "rping");
        for (int ms = 0; ms < 20_000; ms += 500) {
            guard.turn(ms, WITHOUT_RXE0, List.of(OTHER));
        }
        assertThat(done).isEmpty();
        assertThat(said).hasSize(2).last().isEqualTo(
                "process 30 (java) still has uverbs0; it is left alone: `end` does not name java");
    }

    @Test
    void aDryRunSaysWhoWouldBeEnded() {
        final Guard guard = guard(true, "rping");
        for (int ms = 0; ms < 20_000; ms += 500) {
            guard.turn(ms, WITHOUT_RXE0, List.of(STAYS));
        }
        assertThat(done).isEmpty();
        assertThat(said).hasSize(2).last().isEqualTo(
                "process 20 (rping) still has uverbs0; it would be ended, but for dry_run");
    }

    @Test
    void nobodyIsEndedWhereThatCannotBeSaid() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, WITHOUT_RXE0, List.of(STAYS));
        isWritten = false;
        guard.turn(2000, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).isEmpty();
        assertThat(said).contains("process 20 (rping) still has uverbs0: SIGTERM");
    }

    @Test
    void nobodyIsKilledWhereThatCannotBeSaid() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(2000, WITHOUT_RXE0, List.of(STAYS));
        isWritten = false;
        guard.turn(4000, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).containsExactly("TERM 20");
    }

    @Test
    void whomThisUserMayNotEndIsSaid() {
        isPermitted = false;
        final Guard guard = guard(false, "rping");
        guard.turn(0, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(2000, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(9000, WITHOUT_RXE0, List.of(STAYS));
        assertThat(done).containsExactly("TERM 20");
        assertThat(said).last().asString().endsWith("this user may not end it");
    }

    /** The number was given to another process, whose time begins now. */
    @Test
    void anotherProcessOfTheSameNumberHasItsOwnTime() {
        final Guard guard = guard(false, "rping", "java");
        guard.turn(0, WITHOUT_RXE0, List.of(STAYS));
        guard.turn(900, WITHOUT_RXE0, List.of(new DeviceHolders.Process(20, "java", List.of("uverbs0"), 2)));
        guard.turn(1500, WITHOUT_RXE0, List.of(new DeviceHolders.Process(20, "java", List.of("uverbs0"), 2)));
        assertThat(done).isEmpty();
    }

    private static DeviceHolders.Process keeps(final String... nodes) {
        return new DeviceHolders.Process(20, "rping", List.of(nodes), 1);
    }

    /** It let go of the first device in time, and has the second one for less than that. */
    @Test
    void eachDeviceHasItsOwnTime() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, THERE, List.of(keeps("uverbs0")));
        guard.turn(900, Map.of(), List.of(keeps("uverbs0", "uverbs1", "uverbs1")));
        guard.turn(950, Map.of(), List.of(keeps("uverbs1")));
        guard.turn(1100, Map.of(), List.of(keeps("uverbs1")));
        guard.turn(1899, Map.of(), List.of(keeps("uverbs1")));
        assertThat(done).isEmpty();
        guard.turn(1900, Map.of(), List.of(keeps("uverbs1")));
        assertThat(done).containsExactly("TERM 20");
        assertThat(said).containsExactly(
                "rxe0 (uverbs0) is being removed and waits for process 20 (rping), which has 1000 ms",
                "rxe1 (uverbs1) is being removed and waits for process 20 (rping), which has 1000 ms",
                "process 20 (rping) let go of rxe0 (uverbs0) after 950 ms",
                "process 20 (rping) still has rxe1 (uverbs1): SIGTERM");
    }

    @Test
    void whoKeepsTwoDevicesIsEndedOnce() {
        final Guard guard = guard(false, "rping");
        for (int ms = 0; ms < 5_000; ms += 500) {
            guard.turn(ms, THERE, List.of(keeps("uverbs0", "uverbs1")));
        }
        assertThat(done).containsExactly("TERM 20", "KILL 20");
    }

    /** It is not killed for the device that it let go of, and asked anew for the one that it still has. */
    @Test
    void whoLetsGoOfOneOfTwoAfterSigtermHasTimeAgain() {
        final Guard guard = guard(false, "rping");
        guard.turn(0, THERE, List.of(keeps("uverbs0", "uverbs1")));
        guard.turn(1000, THERE, List.of(keeps("uverbs0", "uverbs1")));
        guard.turn(1400, THERE, List.of(keeps("uverbs1")));
        guard.turn(1899, THERE, List.of(keeps("uverbs1")));
        assertThat(done).containsExactly("TERM 20", "TERM 20");
        guard.turn(1900, THERE, List.of(keeps("uverbs1")));
        assertThat(done).containsExactly("TERM 20", "TERM 20", "KILL 20");
    }

    @Test
    void whoIsLeftAloneIsNamedForALaterDeviceToo() {
        final Guard guard = guard(false, "java");
        for (int ms = 0; ms < 5_000; ms += 500) {
            guard.turn(ms, THERE, List.of(ms < 2_000 ? keeps("uverbs0") : keeps("uverbs0", "uverbs1")));
        }
        assertThat(said).hasSize(4).last().isEqualTo(
                "process 20 (rping) still has rxe1 (uverbs1); it is left alone: `end` does not name rping");
    }
}
