package io.vhca.rdp.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may send where credits are short: equal senders are served equally, and nobody waits for one who has gone. */
class TurnQueueTest {
    private static final double LEAST_SHARE = 0.9;

    private final TurnQueue queue = new TurnQueue();
    private final List<Sender> senders = new ArrayList<>();
    private final ArrayDeque<Sender> woken = new ArrayDeque<>();
    private final ArrayDeque<Sender> onTheWay = new ArrayDeque<>();
    private final ArrayDeque<Long> sentNs = new ArrayDeque<>();
    private int credits;
    private int plenty = 32;
    private long nowNs;

    /** One that has always something to send; it tries when it is told to. */
    private final class Sender {
        private final TurnQueue.Turn turn = new TurnQueue.Turn(this::wake);
        private int served;
        private int inFlight;
        private boolean isWoken;
        private boolean isStalled;

        private boolean trySend(final int messages) {
            if (!queue.mayGo(turn, messages, credits, plenty, nowNs)) {
                queue.ask(turn, messages);
                return false;
            }
            queue.done(turn);
            credits -= messages;
            assertThat(credits).isNotNegative();
            if (queue.advance(nowNs)) {
                queue.wake(credits, nowNs);
            }
            served++;
            inFlight++;
            onTheWay.add(this);
            sentNs.add(nowNs);
            return true;
        }

        private boolean wake() {
            if (isStalled) {
                return false;
            }
            if (!isWoken) {
                isWoken = true;
                woken.add(this);
            }
            return true;
        }
    }

    /** Nobody waits for one who may send nowhere: the next round begins at once, with all credits. */
    @Test
    void whoIsStalledKeepsNobodyWaiting() {
        senders(3);
        credits = 1;
        assertThat(senders.get(0).trySend(1)).isTrue();
        assertThat(senders.get(1).trySend(1)).isFalse();
        assertThat(senders.get(2).trySend(1)).isFalse();
        assertThat(senders.get(0).trySend(1)).as("waits for the next round").isFalse();
        senders.get(1).isStalled = true;
        senders.get(2).isStalled = true;
        grant(2);
        assertThat(woken).containsExactly(senders.get(0));
        assertThat(senders.get(0).trySend(2)).isTrue();
        senders.get(1).isStalled = false;
        assertThat(senders.get(1).trySend(1)).isFalse();
        grant(1);
        assertThat(senders.get(1).trySend(1)).as("where he is released he comes again").isTrue();
    }

    @BeforeEach
    void nothing() {
        credits = 0;
        nowNs = 0;
    }

    private void senders(final int count) {
        for (int i = 0; i < count; i++) {
            senders.add(new Sender());
        }
    }

    private double share() {
        final int[] served = senders.stream().mapToInt(sender -> sender.served).toArray();
        return (double) Arrays.stream(served).min().orElseThrow() / Arrays.stream(served).max().orElseThrow();
    }

    private void grant(final int more) {
        credits += more;
        queue.wake(credits, nowNs);
    }

    /** Each has so many on their way, and sends another one when one has come back, or when it is woken. */
    @ParameterizedTest(name = "{0} senders of depth {1}, {2} credits, granted by {3}")
    @CsvSource({"20, 8, 64, 8", "20, 64, 64, 8", "3, 8, 7, 2", "5, 4, 8, 1", "50, 16, 64, 32"})
    void whoHasMoreOnItsWayGetsNoMore(final int count, final int depth, final int all, final int batch) {
        senders(count);
        credits = all;
        plenty = all / 2;
        for (final Sender sender : senders) {
            while (sender.inFlight < depth && sender.trySend(1)) {
                nowNs++;
            }
        }
        for (int i = 0; i < 20_000; i++) {
            nowNs += 1_000;
            final List<Sender> back = new ArrayList<>();
            for (int k = 0; k < batch && !onTheWay.isEmpty(); k++) {
                back.add(onTheWay.remove());
            }
            grant(back.size());
            for (final Sender sender : back) {
                sender.inFlight--;
                go(sender, depth);
            }
            for (int left = woken.size(); left > 0; left--) {
                final Sender sender = woken.remove();
                sender.isWoken = false;
                go(sender, depth);
            }
        }
        assertThat(share()).isGreaterThanOrEqualTo(LEAST_SHARE);
    }

    private static void go(final Sender sender, final int depth) {
        boolean isTaken = true;
        while (isTaken && sender.inFlight < depth) {
            isTaken = sender.trySend(1);
        }
    }

    /** They try one after another, each time in the same order, with what was granted since. */
    @ParameterizedTest(name = "{0} senders, {1} credits a time")
    @CsvSource({"3, 2", "5, 1", "7, 5", "20, 13", "4, 4", "4, 6", "3, 10", "5, 12"})
    void whoTriesFirstGetsNoMore(final int count, final int granted) {
        senders(count);
        for (int i = 0; i < 10_000; i++) {
            nowNs += 1_000;
            grant(granted);
            while (senders.stream().mapToInt(sender -> sender.trySend(1) ? 1 : 0).sum() > 0) {
                onTheWay.clear();
            }
        }
        assertThat(share()).isGreaterThanOrEqualTo(LEAST_SHARE);
        assertThat(senders.stream().mapToInt(sender -> sender.served).sum())
                .as("credits are used").isGreaterThan(10_000 * granted - 64);
    }

    /** All that was sent is confirmed at once; they try in the same order, one each or as much as each can. */
    @ParameterizedTest(name = "{0} senders, {1} credits, all that each can: {2}")
    @CsvSource({
        "4, 6, false", "2, 7, false", "5, 16, false", "6, 14, false", "30, 64, false", "8, 64, false",
        "4, 6, true", "2, 7, true", "2, 64, true", "5, 16, true", "30, 64, true"
    })
    void whoTriesFirstGetsNoMoreOfWhatIsLeftOver(final int count, final int most, final boolean isGreedy) {
        senders(count);
        plenty = most - most / 8;
        for (int i = 0; i < 1_000; i++) {
            nowNs += 1_000;
            grant(most - credits);
            int sent = 1;
            while (sent > 0) {
                sent = 0;
                for (final Sender sender : senders) {
                    while (sender.trySend(1) && isGreedy) {
                        sent++;
                    }
                }
                sent += onTheWay.size();
                onTheWay.clear();
            }
            assertThat(credits).as("credits are used").isZero();
        }
        assertThat(share()).isGreaterThanOrEqualTo(LEAST_SHARE);
    }

    /**
     * One thread looks after all of them in the same order each time, and is so slow that the last come when they have
     * lost their places.
     */
    @ParameterizedTest(name = "{0} senders that need {1} us each to come, of {2} credits, each with {3} on its way")
    @CsvSource({"100, 500, 64, 1", "100, 500, 64, 4", "300, 1000, 64, 2", "20, 5000, 8, 2", "100, 100, 64, 2"})
    void whoComesLateEachTimeIsServedAll(final int count, final int costUs, final int most, final int depth) {
        senders(count);
        plenty = most - most / 8;
        credits = most;
        senders.forEach(Sender::wake);
        for (int i = 0; i < 50 * count; i++) {
            for (final Sender sender : senders) {
                if (sender.isWoken) {
                    sender.isWoken = false;
                    nowNs += costUs * 1_000L;
                    go(sender, depth);
                    tick();
                }
            }
            nowNs += 1_000_000;
            tick();
        }
        assertThat(share()).isGreaterThanOrEqualTo(LEAST_SHARE);
    }

    /** What was sent long ago comes back, and the driver has a turn. */
    private void tick() {
        int back = 0;
        while (!onTheWay.isEmpty() && nowNs - sentNs.element() > 40_000_000) {
            final Sender sender = onTheWay.remove();
            sentNs.remove();
            sender.inFlight--;
            sender.wake();
            back++;
        }
        if (queue.age(nowNs) || queue.advance(nowNs) || back > 0) {
            grant(back);
        }
    }

    @Test
    void whoWantsManyIsNotOvertakenForEver() {
        senders(3);
        for (int i = 0; i < 1_000; i++) {
            nowNs += 1_000;
            grant(1);
            senders.get(0).trySend(1);
            senders.get(1).trySend(8);
            senders.get(2).trySend(1);
        }
        assertThat(senders.get(1).served).isGreaterThan(1_000 / (8 + 2) - 2);
    }

    @Test
    void whereCreditsArePlentyNobodyWaitsLongForAnother() {
        senders(2);
        assertThat(senders.getFirst().trySend(1)).isFalse();
        grant(plenty + 4);
        assertThat(senders.getLast().trySend(1)).as("the first of a round").isTrue();
        nowNs += TurnQueue.AWAY_NS - 1;
        assertThat(senders.getLast().trySend(1)).as("before who waits can have come").isFalse();
        nowNs++;
        for (int i = 1; i < 3; i++) {
            assertThat(senders.getLast().trySend(1)).as("send " + i).isTrue();
        }
        assertThat(senders.getLast().trySend(1)).isFalse();
        assertThat(senders.getFirst().trySend(1)).isTrue();
        assertThat(senders.getLast().trySend(1)).isTrue();
    }

    @Test
    void whoComesAndIsRefusedAgainKeepsHisPlaceAndIsTold() {
        senders(1);
        final Sender sender = senders.getFirst();
        assertThat(sender.trySend(1)).isFalse();
        grant(1);
        assertThat(sender.isWoken).isTrue();
        sender.isWoken = false;
        credits--; // by a message that needs no turn
        assertThat(sender.trySend(1)).isFalse();
        nowNs += TurnQueue.LONGEST_KEPT_NS + 1;
        assertThat(queue.age(nowNs)).isFalse();
        grant(1);
        assertThat(sender.isWoken).isTrue();
    }

    @Test
    void whoLosesHisPlaceIsTold() {
        senders(1);
        final Sender sender = senders.getFirst();
        assertThat(sender.trySend(1)).isFalse();
        grant(1);
        sender.isWoken = false;
        nowNs += TurnQueue.KEPT_NS + 1;
        assertThat(queue.age(nowNs)).isTrue();
        assertThat(sender.isWoken).isTrue();
    }

    @Test
    void whoDoesNotComeWhileOthersTryHasHisPlaceForLongerAndNotForEver() {
        senders(2);
        assertThat(senders.getFirst().trySend(1)).isFalse();
        grant(1);
        while (nowNs < TurnQueue.LONGEST_KEPT_NS) {
            nowNs += TurnQueue.KEPT_NS / 2;
            assertThat(senders.getLast().trySend(1)).as("after %d ns", nowNs).isFalse();
            assertThat(queue.age(nowNs)).isFalse();
        }
        nowNs++;
        assertThat(queue.age(nowNs)).isTrue();
        assertThat(senders.getLast().trySend(1)).isTrue();
    }

    @Test
    void whoDoesNotComeHoldsOthersUpForALittleWhileOnly() {
        senders(2);
        final Sender gone = senders.getFirst();
        final Sender other = senders.getLast();
        assertThat(gone.trySend(1)).isFalse();
        grant(4);
        assertThat(other.trySend(1)).isTrue();
        assertThat(other.trySend(1)).as("one of the next round").isFalse();
        woken.clear();
        other.isWoken = false;
        nowNs += TurnQueue.HELD_NS - 1;
        assertThat(queue.advance(nowNs)).isFalse();
        nowNs++;
        assertThat(queue.patienceNs()).isEqualTo(TurnQueue.HELD_NS);
        assertThat(queue.advance(nowNs)).isTrue();
        queue.wake(credits, nowNs);
        assertThat(woken).contains(other);
        assertThat(other.trySend(2)).isTrue();
        assertThat(other.trySend(1)).as("the credit of who has gone").isFalse();
        nowNs += TurnQueue.KEPT_NS + 1;
        assertThat(queue.age(nowNs)).isTrue();
        queue.wake(credits, nowNs);
        assertThat(other.trySend(1)).isTrue();
        assertThat(queue.isEmpty()).isTrue();
    }

    /** Where a round takes long, many share a processor, and one who is a little late is not left out. */
    @Test
    void whoMayGoOnIsWaitedForAPartOfWhatTheRoundTook() {
        senders(2);
        final Sender late = senders.getFirst();
        final Sender other = senders.getLast();
        assertThat(late.trySend(1)).isFalse();
        nowNs = 32_000_000;
        grant(4);
        assertThat(other.trySend(1)).isTrue();
        assertThat(other.trySend(1)).as("one of the next round").isFalse();
        nowNs += TurnQueue.HELD_NS;
        assertThat(queue.advance(nowNs)).as("nothing was known of the rounds yet").isTrue();
        assertThat(other.trySend(1)).isTrue();
        assertThat(other.trySend(1)).as("one of the next round").isFalse();
        nowNs = 34_000_000;
        assertThat(queue.advance(nowNs)).as("2 ms of 32").isFalse();
        nowNs += TurnQueue.HELD_NS / TurnQueue.HELD_PART;
        assertThat(queue.advance(nowNs)).isTrue();
    }
}
