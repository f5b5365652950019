package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Side;
import java.util.List;

/**
 * One connection of a scenario.
 *
 * @param sendDepth   sends that the application keeps outstanding at most
 * @param recvDepth   receives that it keeps posted at most
 * @param maxInline   bytes of inline data asked for
 * @param maxSge      elements a request
 * @param isSignalAll every send is signaled
 * @param plans       what each side sends, left first
 */
public record QpScenario(
        int sendDepth, int recvDepth, int maxInline, int maxSge, boolean isSignalAll, List<OpPlan> plans) {
    public OpPlan plan(final Side sender) {
        return plans.get(sender.ordinal());
    }

    /** The same with the first operations of each side alone. */
    public QpScenario first(final int most) {
        return new QpScenario(
                sendDepth, recvDepth, maxInline, maxSge, isSignalAll,
                plans.stream().map(plan -> plan.first(most)).toList());
    }

    /** Bytes of the largest message of either side. */
    public int maxMessageBytes() {
        return Math.max(1, Math.max(plans.get(0).maxLengthBytes(), plans.get(1).maxLengthBytes()));
    }

    @Override
    public String toString() {
        return plans.get(0).count() + " operations left to right, " + plans.get(1).count() + " right to left, window "
                + sendDepth + ", receives " + recvDepth + ", inline " + maxInline + ", sge " + maxSge
                + ", messages up to "
                + maxMessageBytes() + " bytes" + (isSignalAll ? ", all signaled" : "");
    }
}
