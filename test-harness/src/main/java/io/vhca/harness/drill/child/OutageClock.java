package io.vhca.harness.drill.child;

/** The longest time for which something was under way and nothing came of it. One thread. */
final class OutageClock {
    private boolean isUnderWay;
    private long sinceNs;
    private long longestNs;

    /** Something is under way from now on, unless it was already. */
    void begin(final long nowNs) {
        if (!isUnderWay) {
            isUnderWay = true;
            sinceNs = nowNs;
        }
    }

    /**
     * Something came.
     *
     * @param isMore whether more is under way
     */
    void progress(final long nowNs, final boolean isMore) {
        if (isUnderWay) {
            longestNs = Math.max(longestNs, nowNs - sinceNs);
        }
        isUnderWay = isMore;
        sinceNs = nowNs;
    }

    long longestNs() {
        return longestNs;
    }
}
