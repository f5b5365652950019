package io.vhca.physical.soft.engine.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which identification is a sender's next one. */
class SenderIdentificationsTest {
    private static final long HIGH = 0;
    private static final long LOW = 0xffff_0a4d_0001L;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SenderIdentifications senders = new SenderIdentifications();
    /** Near the end of the clock's range: it wraps while a test runs. */
    private long nowNs = Long.MAX_VALUE - MS;

    private boolean takes(final int identification) {
        return senders.isPlausible(HIGH, LOW, identification & 0xffff, nowNs);
    }

    @Test
    void aSenderMayBeginAnywhereAndCount() {
        assertThat(takes(0xfff0)).isTrue();
        for (int i = 1; i < 0x10; i++) {
            assertThat(takes(0xfff0 + i)).as("%d on", i).isTrue();
        }
        // The one after the last is 0, which is right without any guess.
        senders.zero(HIGH, LOW, nowNs);
        assertThat(takes(1)).isTrue();
        assertThat(takes(1 + SenderIdentifications.AHEAD)).isTrue();
        assertThat(takes(2 + 2 * SenderIdentifications.AHEAD)).isFalse();
    }

    @Test
    void timeMakesRoomForOneMoreAMillisecond() {
        takes(100);
        assertThat(takes(100 + SenderIdentifications.AHEAD + 50)).isFalse();
        nowNs += 49 * MS;
        assertThat(takes(100 + SenderIdentifications.AHEAD + 51)).isTrue();
        takes(40_000);
        takes(40_001);
        nowNs += 49 * MS;
        assertThat(takes(40_001 + SenderIdentifications.AHEAD + 50)).isFalse();
        nowNs += MS;
        assertThat(takes(40_001 + SenderIdentifications.AHEAD + 50)).isTrue();
    }

    @Test
    void whatWasOvertakenIsTakenAndDoesNotMoveTheSenderBack() {
        takes(10_000);
        for (int back = 1; back <= SenderIdentifications.BEHIND; back++) {
            assertThat(takes(10_000 - back)).isTrue();
        }
        assertThat(takes(10_000 - SenderIdentifications.BEHIND - 1)).isFalse();
        assertThat(takes(10_000)).as("a doubled packet").isTrue();
    }

    @Test
    void oneThatJumpsIsBelievedWhenTheNextIsNearIt() {
        takes(100);
        assertThat(takes(30_000)).isFalse();
        assertThat(takes(30_000)).as("the same damaged packet again proves nothing").isFalse();
        assertThat(takes(50_000)).isFalse();
        assertThat(takes(101)).as("it was damage: the sender is where it was").isTrue();
        assertThat(takes(50_001)).as("and what was refused before is forgotten").isFalse();
        assertThat(takes(50_002)).isTrue();
        assertThat(takes(102)).isFalse();
    }

    @Test
    void oneThatLeavesItZeroIsNotTakenForOneThatCounts() {
        senders.zero(HIGH, LOW, nowNs);
        assertThat(takes(1)).isFalse();
        senders.zero(HIGH, LOW, nowNs);
        assertThat(takes(2)).isFalse();
        assertThat(takes(3)).as("another stack has the address now").isTrue();
        assertThat(takes(4)).isTrue();
        takes(30_000);
        assertThat(takes(30_001)).isTrue();
        senders.zero(HIGH, LOW, nowNs);
        assertThat(takes(30_002)).as("and the first one again").isFalse();
    }

    @Test
    void oneThatWasNotHeardOfForLongMayBeAnywhere() {
        takes(100);
        nowNs += SenderIdentifications.FORGET_NS - 1;
        assertThat(takes(60_000)).isFalse();
        nowNs += 1;
        assertThat(takes(30_000)).isTrue();
    }

    @Test
    void sendersAreToldApart() {
        takes(100);
        int refused = 0;
        for (int host = 2; host < 20; host++) {
            assertThat(senders.isPlausible(HIGH, LOW + host, 3_000 * host, nowNs)).isTrue();
            refused += senders.isPlausible(HIGH, LOW + host, 3_000 * host + 20_000 & 0xffff, nowNs) ? 0 : 1;
        }
        assertThat(refused).isEqualTo(18);
    }
}
