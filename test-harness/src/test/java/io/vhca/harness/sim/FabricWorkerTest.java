package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FabricWorkerTest {
    @Test
    void aRunThatWasBadIsTheLastOverItsNetwork() {
        final List<SimFabric> used = new ArrayList<>();
        try (FabricWorker<Long> worker = new FabricWorker<>(
                () -> new SimFabric(new FabricConfig(2_144, 16, 1_000, 0)),
                (fabric, seed) -> {
                    used.add(fabric);
                    return seed;
                },
                seed -> seed != 2)) {
            for (long seed = 1; seed <= 4; seed++) {
                assertThat(worker.run(seed)).isEqualTo(seed);
            }
        }
        assertThat(used.get(1)).isSameAs(used.get(0));
        assertThat(used.get(2)).isNotSameAs(used.get(1));
        assertThat(used.get(3)).isSameAs(used.get(2));
    }
}
