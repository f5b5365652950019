package io.vhca.bond.failover;

import io.vhca.bond.link.PathLink;
import org.jspecify.annotations.Nullable;

/**
 * How long the oldest request of one vQP has been waiting, and how long such usually wait: a link that takes long for
 * each message, or a receiver that does, is not asked about every time. Time is an argument. Control lock.
 */
final class Stall {
    /** So many times the usual wait is none. */
    private static final int USUAL_WAITS = 2;
    /** Each wait that is shorter takes the eighth part from what is usual. */
    private static final int FORGOTTEN = 8;

    private static final int MOST_DOUBLINGS = 6;

    private @Nullable PathLink link;
    private long retired;
    private boolean waiting;
    private long sinceNs;
    /** When it began to wait, or the peer was asked about it last. */
    private long askedNs;

    private long lastNs;
    private long usualNs;
    private int doublings;

    /**
     * Takes a look.
     *
     * @param retiredNow the oldest request that has not completed, or the next one
     * @param isWaiting  whether there is one that has not
     * @return whether anything is under way, or was since the last look
     */
    boolean look(final long retiredNow, final boolean isWaiting, final long nowNs) {
        final boolean hasMoved = retiredNow != retired;
        if (hasMoved && waiting) {
            usualNs = Math.max(lastNs - sinceNs, usualNs - usualNs / FORGOTTEN);
        }
        if (hasMoved || waiting != isWaiting) {
            retired = retiredNow;
            waiting = isWaiting;
            sinceNs = nowNs;
            askedNs = nowNs;
            doublings = 0;
        }
        lastNs = nowNs;
        return hasMoved || isWaiting;
    }

    /** Whether that is the request that waited at the last look. */
    boolean isSame(final long retiredNow) {
        return waiting && retiredNow == retired;
    }

    /** Whether the same request has waited for too long, at the last look, since somebody last asked about it. */
    boolean isLong(final long leastNs) {
        return waiting && lastNs - askedNs >= Math.max(leastNs, USUAL_WAITS * usualNs) << doublings;
    }

    /** The peer was asked: it is asked again after twice the time. */
    void asked() {
        askedNs = lastNs;
        doublings = Math.min(doublings + 1, MOST_DOUBLINGS);
    }

    /** What is used now: what waited on the one before, which may have died, says nothing of what is usual. */
    void on(final PathLink now) {
        if (now != link) {
            link = now;
            pause();
        }
    }

    /** Nothing can complete for now, or has completed already: what waits then waits anew. */
    void pause() {
        waiting = false;
    }
}
