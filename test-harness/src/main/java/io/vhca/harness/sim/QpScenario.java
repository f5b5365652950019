package io.vhca.harness.sim;

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
record QpScenario(int sendDepth, int recvDepth, int maxInline, int maxSge, boolean isSignalAll, List<OpPlan> plans) {
    OpPlan plan(final Side sender) {
        return plans.get(sender.ordinal());
    }

    /** Bytes of the largest message of either side. */
    int maxMessageBytes() {
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
