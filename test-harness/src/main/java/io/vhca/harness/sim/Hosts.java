package io.vhca.harness.sim;

import java.util.SplittableRandom;

/** Chooses what kind of host a scenario runs on. */
final class Hosts {
    private static final int FIRST_STREAM = 10;

    private Hosts() {}

    static HostFactory factory(final Mutation mutation) {
        return (scenario, side, fabric, isRecorded, violations) -> {
            final int stream = FIRST_STREAM + fabric.portCount();
            final SplittableRandom random = ScenarioDraw.stream(scenario.seed(), stream);
            return scenario.isBond()
                    ? new BondHost(scenario, side, fabric, mutation, isRecorded, violations, random)
                    : new SoftHost(scenario, side, fabric, random);
        };
    }
}
