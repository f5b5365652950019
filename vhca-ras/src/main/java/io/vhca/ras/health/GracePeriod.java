package io.vhca.ras.health;

/** How soon something may be done again that nobody asked for. One thread. */
final class GracePeriod {
    private boolean hasBegun;
    private long beganNs;

    /** Whether none is under way; then one begins. */
    boolean begin(final long nowNs, final long lengthNs) {
        if (hasBegun && nowNs - beganNs < lengthNs) {
            return false;
        }
        hasBegun = true;
        beganNs = nowNs;
        return true;
    }
}
