package io.vhca.harness.sim;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.PacketKind;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.harness.sim.fault.kind.AckLost;
import io.vhca.harness.sim.fault.kind.CmMessageLost;
import io.vhca.harness.sim.fault.kind.RequestLost;
import io.vhca.harness.sim.scenario.Network;
import io.vhca.harness.sim.scenario.OpMix;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.ScenarioDraw;
import io.vhca.harness.sim.scenario.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A small space that is enumerated and not sampled: windows of 1 .. {@value #MAX_WINDOW} mixed operations posted as one
 * chain, all signaled or the last alone. The ACK (or the READ response) at each index is lost, once or from then on,
 * alone and together with each of the first REPs.
 *
 * <p>One loss is fatal to the physical queue pair, which has no retry; losses from then on are those of a member whose
 * transmitter is dead. Both make the bond fail over with every possible part of the window acknowledged.
 */
final class AckLossSpace {
    /** All kinds of operations, and the first of them again. */
    private static final int MAX_WINDOW = 6;
    private static final int LOST_REPS = 4;
    private static final int MTU = 256;
    private static final int REGION = 2_048;
    private static final int EVERY_PACKET = 1 << 20;
    private static final int ACK_TIMEOUT = 8;
    private static final Network NETWORK = new Network(0, 1_000, 0, PerSide.both(List.of(MTU, MTU)));
    private static final Members RECEIVER = Members.one(Side.RIGHT, 0);
    private static final Fault REP_LOST = new CmMessageLost(PacketKind.CM_REP);
    private static final WrOpcode[] CYCLE = {
        WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM
    };
    /** What is lost of what the receiver sends back. */
    private enum Loss {
        ONE_ACK(new AckLost(RECEIVER), 1, 0),
        ACKS(new AckLost(RECEIVER), EVERY_PACKET, 1),
        RESPONSES(new RequestLost(RECEIVER), EVERY_PACKET, 1);

        private final Fault fault;
        private final int packets;
        private final int retryCnt;

        Loss(final Fault fault, final int packets, final int retryCnt) {
            this.fault = fault;
            this.packets = packets;
            this.retryCnt = retryCnt;
        }
    }

    private AckLossSpace() {}

    /** Hands every scenario of the space to the consumer. Returns how many there are. */
    static int forEach(final Consumer<Scenario> consumer) {
        int number = 0;
        for (int window = 1; window <= MAX_WINDOW; window++) {
            for (int first = 0; first < CYCLE.length; first++) {
                for (int index = 0; index < window; index++) {
                    for (final Loss loss : Loss.values()) {
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
            final int number, final int window, final int first, final int index, final Loss loss, final int rep,
            final boolean isEachSignaled) {
        final List<TimedFault> faults = new ArrayList<>(2);
        faults.add(new TimedFault(loss.fault, new Timing.Packets(index, loss.packets)));
        if (rep < LOST_REPS) {
            faults.add(new TimedFault(REP_LOST, new Timing.Packets(rep, 1)));
        }
        final OpPlan plan = plan(number, window, first, isEachSignaled);
        final OpPlan none = new OpPlan(Content.key(number, 1), 0, REGION);
        final QpScenario qp = new QpScenario(MAX_WINDOW, MAX_WINDOW, 0, 1, false, List.of(plan, none));
        return ScenarioDraw.around(number, NETWORK, new Transport(ACK_TIMEOUT, loss.retryCnt), List.of(qp), faults);
    }

    private static OpPlan plan(final int number, final int window, final int first, final boolean isEachSignaled) {
        final OpPlan plan = new OpPlan(Content.key(number, 0), window, REGION);
        for (int op = 0; op < window; op++) {
            final WrOpcode opcode = CYCLE[(first + op) % CYCLE.length];
            final int length = 1 + op * 97 % (2 * MTU);
            final boolean isSignaled = isEachSignaled || op == window - 1;
            final int offset = OpMix.addressesRegion(opcode) ? op * 64 : 0;
            // Solicited, for a receiver that lets nothing else wake it.
            final int flags = SendFlags.SOLICITED | (isSignaled ? SendFlags.SIGNALED : 0);
            plan.add(opcode, length, offset, flags, 1, window - op);
        }
        return plan;
    }
}
