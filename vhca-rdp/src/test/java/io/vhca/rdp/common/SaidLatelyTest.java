package io.vhca.rdp.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SaidLatelyTest {
    private final SaidLately said = new SaidLately();

    @Test
    void theSameIsSaidOnceAMinute() {
        final long minute = TimeUnit.MINUTES.toNanos(1);
        assertThat(said.isNews("a", -5)).isTrue();
        assertThat(said.isNews("a", minute - 6)).isFalse();
        assertThat(said.isNews("b", minute - 6)).isTrue();
        assertThat(said.isNews("a", minute - 5)).isTrue();
    }

    /** Who thinks of ever new things to be refused takes no memory. */
    @Test
    void itForgetsWhatIsTooMuch() {
        for (int i = 0; i < 64; i++) {
            assertThat(said.isNews("reason " + i, 0)).isTrue();
        }
        assertThat(said.isNews("reason 0", 0)).isFalse();
        assertThat(said.isNews("another one", 0)).isTrue();
        assertThat(said.isNews("reason 0", 0)).isTrue();
    }
}
