package io.vhca.recovery;

/**
 * The bounds of one recovery machine: of the whole recovery, as far as its time counts; of the present state; and of a
 * close, whichever side began it. Time is an argument.
 */
final class RecoveryTimers {
    /** Of time in which there is a path, and still no connection, one part in so many counts: not for ever. */
    private static final int LATER_SHARE = 8;

    private boolean isQueued;
    private boolean isPeerHeard;
    private boolean isPutOff;
    private boolean isUnknown;
    /** How long the recovery may be without a path. */
    private final StopClock pathless = new StopClock();

    private final Deadline step = new Deadline();
    private final Deadline close = new Deadline();

    void begin(final long nowNs, final long boundNs) {
        pathless.set(nowNs, boundNs);
    }

    /** The recovery ended, or a close took its place. */
    void endRecovery() {
        pathless.clear();
    }

    void close(final long nowNs, final long boundNs) {
        close.set(nowNs, boundNs);
    }

    void endAll() {
        pathless.clear();
        step.clear();
        close.clear();
    }

    /** The state changed: the bound of the one before ends. */
    void enter(final RecoveryState state, final long nowNs) {
        step.clear();
        isPutOff = false;
        isUnknown = false;
        isQueued = false;
        count(state, nowNs);
    }

    void step(final long nowNs, final long boundNs) {
        step.set(nowNs, boundNs);
    }

    /** As {@link #step}, where that is sooner. */
    void stepAtMost(final long nowNs, final long boundNs) {
        step.atMost(nowNs, boundNs);
    }

    /** See {@link RecoveryMachine#reckon}. */
    void reckon(final boolean queued, final boolean peerHeard, final RecoveryState state, final long nowNs) {
        isQueued = queued;
        isPeerHeard = peerHeard;
        count(state, nowNs);
    }

    /** The present state waits because the peer, which can be reached, said so. */
    void putOff(final RecoveryState state, final long nowNs) {
        isPutOff = true;
        count(state, nowNs);
    }

    /** The present state waits for a peer that can be reached, and has nobody there who knows of this queue pair. */
    void unknown(final RecoveryState state, final long nowNs) {
        isUnknown = true;
        count(state, nowNs);
    }

    /** Nothing counts while an answer waits to be confirmed, or a turn while others are answered. */
    private void count(final RecoveryState state, final long nowNs) {
        final boolean stands = state == RecoveryState.ANSWERED || isQueued && isPeerHeard;
        final boolean isLater = !isUnknown && (isPutOff || isPeerHeard);
        pathless.run(nowNs, stands ? 0 : isLater ? LATER_SHARE : 1);
    }

    boolean isAnyDue(final long nowNs) {
        return pathless.due(nowNs) || step.due(nowNs) || close.due(nowNs);
    }

    boolean isCloseDue(final long nowNs) {
        return close.due(nowNs);
    }

    boolean isRecoveryDue(final long nowNs) {
        return pathless.due(nowNs);
    }

    /** Whether the bound of the present state has passed; it is told once. */
    boolean takeStep(final long nowNs) {
        final boolean isDue = step.due(nowNs);
        if (isDue) {
            step.clear();
        }
        return isDue;
    }

    /** Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return pathless.earlier(step.earlier(close.earlier(Long.MAX_VALUE)));
    }
}
