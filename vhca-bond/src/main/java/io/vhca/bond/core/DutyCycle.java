package io.vhca.bond.core;

/** A part of the bond that has work of its own in each turn. Control lock; the bond's thread, or a test, drives it. */
public interface DutyCycle {
    /**
     * Does what is due.
     *
     * @return how much was done, 0 when idle
     */
    int doWork(long nowNs);

    /** When {@link #doWork} must be called at the latest though nothing happens; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs();
}
