package io.vhca.harness.sim.fault;

/** The threads of one simulated host, each of which can be starved apart from the others. */
public enum HostThread {
    /** The application's: posts, polls, and makes control calls. */
    APPLICATION,
    /** The bond's agent. A host without a bond has none. */
    BOND,
    /** The agents of the soft devices, all of them. */
    DEVICES
}
