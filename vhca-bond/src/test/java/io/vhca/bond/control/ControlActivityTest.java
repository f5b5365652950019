package io.vhca.bond.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlActivityTest {
    private final ControlActivity talk = new ControlActivity();

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000, Long.MAX_VALUE - 10, Long.MIN_VALUE})
    void itLastsForAShortTimeAfterTheLastWordAndIsOffUntilTheFirst(final long nowNs) {
        assertThat(talk.isOn(nowNs)).isFalse();
        talk.spoken(nowNs);
        assertThat(talk.isOn(nowNs)).isTrue();
        assertThat(talk.isOn(nowNs + ControlActivity.LASTS_NS - 1)).isTrue();
        assertThat(talk.isOn(nowNs + ControlActivity.LASTS_NS)).isFalse();
        talk.spoken(nowNs + ControlActivity.LASTS_NS);
        assertThat(talk.isOn(nowNs + ControlActivity.LASTS_NS)).isTrue();
    }
}
