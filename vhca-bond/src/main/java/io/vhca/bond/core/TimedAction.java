package io.vhca.bond.core;

/** Something that needs the time, put off to the next turn of the duty cycle. Control lock. */
@FunctionalInterface
public interface TimedAction {
    void run(long nowNs);
}
