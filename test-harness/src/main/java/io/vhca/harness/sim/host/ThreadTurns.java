package io.vhca.harness.sim.host;

import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.fault.TurnRule;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * When one thread of a host gets its turns: whenever somebody has a turn, and while it is starved when its rules say
 * so. What happens while it waits wakes it up as soon as it may run.
 *
 * <pre>
 *   FREE -- a rule says wait --> HELD -- something happens --> HELD, WANTED -- its time is over --> FREE
 * </pre>
 */
public final class ThreadTurns {
    private final SplittableRandom random;
    private final List<Starved> rules = new ArrayList<>(0);
    private boolean isHeld;
    private boolean isWanted;
    private long untilNs;

    /** A rule, and since when it holds. */
    private static final class Starved {
        private final TurnRule rule;
        private long beganNs;
        private boolean hasBegun;

        Starved(final TurnRule rule) {
            this.rule = rule;
        }

        long sinceBeginNs(final long nowNs) {
            if (!hasBegun) {
                hasBegun = true;
                beganNs = nowNs;
            }
            return nowNs - beganNs;
        }
    }

    ThreadTurns(final SplittableRandom random) {
        this.random = random;
    }

    void starve(final TurnRule rule) {
        rules.add(new Starved(rule));
    }

    void feed(final TurnRule rule) {
        rules.removeIf(one -> one.rule == rule);
        isHeld = false;
    }

    /** True when the thread may have a turn now. Something has happened that it might want one for. */
    public boolean mayRun(final long nowNs) {
        if (rules.isEmpty()) {
            return true;
        }
        for (final Starved one : rules) {
            hold(nowNs, one.rule.stopNs(one.sinceBeginNs(nowNs)));
        }
        isHeld &= untilNs - nowNs > 0;
        isWanted = isHeld;
        return !isHeld;
    }

    /** The thread had a turn. */
    public void ran(final long nowNs) {
        for (final Starved one : rules) {
            hold(nowNs, one.rule.pauseNs(random));
        }
    }

    private void hold(final long nowNs, final long forNs) {
        if (forNs > 0 && (!isHeld || nowNs + forNs - untilNs > 0)) {
            isHeld = true;
            untilNs = nowNs + forNs;
        }
    }

    /** When the thread runs next, of when it wants to by itself; {@link Deadlines#NONE} for never. */
    public long deadlineNs(final long ownNs) {
        if (!isHeld) {
            return ownNs;
        }
        if (isWanted) {
            return untilNs;
        }
        return ownNs == Deadlines.NONE || ownNs - untilNs > 0 ? ownNs : untilNs;
    }
}
