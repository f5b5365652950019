package io.vhca.harness.sim;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A small space that is enumerated and not sampled: windows of 1 .. {@value #MAX_WINDOW} mixed operations posted as one
 * chain, all signaled or the last alone, with the ACK (or the READ response) at each index lost, once or from then on,
 * alone and together with each of the first REPs.
 *
 * <p>A loss once is fatal to the physical queue pair, which has no retry; a loss from then on is that of its member's
 * transmitter. Both make the bond fail over with every possible part of the window acknowledged.
 */
final class AckLossSpace {
    private static final int MAX_WINDOW = 8;
    private static final int LOST_REPS = 4;
    private static final int MTU = 256;
    private static final int REGION = 2_048;
    private static final int EVERY_PACKET = 1 << 20;
    private static final long RECOVERY_TIMEOUT_NS = 2_000_000_000L;
    private static final WrOpcode[] CYCLE = {
        WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM
    };
    private static final FaultKind[] LOSSES = {FaultKind.LOSE_ACK, FaultKind.LOSE_ACK, FaultKind.LOSE_REQUEST};

    private AckLossSpace() {}

    /** Hands every scenario of the space to the consumer. Returns how many there are. */
    static int forEach(final Consumer<Scenario> consumer) {
        int number = 0;
        for (int window = 1; window <= MAX_WINDOW; window++) {
            for (int first = 0; first < CYCLE.length; first++) {
                for (int index = 0; index < window; index++) {
                    for (int loss = 0; loss < LOSSES.length; loss++) {
                        for (int rep = 0; rep <= LOST_REPS; rep++) {
                            consumer.accept(scenario(number++, window, first, index, loss, rep, true));
                            consumer.accept(scenario(number++, window, first, index, loss, rep, false));
                        }
                    }
                }
            }
        }
        return number;
    }

    private static Scenario scenario(
            final int number, final int window, final int first, final int index, final int loss, final int rep,
            final boolean isEachSignaled) {
        final boolean isOnce = loss == 0;
        final List<Fault> faults = new ArrayList<>(2);
        faults.add(new Fault(LOSSES[loss], index, Side.RIGHT.ordinal(), 0, 0, 0, isOnce ? 1 : EVERY_PACKET));
        if (rep < LOST_REPS) {
            faults.add(new Fault(FaultKind.LOSE_CM_REP, rep, 0, -1, 0, 0, 1));
        }
        final OpPlan plan = plan(number, window, first, isEachSignaled);
        final OpPlan none = new OpPlan(Content.key(number, 1), 0, REGION);
        final QpScenario qp = new QpScenario(MAX_WINDOW, MAX_WINDOW, 0, 1, false, List.of(plan, none));
        return new Scenario(
                number, true, 2, 2, MTU, 1_000, 0, 0, 8, isOnce ? 0 : 1, RECOVERY_TIMEOUT_NS, 2_000, true, false, false,
                true, List.of(qp),
                List.copyOf(faults));
    }

    private static OpPlan plan(final int number, final int window, final int first, final boolean isEachSignaled) {
        final OpPlan plan = new OpPlan(Content.key(number, 0), window, REGION);
        for (int op = 0; op < window; op++) {
            final WrOpcode opcode = CYCLE[(first + op) % CYCLE.length];
            final int length = 1 + op * 97 % (2 * MTU);
            final boolean isSignaled = isEachSignaled || op == window - 1;
            final int offset = OpMix.addressesRegion(opcode) ? op * 64 : 0;
            plan.add(opcode, length, offset, isSignaled ? SendFlags.SIGNALED : 0, 1, window - op);
        }
        return plan;
    }
}
