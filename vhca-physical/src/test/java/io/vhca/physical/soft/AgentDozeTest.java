package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgentDozeTest {
    private static final long BLOCK_NS = 4_000_000;
    private static final long DOZE_NS = 100_000_000;

    private final AgentDoze doze = new AgentDoze();

    private void quietBlock() {
        assertThat(doze.nextNs(true)).isEqualTo(BLOCK_NS);
        doze.quiet();
    }

    @Test
    void itDozesWhereNothingHasHappenedForAWhile() {
        quietBlock();
        assertThat(doze.nextNs(true)).isEqualTo(DOZE_NS);
        doze.quiet();
        assertThat(doze.nextNs(true)).isEqualTo(DOZE_NS);
    }

    @Test
    void blocksAreShortAgainWhenSomethingHappened() {
        quietBlock();
        doze.end();
        quietBlock();
        assertThat(doze.nextNs(true)).isEqualTo(DOZE_NS);
    }

    @Test
    void whoIsNotToldOfLinksDoesNotDoze() {
        quietBlock();
        assertThat(doze.nextNs(false)).isEqualTo(BLOCK_NS);
        assertThat(doze.run()).as("whether to wake it").isFalse();
    }

    @Test
    void whoRunsTheEngineFirstWakesItAndNobodyElseDoes() {
        quietBlock();
        doze.nextNs(true);
        assertThat(doze.run()).isTrue();
        assertThat(doze.run()).isFalse();
        assertThat(doze.runs()).isEqualTo(2);
    }

    @Test
    void whoRunsItBeforeIsSeenByTheThreadItself() {
        quietBlock();
        final int before = doze.runs();
        assertThat(doze.run()).isFalse();
        doze.nextNs(true);
        assertThat(doze.runs()).isNotEqualTo(before);
    }

    @Test
    void whoHasSomethingElseForItWakesItOnce() {
        quietBlock();
        assertThat(doze.isOver()).isFalse();
        doze.nextNs(true);
        assertThat(doze.isOver()).isTrue();
        assertThat(doze.isOver()).isFalse();
    }

    @Test
    void itDozesNoMoreAfterItBlocked() {
        quietBlock();
        doze.nextNs(true);
        doze.quiet();
        assertThat(doze.run()).isFalse();
    }
}
