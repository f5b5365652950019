package io.vhca.harness.sim.fault;

/** A fault that is on while it lasts and off behind it: what ends it is what began it, turned round. */
public interface Lasting extends Fault {
    /** Breaks what it breaks, or mends it again. */
    void turn(FaultTarget target, boolean isOn);

    @Override
    default boolean begin(final FaultTarget target) {
        turn(target, true);
        return true;
    }

    @Override
    default void end(final FaultTarget target) {
        turn(target, false);
    }
}
