package io.vhca.harness.sim.check;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directions of every connection, shared by both ends. A new attempt to connect begins with new ones, since no
 * data has passed before.
 */
public final class Directions {
    private final Scenario scenario;
    private final Violations violations;
    private final boolean isMemoryWatched;
    private final PeerMemory[][] memories;
    private final PeerMemory.Word[] words = {PeerMemory.Word.NONE, PeerMemory.Word.NONE};
    private final @Nullable OwnMistake mistake;
    private final List<EarlyEnd> ends;
    private final int[] attempts;
    private final int[] livesOver;
    private final Direction[][] current;
    /** Of lives that are over. */
    private long succeededBefore;

    /** @param isMemoryWatched false where the contract does not cover WRITE and READ */
    public Directions(final Scenario scenario, final Violations violations, final boolean isMemoryWatched) {
        this.scenario = scenario;
        this.violations = violations;
        this.isMemoryWatched = isMemoryWatched;
        final int qpCount = scenario.qps().size();
        memories = new PeerMemory[2][qpCount];
        for (final PeerMemory[] ofSide : memories) {
            Arrays.fill(ofSide, PeerMemory.NONE);
        }
        mistake = OwnMistake.of(scenario);
        ends = EarlyEnd.of(scenario);
        attempts = new int[qpCount];
        livesOver = new int[qpCount];
        current = new Direction[qpCount][2];
        for (int i = 0; i < qpCount; i++) {
            begin(i, 0);
        }
    }

    /** Where a side's memory for a connection lies. */
    public void memory(final Side side, final int qpIndex, final PeerMemory memory) {
        memories[side.ordinal()][qpIndex] = memory;
        begin(qpIndex, attempts[qpIndex]);
    }

    /** Where the word of a side is that atomics of all connections to it share. */
    public void commonWord(final Side side, final PeerMemory.Word word) {
        words[side.ordinal()] = word;
    }

    /** The same, for a side that had no room to say so. */
    public PeerMemory.Word commonWord(final Side side) {
        return words[side.ordinal()];
    }

    /** Makes sure that the directions are those of that attempt. */
    public void attempt(final int qpIndex, final int attempt) {
        if (attempts[qpIndex] != attempt) {
            begin(qpIndex, attempt);
        }
    }

    /** True when the side that connects has begun a later attempt. */
    public boolean isOver(final int qpIndex, final int attempt) {
        return attempt < attempts[qpIndex];
    }

    /** The direction in which a side sends. */
    public Direction of(final int qpIndex, final Side sender) {
        return current[qpIndex][sender.ordinal()];
    }

    /** Who ends the connection by a mistake of its own in its present life; null for nobody. */
    public @Nullable Side mistakenSide(final int qpIndex) {
        for (final Side side : Side.BOTH) {
            if (of(qpIndex, side).mistake() != null) {
                return side;
            }
        }
        return null;
    }

    /** How an application ends the connection under traffic in its present life; null where none does. */
    public @Nullable EarlyEnd earlyEnd(final int qpIndex) {
        return current[qpIndex][0].earlyEnd();
    }

    /** That is done now. */
    public void endEarly(final int qpIndex) {
        for (final Direction direction : current[qpIndex]) {
            direction.endEarly();
        }
    }

    /** True when both ends have polled all that the other one knows to be there. */
    public boolean arePolled(final int qpIndex) {
        return current[qpIndex][0].isPolled() && current[qpIndex][1].isPolled();
    }

    /** Operations that completed with success. */
    public long succeeded() {
        long operations = succeededBefore;
        for (final Direction[] ofQp : current) {
            operations += ofQp[0].sends().succeeded() + ofQp[1].sends().succeeded();
        }
        return operations;
    }

    /**
     * The checks of a connection that need a quiet network.
     *
     * @param mustBeWhole nothing may be missing
     * @param isWatched   both processes live, and could poll all they got
     */
    public void checkAtEnd(final int qpIndex, final boolean mustBeWhole, final boolean isWatched) {
        for (final Direction direction : current[qpIndex]) {
            direction.checkAtEnd(mustBeWhole, isWatched);
        }
    }

    /** A connection has done its work, or was ended, and will do it once more: checks it like at the end. */
    public void endLife(final int qpIndex, final boolean mustBeWhole, final boolean isWatched) {
        checkAtEnd(qpIndex, mustBeWhole, isWatched);
        livesOver[qpIndex]++;
        for (final Direction direction : current[qpIndex]) {
            succeededBefore += direction.sends().succeeded();
        }
    }

    private void begin(final int qpIndex, final int attempt) {
        attempts[qpIndex] = attempt;
        final QpScenario qp = scenario.qps().get(qpIndex);
        for (int i = 0; i < 2; i++) {
            final Side sender = Side.of(i);
            final PeerMemory peer = memories[sender.other().ordinal()][qpIndex];
            final OpPlan plan = attempt == 0 ? qp.plan(sender) : qp.plan(sender).again(attempt);
            current[qpIndex][i] = new Direction(
                    plan, sender, qpIndex, scenario,
                    mistake != null && mistake.isOf(qpIndex, sender, livesOver[qpIndex]) ? mistake : null,
                    EarlyEnd.of(ends, qpIndex, livesOver[qpIndex]), peer, violations, isMemoryWatched);
            if (peer != PeerMemory.NONE) {
                current[qpIndex][i].initialise();
            }
        }
    }
}
