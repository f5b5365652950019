package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.placement.LoadBalance.Flow;
import io.vhca.bond.placement.LoadBalance.Move;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LoadBalanceTest {
    private static final double MB = 1e6;
    private static final double[] EQUAL = {100, 100};
    private static final long LOOK_NS = LoadSampler.PERIOD_NS;
    private static final long START_NS = Long.MAX_VALUE - 3 * LOOK_NS;

    private final LoadBalance balance = new LoadBalance();
    private LoadBalance.Reach reach = (flow, member) -> true;

    private static Flow flow(final int member, final double megabytes) {
        return new Flow(member, megabytes * MB, true);
    }

    /** What is decided once the same was seen for long enough; before that nothing may be. */
    private List<Move> lasting(final double[] speeds, final Flow... flows) {
        long nowNs = START_NS;
        for (; nowNs - START_NS < LoadBalance.PATIENCE_NS; nowNs += LOOK_NS) {
            assertThat(balance.decide(speeds, List.of(flows), reach, nowNs)).isEmpty();
        }
        return balance.decide(speeds, List.of(flows), reach, nowNs);
    }

    @Test
    void oneOfTwoLeavesACrowdedMember() {
        assertThat(lasting(EQUAL, flow(0, 50), flow(0, 50))).containsExactly(new Move(0, 1));
    }

    @Test
    void manyAreSpreadInOneGo() {
        final Flow[] flows = new Flow[10];
        Arrays.fill(flows, flow(1, 10));
        assertThat(lasting(EQUAL, flows)).hasSize(5).extracting(Move::to).containsOnly(0);
    }

    /** 64 of a thousand lower the load by less than a tenth: they all stayed. */
    @Test
    void manyMoreThanMoveAtOnceGoOneBatchAfterTheOther() {
        final Flow[] flows = new Flow[1_000];
        Arrays.fill(flows, flow(0, 1));
        final List<Integer> batches = new ArrayList<>();
        for (List<Move> moves = lasting(EQUAL, flows); !moves.isEmpty(); moves = lasting(EQUAL, flows)) {
            batches.add(moves.size());
            assertThat(moves).extracting(Move::to).containsOnly(1);
            moves.forEach(move -> flows[move.flow()] = flow(move.to(), 1));
        }
        assertThat(batches).hasSize(7).containsOnly(64);
    }

    @Test
    void manySmallOnesStayWhereAllOfThemWouldNotBeWorthIt() {
        final Flow[] flows = new Flow[1_000];
        Arrays.fill(flows, flow(0, 0.005));
        flows[999] = new Flow(0, 95 * MB, false);
        assertThat(lasting(EQUAL, flows)).as("what the peer placed is the load").isEmpty();
        Arrays.fill(flows, flow(0, 0.004));
        flows[998] = flow(0, 66);
        flows[999] = flow(1, 40);
        assertThat(lasting(EQUAL, flows)).as("what fits nowhere else is the load").isEmpty();
        Arrays.setAll(flows, i -> flow(i < 550 ? 0 : 1, 1));
        assertThat(lasting(EQUAL, flows)).as("even but for a tenth").isEmpty();
    }

    @Test
    void aSingleFlowAndEvenLoadsStay() {
        assertThat(lasting(EQUAL, flow(0, 100))).isEmpty();
        assertThat(lasting(EQUAL, flow(0, 50), flow(1, 50))).isEmpty();
        assertThat(lasting(EQUAL, flow(0, 50), flow(0, 50), flow(1, 100))).isEmpty();
        assertThat(lasting(EQUAL)).isEmpty();
    }

    @Test
    void aGainThatIsTooSmallIsNotWorthThePause() {
        assertThat(lasting(EQUAL, flow(0, 91), flow(0, 9))).isEmpty();
        assertThat(lasting(EQUAL, flow(0, 80), flow(0, 20))).containsExactly(new Move(1, 1));
    }

    @Test
    void nextToNothingIsNotMoved() {
        assertThat(lasting(EQUAL, flow(0, 0.001), flow(0, 0.001))).isEmpty();
    }

    @Test
    void aFasterLinkGetsMore() {
        assertThat(lasting(new double[] {100, 300}, flow(0, 10), flow(0, 10), flow(0, 10), flow(0, 10)))
                .hasSize(3);
        assertThat(lasting(new double[] {100, 300}, flow(1, 10), flow(1, 10), flow(1, 10), flow(0, 10)))
                .isEmpty();
    }

    @Test
    void nothingGoesWhereNothingMayBePlaced() {
        assertThat(lasting(new double[] {100, 0}, flow(0, 50), flow(0, 50))).isEmpty();
        assertThat(lasting(new double[] {100, 0, 100}, flow(0, 50), flow(0, 50))).containsExactly(new Move(0, 2));
        // What is still on a member that is going down is somebody else's to move.
        assertThat(lasting(new double[] {100, 0}, flow(1, 50), flow(1, 50))).isEmpty();
    }

    @Test
    void whatThePeerPlacedStaysButCounts() {
        final Flow peers = new Flow(0, 50 * MB, false);
        assertThat(lasting(EQUAL, peers, peers)).isEmpty();
        assertThat(lasting(EQUAL, peers, flow(0, 50))).containsExactly(new Move(1, 1));
        assertThat(lasting(EQUAL, new Flow(1, 50 * MB, false), flow(0, 50))).isEmpty();
    }

    /** A member that some do not reach is empty for ever: they go to the next one. */
    @Test
    void whoDoesNotReachTheEmptiestGoesToAnother() {
        final double[] three = {100, 100, 100};
        reach = (flow, member) -> member != 1;
        assertThat(lasting(three, flow(0, 50), flow(0, 50), flow(0, 50), flow(0, 50)))
                .hasSize(2)
                .extracting(Move::to)
                .containsOnly(2);
        reach = (flow, member) -> member != 1 || flow == 3;
        assertThat(lasting(three, flow(0, 50), flow(0, 50), flow(0, 50), flow(0, 50)))
                .containsExactlyInAnyOrder(new Move(3, 1), new Move(0, 2));
        reach = (flow, member) -> member == 0;
        assertThat(lasting(three, flow(0, 50), flow(0, 50), flow(0, 50), flow(0, 50))).isEmpty();
    }

    @Test
    void animbalanceThatDoesNotLastMovesNothing() {
        final List<Flow> crowded = List.of(flow(0, 50), flow(0, 50));
        final List<Flow> even = List.of(flow(0, 50), flow(1, 50));
        for (int look = 0; look < 100; look++) {
            final boolean isEven = look % 10 == 9;
            assertThat(balance.decide(EQUAL, isEven ? even : crowded, reach, START_NS + look * LOOK_NS)).isEmpty();
        }
    }

    /** Drawn loads: from any start the loads become as even as the sizes of the flows allow, and then nothing moves. */
    @Test
    void itComesToRest() {
        final SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 2_000; round++) {
            final double[] speeds = random.doubles(random.nextInt(1, 5), 1, 10).toArray();
            final List<Flow> flows = new ArrayList<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                flows.add(new Flow(
                        random.nextInt(speeds.length), random.nextDouble(100 * MB), random.nextInt(5) != 0));
            }
            long nowNs = random.nextLong();
            int rounds = 0;
            for (int quiet = 0; quiet <= LoadBalance.PATIENCE_NS / LOOK_NS; nowNs += LOOK_NS) {
                final double before = highest(speeds, flows);
                final List<Move> moves = balance.decide(speeds, flows, reach, nowNs);
                for (final Move move : moves) {
                    final Flow flow = flows.get(move.flow());
                    assertThat(flow.movable()).isTrue();
                    flows.set(move.flow(), new Flow(move.to(), flow.weight(), true));
                }
                if (!moves.isEmpty()) {
                    assertThat(highest(speeds, flows)).isLessThanOrEqualTo(before);
                    rounds++;
                }
                quiet = moves.isEmpty() ? quiet + 1 : 0;
            }
            assertThat(rounds).as("decisions until it rested, round %d", round).isLessThanOrEqualTo(3);
        }
    }

    private static double highest(final double[] speeds, final List<Flow> flows) {
        return Arrays.stream(LoadBalance.loads(speeds, flows)).max().orElse(0);
    }
}
