package io.vhca.harness.sim.app;

import java.util.SplittableRandom;

/**
 * What an application does with a connection that its own mistake ends, at either end: whoever makes it looks away for
 * a while, and ends the connection a while after all is back. Who finds that the queue pair has failed posts some more,
 * each of which must be flushed.
 */
final class AfterError {
    private static final int MOST_POSTS = 8;

    private final SplittableRandom random;
    private boolean isOn;
    private boolean isSilent;
    private long silentUntilNs;
    private boolean isOver;
    private long endNs;
    private int sendsLeft;
    private int recvsLeft;

    AfterError(final SplittableRandom random) {
        this.random = random;
    }

    /** The connection begins anew. */
    void reset(final boolean isMistaken) {
        isOn = isMistaken;
        isSilent = false;
        isOver = false;
        sendsLeft = isMistaken ? random.nextInt(1, MOST_POSTS + 1) : 0;
        recvsLeft = isMistaken ? random.nextInt(1, MOST_POSTS + 1) : 0;
    }

    boolean isOn() {
        return isOn;
    }

    /** The mistake is posted. */
    void onMistake(final long nowNs, final long silenceNs) {
        isSilent = true;
        silentUntilNs = nowNs + silenceNs;
    }

    /** True while nothing is polled. */
    boolean isSilent(final long nowNs) {
        isSilent &= silentUntilNs - nowNs > 0;
        return isSilent;
    }

    /** All that was posted is back; true once it is time to end the connection: the peer may go on for a while. */
    boolean mayEnd(final long nowNs, final long longestNs) {
        if (!isOver) {
            isOver = true;
            endNs = nowNs + random.nextLong(longestNs);
        }
        return endNs - nowNs <= 0;
    }

    int sendsLeft() {
        return sendsLeft;
    }

    int recvsLeft() {
        return recvsLeft;
    }

    void sent(final int count) {
        sendsLeft -= count;
    }

    void received(final int count) {
        recvsLeft -= count;
    }
}
