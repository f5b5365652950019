package io.vhca.recovery;

/** A point in time, or none. Times are compared by subtraction, so that the clock may wrap. */
final class Deadline {
    private boolean armed;
    private long atNs;

    void set(final long nowNs, final long delayNs) {
        assert delayNs >= 0 : "a delay of " + delayNs;
        armed = true;
        final long exactNs = nowNs + delayNs;
        atNs = exactNs == Long.MAX_VALUE ? exactNs - 1 : exactNs; // that one value means none to the caller
    }

    /** As {@link #set}, where that is sooner. */
    void atMost(final long nowNs, final long delayNs) {
        if (!armed || nowNs + delayNs - atNs < 0) {
            set(nowNs, delayNs);
        }
    }

    void clear() {
        armed = false;
    }

    boolean due(final long nowNs) {
        return armed && nowNs - atNs >= 0;
    }

    /** The earlier of this and another point, where Long.MAX_VALUE means none. */
    long earlier(final long otherNs) {
        if (!armed) {
            return otherNs;
        }
        return otherNs == Long.MAX_VALUE || atNs - otherNs < 0 ? atNs : otherNs;
    }
}
