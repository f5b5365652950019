package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HelpedNapsTest {
    private final HelpedNaps naps = new HelpedNaps(200_000);

    @Test
    void whoGoesOnIsLookedAfterLessOften() {
        assertThat(naps.nextNs()).isEqualTo(200_000);
        assertThat(naps.nextNs()).isEqualTo(400_000);
        assertThat(naps.nextNs()).isEqualTo(800_000);
        assertThat(naps.nextNs()).isEqualTo(1_600_000);
        for (int i = 0; i < 100; i++) {
            assertThat(naps.nextNs()).isEqualTo(3_200_000);
        }
    }

    @Test
    void whoStoppedIsLookedAfterSoonAgain() {
        naps.nextNs();
        naps.nextNs();
        naps.end();
        assertThat(naps.nextNs()).isEqualTo(200_000);
    }
}
