package io.vhca.harness.sim;

/**
 * The directions of every connection, shared by both ends. A new attempt to connect begins with new ones, since no
 * data has passed before.
 */
final class Directions {
    private final Scenario scenario;
    private final Violations violations;
    private final boolean isMemoryWatched;
    private final long[][] regionAddress;
    private final long[][] shadowAddress;
    private final int[] attempts;
    private final Direction[][] current;

    /** @param isMemoryWatched false where the contract does not cover WRITE and READ */
    Directions(final Scenario scenario, final Violations violations, final boolean isMemoryWatched) {
        this.scenario = scenario;
        this.violations = violations;
        this.isMemoryWatched = isMemoryWatched;
        final int qpCount = scenario.qps().size();
        regionAddress = new long[2][qpCount];
        shadowAddress = new long[2][qpCount];
        attempts = new int[qpCount];
        current = new Direction[qpCount][2];
        for (int i = 0; i < qpCount; i++) {
            begin(i, 0);
        }
    }

    /** Where a side's memory for a connection lies, and memory of twice its size for the checkers. */
    void region(final Side side, final int qpIndex, final long address, final long shadow) {
        regionAddress[side.ordinal()][qpIndex] = address;
        shadowAddress[side.ordinal()][qpIndex] = shadow;
        begin(qpIndex, attempts[qpIndex]);
    }

    /** Makes sure that the directions are those of that attempt. */
    void attempt(final int qpIndex, final int attempt) {
        if (attempts[qpIndex] != attempt) {
            begin(qpIndex, attempt);
        }
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
            final int receiver = sender.other().ordinal();
            current[qpIndex][i] = new Direction(
                    qp.plan(sender), sender, qpIndex, qp.isSignalAll(), regionAddress[receiver][qpIndex],
                    shadowAddress[receiver][qpIndex], violations, isMemoryWatched);
            if (regionAddress[receiver][qpIndex] != 0) {
                current[qpIndex][i].memory().initialise();
            }
        }
    }
}
