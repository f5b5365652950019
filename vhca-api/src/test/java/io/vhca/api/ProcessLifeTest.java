package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessLifeTest {
    private static final long SELF = ProcessHandle.current().pid();
    private static final long NOBODY = Integer.MAX_VALUE;

    @Test
    void aProcessIsToldFromAnEarlierOneWithItsNumber() {
        final long start = ProcessLife.start(SELF);
        assertThat(start).isPositive();
        assertThat(ProcessLife.isAlive(SELF, start)).isTrue();
        assertThat(ProcessLife.isAlive(SELF, start - 1)).isFalse();
        assertThat(ProcessLife.isAlive(SELF, ProcessLife.UNKNOWN)).isTrue();
        assertThat(ProcessLife.isAlive(SELF)).isTrue();
    }

    @Test
    void nobodyLivesAndHasNoStart() {
        assertThat(ProcessLife.start(NOBODY)).isEqualTo(ProcessLife.UNKNOWN);
        assertThat(ProcessLife.isAlive(NOBODY)).isFalse();
        assertThat(ProcessLife.isAlive(NOBODY, ProcessLife.UNKNOWN)).isFalse();
    }
}
