package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VisitorsTest {
    @Test
    void whoIsInsideKnowsWhetherAnotherOneWasInTheMeantime() {
        final Visitors visitors = new Visitors();
        visitors.enter();
        final long alone = visitors.visit();
        assertThat(visitors.isAloneSince(alone)).isTrue();
        visitors.enter();
        assertThat(visitors.isAloneSince(alone)).as("another one is").isFalse();
        final long together = visitors.visit();
        assertThat(visitors.isAloneSince(together)).isFalse();
        visitors.leave();
        assertThat(visitors.isAloneSince(alone)).as("another one was").isFalse();
        assertThat(visitors.isAloneSince(together)).as("and was then").isFalse();
        assertThat(visitors.isAloneSince(visitors.visit())).isTrue();
        visitors.leave();
        assertThat(visitors.close(() -> {})).isTrue();
        assertThat(visitors.enter()).isFalse();
    }
}
