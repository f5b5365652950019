package io.vhca.physical.soft.engine.rc;

/**
 * How many packets a sender has in flight at most after it was told of congestion: what DCQCN (Zhu et al., SIGCOMM
 * 2015) does to a rate, done to a window, so that no timer is needed. Time is an argument. The engine's owner.
 *
 * <pre>
 *   told of congestion:  target = window, window -= window * alpha / 2, alpha grows to 1
 *   PERIOD_NS without:   alpha shrinks, window half the way to target, five times; then target grows too
 * </pre>
 */
final class CongestionWindow {
    /** One step of the recovery, and the least time between two cuts. */
    static final long PERIOD_NS = 55_000;

    private static final int QUICK_STEPS = 5;
    private static final int ONE = 1024;
    /** Alpha moves by one part in so many. */
    private static final int GAIN = 16;
    /** The target grows by one part of the full window in so many. */
    private static final int GROWTH = 16;

    private int full;
    private int window;
    private int target;
    /** How congested the way is, of {@link #ONE}. */
    private int alpha;

    private int steps;
    private boolean isCut;
    private long cutNs;
    /** Up to when steps of the recovery were made. */
    private long recoveredNs;

    /** As large as it may be. */
    void start(final int packets) {
        assert packets > 0 : "a window has room for a packet";
        full = packets;
        window = packets;
        target = packets;
        alpha = ONE;
        isCut = false;
    }

    /** Told of congestion: what the window is now, one packet at least. */
    int cut(final long nowNs) {
        if (isCut && nowNs - cutNs < PERIOD_NS) {
            return window;
        }
        target = window;
        window = Math.max(1, window - window * alpha / (2 * ONE));
        alpha += (ONE - alpha) / GAIN;
        steps = 0;
        isCut = true;
        cutNs = nowNs;
        recoveredNs = nowNs;
        return window;
    }

    /** What the window is by now, nobody having told of congestion since. */
    int recover(final long nowNs) {
        while (isCut && nowNs - recoveredNs >= PERIOD_NS) {
            recoveredNs += PERIOD_NS;
            alpha -= alpha / GAIN;
            if (++steps > QUICK_STEPS) {
                target = Math.min(full, target + Math.max(1, full / GROWTH));
            }
            window = Math.max(window, (window + target + 1) / 2);
            isCut = window < full;
        }
        return window;
    }
}
