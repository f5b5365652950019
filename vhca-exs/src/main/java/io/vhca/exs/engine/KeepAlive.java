package io.vhca.exs.engine;

/**
 * Notices that a connection is silent. It is looked at twice in the time that a peer may be silent; nothing heard
 * between two looks, and no work request under way that would tell, means a probe: a READ of no bytes, which needs
 * neither a credit nor a receive, may be done twice, and is answered by the peer's device. A probe that fails says
 * that the peer is gone.
 */
final class KeepAlive {
    private final long periodNs;
    private long nextNs;
    private boolean isBegun;
    private boolean isHeard;

    /** @param mostSilentNs how long nothing may be heard before a probe goes out, 0 without end */
    KeepAlive(final long mostSilentNs) {
        periodNs = mostSilentNs / 2;
    }

    /** Something came from the peer, or was acknowledged by its device. */
    void heard() {
        isHeard = true;
    }

    /** True when nothing was heard for a whole period. */
    boolean isProbeDue(final long nowNs) {
        if (periodNs == 0 || isBegun && nowNs - nextNs < 0) {
            return false;
        }
        final boolean isDue = isBegun && !isHeard;
        isBegun = true;
        isHeard = false;
        nextNs = nowNs + periodNs;
        return isDue;
    }
}
