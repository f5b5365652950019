package io.vhca.harness.sim;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a scenario from a seed. Each part has a stream of its own, so that leaving out faults or operations does not
 * change the others.
 */
final class ScenarioDraw {
    private static final long MOST_BEFORE_WRAP_NS = 100_000_000;
    static final int[] MTUS = {256, 256, 512, 1024, 2048};

    private final SimOptions options;
    private final long seed;
    private final SplittableRandom shape;
    private final SplittableRandom work;
    private final SplittableRandom chance;

    private ScenarioDraw(final long seed, final SimOptions options) {
        this.seed = seed;
        this.options = options;
        final SplittableRandom root = new SplittableRandom(seed);
        shape = root.split();
        work = root.split();
        chance = root.split();
    }

    static Scenario draw(final long seed, final SimOptions options) {
        return new ScenarioDraw(seed, options).draw();
    }

    /** A stream for what happens during the run, one for each purpose. */
    static SplittableRandom stream(final long seed, final int purpose) {
        return new SplittableRandom(Content.key(seed, 1_000 + purpose));
    }

    private Scenario draw() {
        final boolean isBond = !options.isSoftOnly();
        final int leftMembers = isBond ? shape.nextInt(2, 4) : 1;
        final int rightMembers = isBond ? shape.nextInt(2, 4) : 1;
        final int mtuBytes = MTUS[shape.nextInt(MTUS.length)];
        final long latencyNs = logUniform(shape, 300, 30_000);
        final int bytesPerUs = shape.nextInt(3) == 0 ? 0 : shape.nextInt(500, 12_500);
        final long startNs = shape.nextInt(4) == 0 ? startOfTime(shape.nextLong(1L << 60)) : 0;
        final int ackTimeout = shape.nextInt(8, 12);
        final int retryCnt = isBond ? shape.nextInt(1, 8) : 7;
        final long recoveryTimeoutNs = shape.nextLong(1_000_000_000L, 4_000_000_000L);
        final long maxPollNs = logUniform(shape, 500, 50_000);
        final boolean isSharedCq = shape.nextBoolean();
        final int qpCount = Math.min(options.maxQps(), Math.max(1, shape.nextInt(-2, 5)));
        final List<QpScenario> qps = new ArrayList<>(qpCount);
        for (int i = 0; i < qpCount; i++) {
            qps.add(drawQp(i, qpCount, mtuBytes));
        }
        final List<Fault> faults = new FaultDraw(
                        chance, isBond, isBond && Scenario.confirms(seed), new int[] {leftMembers, rightMembers},
                        packets(qps, mtuBytes), qpCount, recoveryTimeoutNs)
                .draw();
        final List<Fault> kept = new ArrayList<>(faults.size());
        for (int i = 0; i < faults.size(); i++) {
            if ((options.faultMask() >>> i & 1) != 0) {
                kept.add(faults.get(i));
            }
        }
        return new Scenario(
                seed, isBond, leftMembers, rightMembers, mtuBytes, latencyNs, bytesPerUs, startNs, ackTimeout, retryCnt,
                recoveryTimeoutNs, maxPollNs, isSharedCq, isBond && Scenario.hasDatagrams(seed),
                isBond && Scenario.hasMixedMtus(seed),
                FaultDraw.mustSurvive(kept, isBond, isBond && Scenario.confirms(seed))
                        && (!isBond || Scenario.mayReplayWrites(seed))
                        && !(isBond && Scenario.atomics(seed) == AtomicsMode.NATIVE && hasAtomics(qps)),
                List.copyOf(qps),
                List.copyOf(kept));
    }

    static boolean hasAtomics(final List<QpScenario> qps) {
        return qps.stream().flatMap(qp -> qp.plans().stream()).anyMatch(plan -> plan.atomics().isUsed());
    }

    /** Anywhere, or so that the clock wraps while the scenario runs: every other one. */
    private static long startOfTime(final long drawn) {
        return (drawn & 1) == 0 ? drawn : Long.MAX_VALUE - (drawn >>> 1) % MOST_BEFORE_WRAP_NS;
    }

    private QpScenario drawQp(final int index, final int qpCount, final int mtuBytes) {
        final int sendDepth = work.nextInt(1, 33);
        final int recvDepth = work.nextInt(1, 33);
        final int maxInline = work.nextInt(3) == 0 ? 0 : work.nextInt(1, 65);
        final int maxSge = work.nextInt(1, 4);
        final boolean isSignalAll = work.nextInt(4) == 0;
        final int regionBytes = Math.max(1, work.nextInt(4) * mtuBytes + work.nextInt(64, 1024));
        final int budget = 160 / qpCount;
        final List<OpPlan> plans = List.of(
                drawPlan(index * 2, budget, mtuBytes, regionBytes, sendDepth, maxInline, maxSge),
                drawPlan(index * 2 + 1, budget, mtuBytes, regionBytes, sendDepth, maxInline, maxSge));
        return new QpScenario(sendDepth, recvDepth, maxInline, maxSge, isSignalAll, plans);
    }

    private OpPlan drawPlan(
            final int number, final int budget, final int mtuBytes, final int regionBytes, final int sendDepth,
            final int maxInline, final int maxSge) {
        final int count = work.nextInt(5) == 0 && (number & 1) == 1 ? 0 : work.nextInt(1, budget / 2 + 1);
        final int mix = work.nextInt(OpMix.mixes());
        final int sizes = work.nextInt(4);
        final int signaledPercent = work.nextInt(3) == 0 ? 100 : work.nextInt(101);
        final int maxChain = work.nextInt(1, 9);
        final OpPlan plan = new OpPlan(Content.key(seed, number), count, regionBytes, number >> 1);
        final int mustSignalEvery = work.nextInt(4) == 0 ? sendDepth : Math.max(1, sendDepth / 2);
        final SplittableRandom ops = work.split();
        int unsignaled = 0;
        final int kept = Math.min(count, options.maxOps());
        for (int op = 0; op < kept; op++) {
            final var opcode = OpMix.opcode(ops, mix);
            final boolean isOneSided = OpMix.addressesRegion(opcode);
            int length = OpMix.length(ops, sizes, mtuBytes);
            length = OpMix.isAtomic(opcode) ? Long.BYTES : isOneSided ? Math.min(length, regionBytes) : length;
            final int offset = isOneSided ? ops.nextInt(regionBytes - length + 1)
                    : opcode == WrOpcode.ATOMIC_FETCH_AND_ADD ? ops.nextInt(2) : 0;
            final boolean isSignaled = ops.nextInt(100) < signaledPercent;
            unsignaled = isSignaled ? 0 : unsignaled + 1;
            final boolean isForced = unsignaled >= mustSignalEvery || op == kept - 1;
            unsignaled = isForced ? 0 : unsignaled;
            final int flags = OpMix.flags(ops, opcode, isSignaled || isForced, length <= maxInline)
                    | (Scenario.isSolicited(seed) ? SendFlags.SOLICITED : 0);
            plan.add(opcode, length, offset, flags, ops.nextInt(1, maxSge + 1), ops.nextInt(1, maxChain + 1));
        }
        return plan;
    }

    /** About how many packets the operations make, ACKs included. */
    private static int packets(final List<QpScenario> qps, final int mtuBytes) {
        int packets = 0;
        for (final QpScenario qp : qps) {
            for (final OpPlan plan : qp.plans()) {
                for (int op = 0; op < plan.count(); op++) {
                    packets += plan.lengthBytes(op) / mtuBytes + 2;
                }
            }
        }
        return packets;
    }

    /** Between two bounds, each order of magnitude as likely as the next. */
    static long logUniform(final SplittableRandom random, final long low, final long high) {
        return (long) (low * Math.pow((double) high / low, random.nextDouble()));
    }
}
