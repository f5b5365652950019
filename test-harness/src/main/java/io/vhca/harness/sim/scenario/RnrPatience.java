package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import java.util.SplittableRandom;

/**
 * How often one end of a connection repeats a request for a receiver that is not ready, and how long it lets its own
 * peer wait for that. Where the retries are few, who sends posts no message before its receive is posted, and so none
 * of them may be needed. Drawn from a stream of its own.
 *
 * @param retries   rnr_retry
 * @param isOfOwnId this end's own id is told, while the peer says something else; else it is for the peer to say
 * @param timer     min_rnr_timer; -1 for any
 */
public record RnrPatience(int retries, boolean isOfOwnId, int timer) {
    private static final int FIRST_STREAM = 90;
    private static final int ENDLESS = 7;
    private static final int TIMERS = 32;

    /** That of one end. */
    public static RnrPatience of(final Scenario scenario, final int qp, final Side side) {
        final SplittableRandom random = Draws.stream(scenario.seed(), FIRST_STREAM + 2 * qp + side.ordinal());
        final int retries = random.nextBoolean() ? 0 : random.nextInt(ENDLESS + 1);
        final boolean isOfOwnId = random.nextBoolean();
        final int timer = random.nextInt(TIMERS);
        final boolean isFew = isFew(scenario, side);
        return new RnrPatience(
                isFew ? retries : ENDLESS, isFew && isOfOwnId, isFew(scenario, side.other()) ? timer : -1);
    }

    /**
     * Whether who sends there waits for receives, and needs few retries therefore. An SRQ may be empty for a while, and
     * of a process that dies nobody says that it posts no more receives.
     */
    public static boolean isFew(final Scenario scenario, final Side sender) {
        return scenario.has(Trait.FEW_RNR_RETRIES)
                && scenario.sharedReceives().of(sender.other()) == 0
                && !scenario.has(Damage.PROCESS);
    }

    /** What the peer says: it counts where the end's own id says nothing. */
    public int saidByPeer() {
        return isOfOwnId ? ENDLESS - retries : retries;
    }
}
