package io.vhca.bond.failover;

/**
 * Tells when the physical queue pair of one vQP, connected or for datagrams, has been silent for too long: requests
 * that will complete are with it, and none does. Hardware is known to do that, for good, when its link or address goes.
 *
 * <p>A receiver that is not ready makes its sender silent too. So the time doubles, up to a limit, with each recovery
 * that does not end the silence; any progress sets it back. Time is an argument. Control lock.
 */
public final class CompletionWatchdog {
    /** Nothing is awaited. */
    public static final long IDLE = -1;

    private static final int MAX_DOUBLINGS = 6;

    private final long boundNs;
    private long awaited = IDLE;
    private long sinceNs;
    private int doublings;
    private boolean watching;
    private long retired;
    private boolean progressed;

    public CompletionWatchdog(final long boundNs) {
        this.boundNs = boundNs;
    }

    /**
     * Takes a look.
     *
     * @param oldest names what is awaited, and changes with every progress; {@link #IDLE} when nothing is
     * @return true when the same has been awaited for the bound
     */
    public boolean isSilent(final long oldest, final long nowNs) {
        if (oldest != awaited) {
            awaited = oldest;
            doublings = 0;
            sinceNs = nowNs;
        } else if (!watching) {
            sinceNs = nowNs;
        }
        watching = true;
        return oldest != IDLE && nowNs - sinceNs >= boundNs << doublings;
    }

    /** A recovery was begun because of the silence. */
    public void barked() {
        doublings = Math.min(doublings + 1, MAX_DOUBLINGS);
        watching = false;
    }

    /** No physical queue pair is in use: the time until there is one again does not count. */
    public void pause() {
        watching = false;
    }

    /** What completed until this look. */
    void completedThrough(final long retiredNow) {
        progressed = retiredNow != retired;
        retired = retiredNow;
    }

    /** True when sends completed between the last two looks: the path needs no heartbeat to prove it. */
    boolean hasProgressed() {
        return progressed;
    }
}
