package io.vhca.bond.control;

/**
 * Whether messages that an application waits for went over a control link a short time ago: an atomic, or a question
 * for counts. The bond's thread does not sleep then: to be woken takes it longer than the answer takes to come. Without
 * emulated atomics and {@code confirm = peer} there is only the question for a ledger word, once for each connection.
 *
 * <p>Written with the control lock held, read by the bond's thread without.
 */
public final class ControlActivity {
    /** Longer than a question and its answer take, shorter than anybody minds a thread that does not sleep. */
    static final long LASTS_NS = 500_000;

    private volatile boolean hasBegun;
    private volatile long lastNs;

    /** A question or an answer was sent or received. */
    void spoken(final long nowNs) {
        lastNs = nowNs;
        hasBegun = true;
    }

    /** True for a short time after the last message. */
    public boolean isOn(final long nowNs) {
        return hasBegun && nowNs - lastNs < LASTS_NS;
    }
}
