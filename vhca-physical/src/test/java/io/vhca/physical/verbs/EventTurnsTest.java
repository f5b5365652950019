package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.verbs.lib.Visitors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A thread alone at a channel of one queue, whose adapter counts what it has told. */
class EventTurnsTest implements EventTurns.Events<String> {
    private static final String QUEUE = "queue";

    private final Visitors visitors = new Visitors();
    private final EventTurns<String> turns = new EventTurns<>(this, visitors);
    private int events;
    /** How many events the library has read: who asks sends it along. */
    private int count;
    private int firedCount = -1;
    private boolean isArmed;

    @Override
    public boolean take() {
        if (events == 0) {
            return false;
        }
        events--;
        count++;
        return true;
    }

    @Override
    public @Nullable String taken() {
        return QUEUE;
    }

    @Override
    public String only() {
        return QUEUE;
    }

    private void reqNotify() {
        turns.settle(QUEUE);
        isArmed |= count != firedCount;
    }

    private void complete() {
        if (isArmed) {
            isArmed = false;
            firedCount = count;
            events++;
        }
    }

    /** What a thread has that waits, while something completes where that is told; null where nothing is. */
    private @Nullable String had() {
        visitors.enter();
        final long visit = visitors.visit();
        final String read = turns.read(true);
        complete();
        final String had = read == null && events > 0 && turns.give(QUEUE, visit) ? QUEUE : read;
        visitors.leave();
        return had;
    }

    @Test
    void whoAsksAnewWithAnEventThatIsUnreadIsHeard() {
        for (int round = 0; round < 3; round++) {
            reqNotify();
            assertThat(had()).as("round %d", round).isEqualTo(QUEUE);
            assertThat(events).as("it is unread").isOne();
        }
        assertThat(had()).as("nobody asked").isNull();
        assertThat(events).isZero();
    }

    @Test
    void anEventBehindTheUnreadOneIsNotLost() {
        reqNotify();
        assertThat(had()).isEqualTo(QUEUE);
        reqNotify();
        complete();
        reqNotify();
        assertThat(turns.read(true)).isEqualTo(QUEUE);
        assertThat(events).isZero();
    }

    @Test
    void whoAsksAfterAnEventThatWasReadReadsNone() {
        reqNotify();
        complete();
        assertThat(turns.read(false)).isEqualTo(QUEUE);
        reqNotify();
        complete();
        reqNotify();
        assertThat(events).isOne();
    }
}
