package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class RecoveryConfigTest {
    private record Bound(
            BiFunction<RecoveryConfig.Builder, Long, RecoveryConfig.Builder> set,
            ToLongFunction<RecoveryConfig> get,
            long defaultMs) {}

    private static final Map<String, Bound> BOUNDS = Map.of(
            "recoveryTimeoutNs",
                    new Bound(RecoveryConfig.Builder::recoveryTimeoutNs, RecoveryConfig::recoveryTimeoutNs, 30_000),
            "drainTimeoutNs", new Bound(RecoveryConfig.Builder::drainTimeoutNs, RecoveryConfig::drainTimeoutNs, 100),
            "connectTimeoutNs",
                    new Bound(RecoveryConfig.Builder::connectTimeoutNs, RecoveryConfig::connectTimeoutNs, 500),
            "establishTimeoutNs",
                    new Bound(RecoveryConfig.Builder::establishTimeoutNs, RecoveryConfig::establishTimeoutNs, 500),
            "yieldTimeoutNs", new Bound(RecoveryConfig.Builder::yieldTimeoutNs, RecoveryConfig::yieldTimeoutNs, 200),
            "minBackoffNs", new Bound(RecoveryConfig.Builder::minBackoffNs, RecoveryConfig::minBackoffNs, 10),
            "maxBackoffNs", new Bound(RecoveryConfig.Builder::maxBackoffNs, RecoveryConfig::maxBackoffNs, 1_000),
            "closeTimeoutNs", new Bound(RecoveryConfig.Builder::closeTimeoutNs, RecoveryConfig::closeTimeoutNs, 2_000));

    @Test
    void eachBoundIsSetByItsNameAloneAndNamedWhenItIsWrong() {
        BOUNDS.forEach((name, bound) -> {
            final long value = bound.defaultMs * 1_000_000 + 1;
            final RecoveryConfig config = bound.set.apply(RecoveryConfig.builder(), value).build();
            BOUNDS.forEach((other, one) -> assertThat(one.get.applyAsLong(config))
                    .as(other + " after " + name + " was set")
                    .isEqualTo(other.equals(name) ? value : one.defaultMs * 1_000_000));
            for (final long wrong : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThatThrownBy(() -> bound.set.apply(RecoveryConfig.builder(), wrong).build())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(name);
            }
        });
    }

    @Test
    void theLongestPauseIsNotBelowTheFirst() {
        assertThatThrownBy(() -> RecoveryConfig.builder().minBackoffNs(2).maxBackoffNs(1).build())
                .hasMessageContaining("maxBackoffNs");
        assertThat(RecoveryConfig.builder().minBackoffNs(2).maxBackoffNs(2).build().maxBackoffNs()).isEqualTo(2);
    }
}
