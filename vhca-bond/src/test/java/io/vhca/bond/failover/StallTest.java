package io.vhca.bond.failover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallTest {
    private static final long LEAST = 50;

    private final Stall stall = new Stall();

    @Test
    void aRequestThatWaitsForAsLongAsTheLeastTimeIsLong() {
        assertThat(stall.look(7, true, 1_000)).isTrue();
        assertThat(stall.isLong(LEAST)).isFalse();
        stall.look(7, true, 1_049);
        assertThat(stall.isLong(LEAST)).isFalse();
        stall.look(7, true, 1_050);
        assertThat(stall.isLong(LEAST)).isTrue();
    }

    @Test
    void nothingUnderWayIsNoWait() {
        assertThat(stall.look(0, false, 0)).as("nothing happened").isFalse();
        stall.look(0, false, 1_000);
        assertThat(stall.isLong(LEAST)).isFalse();
        stall.look(0, true, 1_000);
        assertThat(stall.isLong(LEAST)).as("posted since").isFalse();
        assertThat(stall.look(1, false, 1_050)).as("it came and went").isTrue();
        assertThat(stall.look(1, false, 1_100)).isFalse();
    }

    @Test
    void afterEachQuestionTheWaitMustBeTwiceAsLongUpToALimit() {
        stall.look(1, true, 0);
        long now = 0;
        for (int i = 0; i < 9; i++) {
            now += LEAST << Math.min(i, 6);
            stall.look(1, true, now - 1);
            assertThat(stall.isLong(LEAST)).as("question %d", i).isFalse();
            stall.look(1, true, now);
            assertThat(stall.isLong(LEAST)).as("question %d", i).isTrue();
            stall.asked();
        }
    }

    /** Requests that take 80 each: twice that is the bound, and it comes down again when they are faster. */
    @Test
    void whatUsuallyWaitsIsGivenMoreTime() {
        long now = 0;
        for (int i = 0; i < 3; i++) {
            stall.look(i, true, now);
            stall.look(i, true, now + 80);
            now += 100;
        }
        stall.look(3, true, now);
        stall.look(3, true, now + 159);
        assertThat(stall.isLong(LEAST)).isFalse();
        stall.look(3, true, now + 160);
        assertThat(stall.isLong(LEAST)).isTrue();
        for (int i = 4; i < 60; i++) {
            stall.look(i, true, now + 400 + i);
        }
        stall.look(59, true, now + 459 + LEAST);
        assertThat(stall.isLong(LEAST)).isTrue();
    }

    @Test
    void theSameRequestIsTheOneThatWaitedBefore() {
        assertThat(stall.isSame(0)).isFalse();
        stall.look(1, true, 0);
        assertThat(stall.isSame(1)).isTrue();
        assertThat(stall.isSame(2)).isFalse();
        stall.look(1, false, 1);
        assertThat(stall.isSame(1)).isFalse();
    }

    @Test
    void aPauseBeginsAnew() {
        stall.look(1, true, 0);
        stall.pause();
        stall.look(1, true, 5_000);
        assertThat(stall.isLong(LEAST)).isFalse();
        stall.look(1, true, 5_050);
        assertThat(stall.isLong(LEAST)).isTrue();
    }
}
