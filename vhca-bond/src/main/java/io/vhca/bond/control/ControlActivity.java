package io.vhca.bond.control;

/**
 * Whether the two bonds are speaking of something that an application waits for: an atomic, or what has arrived. The
 * bond's thread does not sleep then, since no device wakes it when the other side speaks. Without emulated atomics and
 * {@code confirm = peer} they speak of a ledger word when a connection is new, and never else.
 *
 * <p>Spoken of with the control lock held, looked at by the bond's thread without.
 */
public final class ControlActivity {
    /** Longer than a question and its answer take, shorter than anybody minds a thread that does not sleep. */
    static final long LASTS_NS = 500_000;

    private volatile boolean hasBegun;
    private volatile long lastNs;

    /** A question or an answer was given or heard. */
    void spoken(final long nowNs) {
        lastNs = nowNs;
        hasBegun = true;
    }

    /** True for a short time after the last word. */
    public boolean isOn(final long nowNs) {
        return hasBegun && nowNs - lastNs < LASTS_NS;
    }
}
