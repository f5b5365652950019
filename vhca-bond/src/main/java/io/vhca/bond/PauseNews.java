package io.vhca.bond;

import java.util.concurrent.TimeUnit;

/**
 * What members tell while the bond's thread pauses. A long pause ends by it; a short one does not, since more may come
 * in it and one turn does for all: a turn for each of the events of many connects costs more than what they wait. The
 * bond's thread begins and ends pauses and turns; news comes from any.
 */
final class PauseNews {
    static final long SHORT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private volatile boolean isInLongPause;
    private volatile boolean isUnseen;

    /** Something happened; true when the pause is to be cut for it. */
    boolean come() {
        isUnseen = true;
        return isInLongPause;
    }

    /** A turn begins, which sees what happened before. */
    void seen() {
        isUnseen = false;
    }

    /** A pause begins; how long it is to be. */
    long begin(final long pauseNs) {
        // In this order: of news that comes between the two, come says that the pause is to be cut.
        isInLongPause = pauseNs > SHORT_NS;
        return isUnseen ? Math.min(pauseNs, SHORT_NS) : pauseNs;
    }

    void end() {
        isInLongPause = false;
    }
}
