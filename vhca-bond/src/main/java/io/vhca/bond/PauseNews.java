package io.vhca.bond;

import java.util.concurrent.TimeUnit;

/**
 * What members tell while the bond's thread pauses. A long pause ends by it; a short one does not, since more may come
 * in it and one turn does for all: a turn for each of the events of many connects costs more than what they wait. The
 * bond's thread begins and ends pauses and turns; news comes from any, and so does help: a turn that another thread
 * makes in the pause.
 */
final class PauseNews {
    static final long SHORT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private volatile boolean isPaused;
    private volatile boolean isInLongPause;
    private volatile boolean isUnseen;
    private volatile boolean isHelped;

    /** Something happened; true when the pause is to be cut for it. */
    boolean come() {
        isUnseen = true;
        return isInLongPause;
    }

    /** Whether the bond's thread is in a pause; it may end at any time. */
    boolean isPaused() {
        return isPaused;
    }

    /** In the pause somebody else had a turn and did something: more may come of it that nobody is told of. */
    void helped() {
        isHelped = true;
    }

    /** Whether that was so since the last time. */
    boolean takeHelp() {
        final boolean was = isHelped;
        isHelped = false;
        return was;
    }

    /** A turn begins, which sees what happened before. */
    void seen() {
        isUnseen = false;
    }

    /** A pause begins; how long it is to be. */
    long begin(final long pauseNs) {
        // In this order: of news that comes between the two, come says that the pause is to be cut.
        isInLongPause = pauseNs > SHORT_NS;
        isPaused = true;
        return isUnseen ? Math.min(pauseNs, SHORT_NS) : pauseNs;
    }

    void end() {
        isPaused = false;
        isInLongPause = false;
    }
}
