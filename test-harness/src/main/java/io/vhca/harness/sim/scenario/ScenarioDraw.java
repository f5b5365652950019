package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.fault.FaultDraw;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.FaultScope;
import io.vhca.harness.sim.fault.TimedFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Draws a scenario from a seed. Each part has a stream of its own, so that one does not change the others. */
public final class ScenarioDraw {
    private static final long MOST_BEFORE_WRAP_NS = 100_000_000;
    private static final int[] MTUS = {Network.LEAST_MTU, Network.LEAST_MTU, 512, 1024, 2048};
    private static final int MOST_QPS = 4;
    private static final int MOST_LIVES = 4;
    private static final int SEVERAL_LIVES_PERCENT = 33;
    /** Of scenarios whose queue pairs begin a life by RESET. */
    private static final int RESET_PERCENT = 75;
    /** An outage may last so small a part of the time that bonds have to find a path again. */
    private static final int OUTAGES_IN_RECOVERY_TIMEOUT = 16;
    /** What that is taken of where there is no bond. */
    private static final long SOFT_RECOVERY_TIMEOUT_NS = 2_000_000_000L;

    private final long seed;
    private final boolean isBond;
    private final SplittableRandom shape;
    private final SplittableRandom work;
    private final SplittableRandom chance;
    private final SplittableRandom options;
    private final SplittableRandom manners;
    private final SplittableRandom biography;
    private final Set<Trait> traits;

    private ScenarioDraw(final long seed, final boolean isBond) {
        this.seed = seed;
        this.isBond = isBond;
        final SplittableRandom root = new SplittableRandom(seed);
        shape = root.split();
        work = root.split();
        chance = root.split();
        options = root.split();
        manners = root.split();
        biography = root.split();
        traits = Trait.draw(manners, root.split(), isBond);
    }

    /**
     * The scenario of a seed.
     *
     * @param isBond bonds over several members; else one soft RNIC a side
     * @param table  what its faults are drawn from
     */
    public static Scenario draw(final long seed, final boolean isBond, final List<FaultKind> table) {
        return new ScenarioDraw(seed, isBond).draw(table);
    }

    /** Bonds with this work under these faults, everything else drawn. They must survive; there are no datagrams. */
    public static Scenario around(
            final long seed, final Network network, final Transport transport, final List<QpScenario> qps,
            final List<TimedFault> faults) {
        return new ScenarioDraw(seed, true).around(network, transport, qps, faults);
    }

    private Scenario draw(final List<FaultKind> table) {
        final int payloadBytes = MTUS[shape.nextInt(MTUS.length)];
        final Network network = drawNetwork(payloadBytes);
        final Transport transport = new Transport(shape.nextInt(8, 12), isBond ? shape.nextInt(1, 8) : 7);
        final long maxPollNs = Draws.logUniform(shape, 500, 50_000);
        final int qpCount = Math.max(1, shape.nextInt(-2, MOST_QPS + 1));
        final int severalPercent = traits.contains(Trait.OUT_OF_BAND) ? RESET_PERCENT : SEVERAL_LIVES_PERCENT;
        final int lives = Draws.percent(biography, severalPercent) ? biography.nextInt(2, MOST_LIVES + 1) : 1;
        final WorkDraw workDraw = new WorkDraw(seed, work, payloadBytes, traits.contains(Trait.SOLICITED));
        final List<QpScenario> qps = workDraw.draw(qpCount);
        final Scenario faultless = new Scenario(
                seed, network, transport, bonds(network, transport), traits, maxPollNs, drawSharedReceives(),
                drawDatagrams(), Ending.draw(manners, isBond), lives, qps, List.of());
        return faultless.withFaults(FaultDraw.draw(table, scope(faultless, lives * workDraw.packets(qps)), chance));
    }

    private Scenario around(
            final Network network, final Transport transport, final List<QpScenario> qps,
            final List<TimedFault> faults) {
        final PerSide<BondOptions> drawn = BondOptionsDraw.draw(options, members(network), transport);
        return new Scenario(
                seed, network, transport, PerSide.each(side -> drawn.of(side).without("write_replay")), traits,
                Draws.logUniform(shape, 500, 50_000), drawSharedReceives(), DatagramQps.NONE,
                Ending.draw(manners, true), 1, List.copyOf(qps), List.copyOf(faults))
                .without(Trait.OWN_MISTAKE)
                .without(Trait.FEW_RNR_RETRIES)
                .without(Trait.EARLY_END);
    }

    private @Nullable PerSide<BondOptions> bonds(final Network network, final Transport transport) {
        return isBond ? BondOptionsDraw.draw(options, members(network), transport) : null;
    }

    private static PerSide<Integer> members(final Network network) {
        return PerSide.each(network::members);
    }

    /** One MTU for all, or in one scenario with bonds of four each member's own. */
    private Network drawNetwork(final int payloadBytes) {
        final boolean isMixed = isBond && shape.nextInt(4) == 0;
        final PerSide<List<Integer>> mtuBytes = PerSide.each(side -> {
            final int members = isBond ? shape.nextInt(2, 4) : 1;
            final List<Integer> ofSide = new ArrayList<>(members);
            for (int i = 0; i < members; i++) {
                ofSide.add(isMixed ? MTUS[shape.nextInt(MTUS.length)] : payloadBytes);
            }
            return List.copyOf(ofSide);
        });
        final long startNs = shape.nextInt(4) == 0 ? startOfTime(shape.nextLong(1L << 60)) : 0;
        return new Network(
                startNs, Draws.logUniform(shape, 300, 30_000), shape.nextInt(3) == 0 ? 0 : shape.nextInt(500, 12_500),
                mtuBytes);
    }

    /** Anywhere, or so that the clock wraps while the scenario runs: every other one. */
    private static long startOfTime(final long drawn) {
        return (drawn & 1) == 0 ? drawn : Long.MAX_VALUE - (drawn >>> 1) % MOST_BEFORE_WRAP_NS;
    }

    private PerSide<Integer> drawSharedReceives() {
        return PerSide.each(side -> Draws.percent(manners, 25) ? 1 << manners.nextInt(6) : 0);
    }

    private DatagramQps drawDatagrams() {
        final PerSide<Integer> count = PerSide.each(side -> manners.nextInt(1, DatagramQps.MOST + 1));
        final int depth = manners.nextInt(2, 17);
        return isBond && Draws.percent(manners, 40) ? new DatagramQps(count, depth) : DatagramQps.NONE;
    }

    private static FaultScope scope(final Scenario of, final int packets) {
        final long recoveryNs = of.isBond() ? of.recoveryTimeoutNs() : SOFT_RECOVERY_TIMEOUT_NS;
        return new FaultScope(
                of.isBond(), of.isConfirming(), members(of.network()), of.qps().size(), packets,
                recoveryNs / OUTAGES_IN_RECOVERY_TIMEOUT);
    }
}
