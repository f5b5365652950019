package io.vhca.bond.core;

/** Looks on while a bond runs. Called by whoever drives the bond, under its control lock: it must be quick. */
public interface BondObserver extends AutoCloseable {
    /** After each turn of the duty cycle. */
    void onTurn(long nowNs);

    /** A call to a member failed where failure changes nothing, or a turn of the duty cycle did. Any thread. */
    void onError(Throwable error);

    /** The bond is closed. */
    @Override
    void close();
}
