package io.vhca.recovery;

/**
 * A bound on time of which only a part counts: due once the clock has run for so long, however long it stood. Times are
 * compared by subtraction, so that they may wrap.
 */
final class StopClock {
    private final Deadline end = new Deadline();
    private long leftNs;
    private long ranAtNs;
    private boolean isSet;
    private boolean isRunning;

    /** Begins anew, and runs. */
    void set(final long nowNs, final long boundNs) {
        assert boundNs >= 0 : "a bound of " + boundNs;
        isSet = true;
        isRunning = false;
        leftNs = boundNs;
        run(nowNs);
    }

    /** There is no bound any more. */
    void clear() {
        isSet = false;
        isRunning = false;
        end.clear();
    }

    /** Time counts from now on; nothing happens where it does already, or where there is no bound. */
    void run(final long nowNs) {
        if (isSet && !isRunning) {
            isRunning = true;
            ranAtNs = nowNs;
            end.set(nowNs, leftNs);
        }
    }

    /** Time does not count until it runs again. */
    void stop(final long nowNs) {
        if (isRunning) {
            isRunning = false;
            end.clear();
            leftNs = Math.max(0, leftNs - (nowNs - ranAtNs));
        }
    }

    /** Counts so much, whether it runs or stands; where nothing is left then, it is due at once. */
    void charge(final long nowNs, final long costNs) {
        final boolean ran = isRunning;
        stop(nowNs);
        leftNs = Math.max(0, leftNs - costNs);
        if (ran || leftNs == 0) {
            run(nowNs);
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
