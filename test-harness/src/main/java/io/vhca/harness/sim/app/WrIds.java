package io.vhca.harness.sim.app;

/**
 * Work request ids of a simulated application: sends have the number of their operation, and begin at 0. A completion
 * with an error does not say of which queue it is; its id does.
 */
final class WrIds {
    /** The request that is posted besides the operations of the plan. */
    static final long EXTRA = 1L << 39;

    /** Receives begin here. */
    static final long FIRST_RECV = 1L << 40;

    private WrIds() {}
}
