package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An application ends a connection in the middle of its traffic, often in the middle of a recovery. Drawn from a stream
 * of its own.
 *
 * @param qp           which connection
 * @param side         who ends it
 * @param life         in which life of the connection, 0 for the first
 * @param op           with so many operations of its own posted it is ready to
 * @param isInRecovery it waits for a recovery then, or for all to be done
 * @param delayNs      what passes after that
 * @param silenceNs    for how long its application polls nothing after it; 0 for not at all
 */
public record EarlyEnd(
        int qp, Side side, int life, int op, Kind kind, boolean isInRecovery, long delayNs, long silenceNs) {
    private static final int STREAM = 79;
    private static final int OTHERS_PERCENT = 33;
    private static final int SILENT_PERCENT = 25;
    private static final long LONGEST_IN_RECOVERY_NS = 2_000_000;

    /** How. */
    public enum Kind {
        /** It disconnects; what belongs to a connection without a connection manager is moved to ERR. */
        DISCONNECTED,
        /** It moves its queue pair to ERR. */
        MOVED_TO_ERR,
        /** It moves its queue pair to RESET. */
        MOVED_TO_RESET,
        /** It destroys its queue pair, and keeps the id. */
        DESTROYED,
        /** It closes the id, and the queue pair with it. */
        CLOSED;

        /** True where nothing completes any more. */
        public boolean isForgetful() {
            return this != DISCONNECTED && this != MOVED_TO_ERR;
        }

        /** True where the peer's bond hears no goodbye: it looks for the queue pair, and finds that it has failed. */
        public boolean isUnsaid() {
            return this == MOVED_TO_ERR || this == MOVED_TO_RESET;
        }
    }

    /** Those of a scenario, one a connection at most, and none of one that ends by a mistake. */
    public static List<EarlyEnd> of(final Scenario scenario) {
        if (!scenario.has(Trait.EARLY_END)) {
            return List.of();
        }
        final SplittableRandom random = Draws.stream(scenario.seed(), STREAM);
        final OwnMistake mistake = OwnMistake.of(scenario);
        final List<EarlyEnd> ends = new ArrayList<>();
        final int one = random.nextInt(scenario.qps().size());
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            final boolean isDrawn = Draws.percent(random, OTHERS_PERCENT);
            final EarlyEnd end = draw(random.split(), scenario, qp);
            if ((isDrawn || qp == one) && (mistake == null || mistake.qp() != qp)) {
                ends.add(end);
            }
        }
        return ends;
    }

    /**
     * Completions that were not polled are gone with their queue pair, as with hardware, and nobody can tell which
     * shared receives they were for: who shares receives moves the queue pair to ERR.
     */
    private static EarlyEnd draw(final SplittableRandom random, final Scenario scenario, final int qp) {
        final Side side = Side.of(random.nextInt(2));
        final int operations = scenario.qps().get(qp).plan(side).count();
        final Kind drawn = Kind.values()[random.nextInt(Kind.values().length)];
        final boolean isShared = scenario.sharedReceives().of(side) > 0;
        final Kind kind = drawn.isForgetful() && isShared ? Kind.MOVED_TO_ERR : drawn;
        final long budgetNs = scenario.transport().retryBudgetNs();
        final boolean isInRecovery = random.nextInt(4) != 0;
        final long mostNs = isInRecovery ? Math.min(LONGEST_IN_RECOVERY_NS, budgetNs) : budgetNs;
        final long delayNs = random.nextInt(3) == 0 ? 0 : Draws.logUniform(random, 100, mostNs);
        final int op = random.nextInt((isInRecovery ? operations / 4 : operations) + 1);
        final long silenceNs =
                Draws.percent(random, SILENT_PERCENT) ? random.nextLong(OwnMistake.MOST_BUDGETS * budgetNs) : 0;
        return new EarlyEnd(
                qp, side, random.nextInt(scenario.lives()), op, kind, isInRecovery, delayNs, silenceNs);
    }

    /** That of a connection in a life; null for none. */
    public static @Nullable EarlyEnd of(final List<EarlyEnd> ends, final int qp, final int life) {
        for (final EarlyEnd end : ends) {
            if (end.qp == qp && end.life == life) {
                return end;
            }
        }
        return null;
    }
}
