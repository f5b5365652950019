package io.vhca.harness.sim;

/** Chooses what kind of host a scenario runs on. */
final class Hosts {
    private Hosts() {}

    static HostFactory factory(final Mutation mutation) {
        return (scenario, side, fabric) -> {
            throw new UnsupportedOperationException("no device to simulate yet, " + mutation);
        };
    }
}
