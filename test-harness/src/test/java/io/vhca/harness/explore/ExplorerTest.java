package io.vhca.harness.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.recovery.Journal;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Small spaces in which the contract holds, lies that are found in them, and the parts that the explorer rests on. */
class ExplorerTest {
    private static final int THREADS = 2;
    private static final int ALL = Integer.MAX_VALUE;
    private static final List<Operation> ONE = List.of(Operation.SEND);
    private static final List<Operation> NOTHING = List.of();

    private static Explorer.Result explore(final Bounds bounds, final PlantedLie lie, final int depth) {
        try {
            return new Explorer(bounds, lie, depth, THREADS).run(news -> {});
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Bounds bounds(final int failures, final int network, final int closes, final int restarts) {
        return new Bounds(failures, network, closes, restarts, 0, 0, 1, ONE, NOTHING);
    }

    @ParameterizedTest
    @CsvSource({
        // failures, faults of the network, closes, restarts, give-ups, lies, paths: at least so many states
        "2, 0, 0, 0, 0, 0, 1, 1000",
        "1, 1, 0, 0, 0, 0, 1, 1000",
        "1, 0, 1, 1, 0, 0, 1, 1000",
        "1, 0, 0, 0, 1, 1, 1, 500",
        "0, 1, 1, 0, 0, 0, 2, 100",
    })
    void everyStateOfASmallSpaceHasAGoodEnd(
            final int failures, final int network, final int closes, final int restarts, final int giveUps,
            final int lies, final int paths, final int atLeast) {
        final Bounds bounds = new Bounds(failures, network, closes, restarts, giveUps, lies, paths, ONE, NOTHING);
        final Explorer.Result result = explore(bounds, PlantedLie.NONE, ALL);
        assertThat(result.history()).isNull();
        assertThat(result.isWhole()).isTrue();
        assertThat(result.states()).isGreaterThan(atLeast);
        assertThat(result.ends()).isPositive();
    }

    @Test
    void requestsOfEveryKindGoTwoWays() {
        final List<Operation> mixed = List.of(Operation.WRITE, Operation.READ, Operation.SEND);
        final List<Operation> atomic = List.of(Operation.ATOMIC);
        final Explorer.Result result =
                explore(new Bounds(1, 0, 0, 0, 0, 0, 1, mixed, atomic), PlantedLie.NONE, ALL);
        assertThat(result.history()).isNull();
        assertThat(result.states()).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @EnumSource(Space.class)
    void everySpaceBeginsWell(final Space space) {
        final Explorer.Result result = explore(space.bounds(), PlantedLie.NONE, 5);
        assertThat(result.history()).isNull();
        assertThat(result.isWhole()).isFalse();
        assertThat(result.deepest()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "FENCE_SKIPPED      | fails with COMMITTED_DATA_LOST without cause",
        "REPLAY_TOO_LATE    | both are connected and a request is lost",
        "REPLAY_TOO_EARLY   | request 0, SEND, is executed twice",
        "COMPLETES_TOO_MUCH | request 0 completes with success and was never executed",
        "COUNT_GOES_BACK    | count goes back from 1 to 0",
        "DEAF               | nothing more happens with A in another life and B in CONNECTED",
        "SLEEPS_ON          | in WAITING",
        "REFUSES_ALWAYS     | an end asks again and again",
        "CLOSE_FORGOTTEN    | both are connected and an application has closed",
    })
    void everyLieIsFound(final PlantedLie lie, final String violation) {
        final int closes = lie == PlantedLie.CLOSE_FORGOTTEN ? 1 : 0;
        final int depth = lie == PlantedLie.REFUSES_ALWAYS ? 4 : ALL;
        final Explorer.Result result = explore(bounds(1, 1, closes, 1), lie, depth);
        assertThat(result.history()).contains("violated: ", violation);
    }

    @Test
    void noLieIsForgottenAbove() throws NoSuchMethodException {
        final CsvSource rows = ExplorerTest.class
                .getDeclaredMethod("everyLieIsFound", PlantedLie.class, String.class)
                .getAnnotation(CsvSource.class);
        assertThat(rows.value()).hasSize(PlantedLie.values().length - 1);
    }

    @Test
    void aViolationIsToldByTheShortestWayThere() {
        final String history = explore(bounds(1, 0, 0, 1), PlantedLie.DEAF, ALL).history();
        assertThat(history)
                .startsWith("violated: nothing more happens with A in another life and B in CONNECTED")
                .contains("  1  A is started anew")
                .doesNotContain("  2  ");
    }

    /** Else the states that it had taken would count as good. */
    @Test
    void aThreadThatEndsEndsTheExploration() {
        final Thread own = Thread.currentThread();
        final StateTable full = new StateTable() {
            @Override
            int add(final long hash, final int parent, final int step) {
                if (Thread.currentThread() != own) {
                    throw new OutOfMemoryError("of a test");
                }
                return super.add(hash, parent, step);
            }
        };
        final Explorer explorer = new Explorer(bounds(1, 0, 0, 0), PlantedLie.NONE, ALL, THREADS, full);
        assertThatThrownBy(() -> explorer.run(news -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("OutOfMemoryError: of a test");
    }

    @Test
    void whereTheDepthEndsAFairScheduleGoesOn() {
        final Explorer.Result result = explore(bounds(3, 1, 1, 1), PlantedLie.NONE, 6);
        assertThat(result.isWhole()).isFalse();
        assertThat(result.history()).isNull();
        assertThat(result.ends()).as("each state at the depth comes to an end").isGreaterThan(500);
    }

    /** A state is the same after it was taken back, whatever was in the machines before. */
    @Test
    void aStateThatIsTakenBackIsTheSame() {
        final Bounds bounds = new Bounds(3, 3, 1, 1, 1, 1, 2, List.of(Operation.SEND, Operation.READ), ONE);
        final World walker = new World(bounds, PlantedLie.NONE, Journal.NONE);
        final World other = new World(bounds, PlantedLie.NONE, Journal.NONE);
        final Random random = new Random(20261122);
        final int[] state = new int[World.MAX_LENGTH];
        final int[] again = new int[World.MAX_LENGTH];
        final int[] steps = new int[World.MAX_STEPS];
        final int[] stepsAgain = new int[World.MAX_STEPS];
        for (int walk = 0; walk < 2_000; walk++) {
            int length = walker.first(state);
            for (int i = 0; i < 60; i++) {
                other.load(state, 0, length);
                assertThat(other.store(again)).isEqualTo(length);
                assertThat(again).isEqualTo(state);
                walker.load(state, 0, length);
                final int count = walker.steps(steps);
                other.load(state, 0, length);
                assertThat(other.steps(stepsAgain)).isEqualTo(count);
                if (count == 0) {
                    break;
                }
                final int step = steps[random.nextInt(count)];
                walker.take(step);
                Arrays.fill(state, 0);
                Arrays.fill(again, 0);
                length = walker.store(state);
            }
        }
    }

    private record Known(int first, int second) {}

    @Test
    void aFieldThatNobodyThoughtOfIsToldOf() {
        assertThatThrownBy(() -> new FieldHandles(Known.class, Set.of("first")))
                .hasMessageContaining("the fields of Known are [first, second], and [first] are known");
    }

    @Test
    void manyStatesAreKeptApart() {
        final StateTable table = new StateTable();
        final int[] state = new int[3];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 300_000; i++) {
                state[0] = i >>> 10;
                state[1] = i & 1023;
                final int number = table.add(StateTable.hash(state, 2), i - 1, i & 0x7F);
                assertThat(number).isEqualTo(round == 0 ? -1 - i : i);
            }
        }
        assertThat(table.size()).isEqualTo(300_000);
        assertThat(table.parent(299_999)).isEqualTo(299_998);
        assertThat(table.step(299_999)).isEqualTo(299_999 & 0x7F);
        assertThat(table.next(299_999)).isEqualTo(StateTable.NONE);
    }

    @Test
    void boundsThatAStateHasNoRoomForAreRefused() {
        assertThatThrownBy(() -> bounds(4, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Bounds(1, 0, 0, 0, 0, 0, 3, ONE, ONE)).hasMessageContaining("no room");
    }
}
