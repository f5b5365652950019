package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.core.TurnClock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks by echoes over a path on which requests do not complete, and over another one at the same times. The path is
 * dead when two questions are answered over the other one, and none over it within as long again: a datagram may be
 * lost. Both go through the same threads at both ends: a host that has no turn is late with both, which says nothing.
 * Where echoes have no verdict, another inquiry is begun in their place. Control lock.
 */
final class EchoInquiry implements Inquiry {
    private static final int QUESTIONS = 4;
    /** So many are asked within the least time that an answer is waited for. */
    private static final int QUESTIONS_IN_LEAST = 4;
    /** So many answers over the other path say that the peer has its turns. */
    private static final int ENOUGH = 2;
    /** An answer may take so many times what is usual on its path. */
    private static final int USUAL_TRIPS = 2;
    /** So many times as long as an answer may take, the peer may be silent on both paths. */
    private static final int SILENCE = 4;

    private final BondCore core;
    private final PathEcho suspect;
    private final PathEcho other;
    private final Supplier<Inquiry> otherwise;
    /** How long an answer is waited for at least, once those over the other path are there. */
    private final long leastNs;

    /** Of the time between two looks as much counts as an answer takes: what came may be as late as the look. */
    private final TurnClock time;

    private final long beganNs;
    private int asked;
    private int answers;
    private boolean carries;
    private long nextNs;
    private long verdictNs;
    private @Nullable Inquiry instead;

    /**
     * Asks for the first time.
     *
     * @param leastNs   how long an answer is waited for at least
     * @param otherwise begins another inquiry
     */
    EchoInquiry(
            final BondCore core, final PathEcho suspect, final PathEcho other, final long leastNs,
            final Supplier<Inquiry> otherwise, final long nowNs) {
        this.core = core;
        this.suspect = suspect;
        this.other = other;
        this.otherwise = otherwise;
        this.leastNs = leastNs;
        time = new TurnClock(Math.max(1, Math.max(leastNs, other.usualNs())));
        beganNs = time.turn(nowNs);
        verdictNs = beganNs + SILENCE * Math.max(leastNs, USUAL_TRIPS * other.usualNs());
        ask(nowNs);
    }

    private void ask(final long nowNs) {
        asked++;
        final long askedNs = time.nowNs();
        nextNs = askedNs + leastNs / QUESTIONS_IN_LEAST;
        suspect.ask(nowNs, atNs -> carries = true);
        other.ask(nowNs, atNs -> {
            if (++answers == ENOUGH) {
                final long heardNs = time.turn(atNs);
                verdictNs = heardNs + Math.max(
                        Math.max(leastNs, heardNs - askedNs), beganNs + USUAL_TRIPS * suspect.usualNs() - heardNs);
            }
        });
    }

    @Override
    public Verdict look(final long nowNs) {
        assert core.holdsLock();
        if (instead != null) {
            return instead.look(nowNs);
        }
        if (carries) {
            return Verdict.OVER;
        }
        final long ownNs = time.turn(nowNs);
        if (ownNs - verdictNs < 0) {
            if (asked < QUESTIONS && ownNs - nextNs >= 0) {
                ask(nowNs);
            }
            return Verdict.OPEN;
        }
        if (answers >= ENOUGH) {
            return Verdict.DEAD;
        }
        instead = otherwise.get();
        return Verdict.OPEN;
    }

    @Override
    public long deadlineNs() {
        if (instead != null) {
            return instead.deadlineNs();
        }
        final EarliestDeadline next = new EarliestDeadline().add(verdictNs);
        return time.realOf(asked < QUESTIONS ? next.add(nextNs).atNs() : next.atNs());
    }
}
