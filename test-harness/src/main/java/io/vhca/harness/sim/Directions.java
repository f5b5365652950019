package io.vhca.harness.sim;

import java.util.Arrays;

/**
 * The directions of every connection, shared by both ends. A new attempt to connect begins with new ones, since no
 * data has passed before.
 */
final class Directions {
    private final Scenario scenario;
    private final Violations violations;
    private final boolean isMemoryWatched;
    private final PeerMemory[][] memories;
    private final int[] attempts;
    private final Direction[][] current;

    /** @param isMemoryWatched false where the contract does not cover WRITE and READ */
    Directions(final Scenario scenario, final Violations violations, final boolean isMemoryWatched) {
        this.scenario = scenario;
        this.violations = violations;
        this.isMemoryWatched = isMemoryWatched;
        final int qpCount = scenario.qps().size();
        memories = new PeerMemory[2][qpCount];
        for (final PeerMemory[] ofSide : memories) {
            Arrays.fill(ofSide, PeerMemory.NONE);
        }
        attempts = new int[qpCount];
        current = new Direction[qpCount][2];
        for (int i = 0; i < qpCount; i++) {
            begin(i, 0);
        }
    }

    /** Where a side's memory for a connection lies. */
    void memory(final Side side, final int qpIndex, final PeerMemory memory) {
        memories[side.ordinal()][qpIndex] = memory;
        begin(qpIndex, attempts[qpIndex]);
    }

    /** Makes sure that the directions are those of that attempt. */
    void attempt(final int qpIndex, final int attempt) {
        if (attempts[qpIndex] != attempt) {
            begin(qpIndex, attempt);
        }
    }

    /** True when the side that connects has begun a later attempt. */
    boolean isOver(final int qpIndex, final int attempt) {
        return attempt < attempts[qpIndex];
    }

    /** The direction in which a side sends. */
    Direction of(final int qpIndex, final Side sender) {
        return current[qpIndex][sender.ordinal()];
    }

    private void begin(final int qpIndex, final int attempt) {
        attempts[qpIndex] = attempt;
        final QpScenario qp = scenario.qps().get(qpIndex);
        for (int i = 0; i < 2; i++) {
            final Side sender = Side.of(i);
            final PeerMemory peer = memories[sender.other().ordinal()][qpIndex];
            current[qpIndex][i] = new Direction(
                    qp.plan(sender), sender, qpIndex, qp.isSignalAll(), scenario.atomics(), peer, violations,
                    isMemoryWatched);
            if (peer != PeerMemory.NONE) {
                current[qpIndex][i].memory().initialise();
                current[qpIndex][i].atomics().initialise();
            }
        }
    }
}
