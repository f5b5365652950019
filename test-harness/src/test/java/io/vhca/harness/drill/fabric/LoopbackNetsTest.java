package io.vhca.harness.drill.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopbackNetsTest {
    @Test
    void twoRunsHaveNoNetworkInCommon() {
        try (LoopbackNets one = LoopbackNets.claim();
                LoopbackNets other = LoopbackNets.claim()) {
            assertThat(new String[] {one.sender(), one.receiver(), other.sender(), other.receiver()})
                    .doesNotHaveDuplicates()
                    .allMatch(prefix -> prefix.startsWith("127.77.") && prefix.endsWith("."));
        }
    }
}
