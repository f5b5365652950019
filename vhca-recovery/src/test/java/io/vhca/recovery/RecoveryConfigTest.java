package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RecoveryConfigTest {
    @Test
    void badBoundsAreNamed() {
        assertThatThrownBy(() -> new RecoveryConfig(0, 1, 1, 1, 1, 1, 1, 1)).hasMessageContaining("recoveryTimeoutNs");
        assertThatThrownBy(() -> new RecoveryConfig(1, 1, 1, 1, 1, 2, 1, 1)).hasMessageContaining("maxBackoffNs");
    }
}
