package io.vhca.harness.sim.fault;

/** One fault of a scenario. */
public record TimedFault(Fault fault, Timing timing) {
    /** The same from the first packet on. */
    public TimedFault atOnce() {
        return new TimedFault(fault, timing.atOnce());
    }

    /** The same, once and not several times. */
    public TimedFault once() {
        return new TimedFault(fault, timing.once());
    }

    @Override
    public String toString() {
        return fault.label() + ", " + timing + ": " + fault;
    }
}
