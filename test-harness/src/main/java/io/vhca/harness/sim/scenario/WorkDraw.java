package io.vhca.harness.sim.scenario;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the work of a scenario: its connections, and what both sides send over each. */
final class WorkDraw {
    /** Of all connections together. */
    private static final int MOST_OPERATIONS = 160;

    private final long seed;
    private final SplittableRandom random;
    private final int payloadBytes;
    private final boolean isSolicited;

    /**
     * @param payloadBytes of a packet, as far as lengths follow from it
     * @param isSolicited  every operation asks for a solicited event
     */
    WorkDraw(final long seed, final SplittableRandom random, final int payloadBytes, final boolean isSolicited) {
        this.seed = seed;
        this.random = random;
        this.payloadBytes = payloadBytes;
        this.isSolicited = isSolicited;
    }

    List<QpScenario> draw(final int qpCount) {
        final List<QpScenario> qps = new ArrayList<>(qpCount);
        for (int i = 0; i < qpCount; i++) {
            qps.add(drawQp(i, MOST_OPERATIONS / qpCount / 2));
        }
        return List.copyOf(qps);
    }

    /** About how many packets the operations make, ACKs included. */
    int packets(final List<QpScenario> qps) {
        int packets = 0;
        for (final QpScenario qp : qps) {
            for (final OpPlan plan : qp.plans()) {
                for (int op = 0; op < plan.count(); op++) {
                    packets += plan.lengthBytes(op) / payloadBytes + 2;
                }
            }
        }
        return packets;
    }

    /** What the requests of one connection have to fit. */
    private record Limits(int most, int sendDepth, int maxInline, int maxSge, int regionBytes) {}

    private QpScenario drawQp(final int index, final int mostOfSide) {
        final int sendDepth = random.nextInt(1, 33);
        final int recvDepth = random.nextInt(1, 33);
        final int maxInline = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 65);
        final int maxSge = random.nextInt(1, 4);
        final boolean isSignalAll = random.nextInt(4) == 0;
        final int regionBytes = Math.max(1, random.nextInt(4) * payloadBytes + random.nextInt(64, 1024));
        final Limits limits = new Limits(mostOfSide, sendDepth, maxInline, maxSge, regionBytes);
        final List<OpPlan> plans =
                List.of(drawPlan(index, Side.LEFT, limits), drawPlan(index, Side.RIGHT, limits));
        return new QpScenario(sendDepth, recvDepth, maxInline, maxSge, isSignalAll, plans);
    }

    /** In one connection of five the right side sends nothing. */
    private OpPlan drawPlan(final int qpIndex, final Side sender, final Limits limits) {
        final boolean isNone = random.nextInt(5) == 0 && sender == Side.RIGHT;
        final int count = isNone ? 0 : random.nextInt(1, limits.most + 1);
        final OpMix mix = OpMix.draw(random);
        final OpLengths lengths = OpLengths.draw(random);
        final int signaledPercent = random.nextInt(3) == 0 ? 100 : random.nextInt(101);
        final int maxChain = random.nextInt(1, 9);
        final OpPlan plan = new OpPlan(
                Content.key(seed, 2L * qpIndex + sender.ordinal()), count, limits.regionBytes, qpIndex);
        final int mustSignalEvery =
                random.nextInt(4) == 0 ? limits.sendDepth : Math.max(1, limits.sendDepth / 2);
        final SplittableRandom ops = random.split();
        int unsignaled = 0;
        for (int op = 0; op < count; op++) {
            final WrOpcode opcode = mix.opcode(ops);
            final boolean isOneSided = OpMix.addressesRegion(opcode);
            int length = lengths.draw(ops, payloadBytes);
            length = OpMix.isAtomic(opcode) ? Long.BYTES : isOneSided ? Math.min(length, limits.regionBytes) : length;
            final int offset = isOneSided ? ops.nextInt(limits.regionBytes - length + 1)
                    : opcode == WrOpcode.ATOMIC_FETCH_AND_ADD ? ops.nextInt(2) : 0;
            final boolean isSignaled = ops.nextInt(100) < signaledPercent;
            unsignaled = isSignaled ? 0 : unsignaled + 1;
            final boolean isForced = unsignaled >= mustSignalEvery || op == count - 1;
            unsignaled = isForced ? 0 : unsignaled;
            final int flags = OpMix.flags(ops, opcode, isSignaled || isForced, length <= limits.maxInline)
                    | (isSolicited ? SendFlags.SOLICITED : 0);
            plan.add(opcode, length, offset, flags, ops.nextInt(1, limits.maxSge + 1), ops.nextInt(1, maxChain + 1));
        }
        return plan;
    }
}
