package io.vhca.recovery;

/**
 * A bound on time of which only a part counts: due once so much has counted, however long the clock stood. Times are
 * compared by subtraction, so that they may wrap.
 */
final class StopClock {
    private final Deadline end = new Deadline();
    /** What was left when it was started last, or stopped. */
    private long leftNs;

    private long ranAtNs;
    /** While it runs one part in so many counts; 0 while it stands. */
    private int share;

    private boolean isSet;

    /** Begins anew, and runs at its full pace. */
    void set(final long nowNs, final long boundNs) {
        assert boundNs >= 0 : "a bound of " + boundNs;
        isSet = true;
        share = 0;
        leftNs = boundNs;
        run(nowNs, 1);
    }

    /** There is no bound any more. */
    void clear() {
        isSet = false;
        share = 0;
        end.clear();
    }

    /**
     * Goes on; nothing happens where there is no bound.
     *
     * @param next of the time from now on one part in so many counts; 0 for none
     */
    void run(final long nowNs, final int next) {
        assert next >= 0 : "one part in " + next;
        if (!isSet || next == share) {
            return;
        }
        if (share > 0) {
            leftNs = Math.max(0, leftNs - (nowNs - ranAtNs) / share);
        }
        share = next;
        ranAtNs = nowNs;
        if (share > 0) {
            end.set(nowNs, leftNs * share);
        } else {
            end.clear();
        }
    }

    boolean due(final long nowNs) {
        return end.due(nowNs);
    }

    /** The earlier of the point where it is due as things are and another one; Long.MAX_VALUE means none. */
    long earlier(final long otherNs) {
        return end.earlier(otherNs);
    }
}
