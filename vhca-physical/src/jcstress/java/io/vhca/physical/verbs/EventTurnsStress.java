package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.Visitors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * How threads take the events of a completion channel: whatever they do at once, each event is had by one of them, also
 * one that was given to a thread before anybody read it. In place of libibverbs a count of events.
 */
public final class EventTurnsStress {
    private EventTurnsStress() {}

    /** One waits, the other one only looks, and there is one event. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one of the two had it, or nobody, and it is still there")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the event was lost, or had twice")
    @State
    public static class OneThatWaitsAndOneThatLooks {
        private final Channel channel = new Channel();

        @Actor
        public void waiting() {
            channel.await();
        }

        @Actor
        public void looking() {
            channel.come();
            channel.look();
            channel.isOver = true;
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = channel.all();
        }
    }

    /** Two wait, each for one of two events. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "each event was had once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an event was lost, or had twice")
    @State
    public static class TwoThatWait {
        private final Channel channel = new Channel();

        @Actor
        public void waiting() {
            channel.await();
        }

        @Actor
        public void waitingToo() {
            channel.come();
            channel.come();
            channel.await();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = channel.all();
        }
    }

    /** A channel with one queue, whose descriptor counts events. */
    private static final class Channel implements EventTurns.Events<Object> {
        private final Object queue = new Object();
        private final AtomicInteger unread = new AtomicInteger();
        private final AtomicInteger had = new AtomicInteger();
        private final Visitors visitors = new Visitors();
        private final EventTurns<Object> turns = new EventTurns<>(this, visitors);
        /** Nothing more comes: who waits need not. */
        private volatile boolean isOver;

        void come() {
            unread.incrementAndGet();
        }

        /** As the channel waits in poll(2): until there is one, for another thread may have read it by then. */
        void await() {
            visitors.enter();
            boolean isHad = turns.read(true) != null;
            while (!isHad) {
                final long visit = visitors.visit();
                while (unread.get() == 0 && !isOver) {
                    Thread.onSpinWait();
                }
                if (unread.get() == 0 && isOver) {
                    break;
                }
                isHad = turns.give(queue, visit) || turns.read(true) != null;
            }
            if (isHad) {
                had.incrementAndGet();
            }
            visitors.leave();
        }

        void look() {
            visitors.enter();
            if (turns.read(false) != null) {
                had.incrementAndGet();
            }
            visitors.leave();
        }

        /** Those that were had, and those that still can be. */
        int all() {
            while (turns.read(false) != null) {
                had.incrementAndGet();
            }
            return had.get();
        }

        @Override
        public boolean take() {
            return unread.get() > 0 && unread.getAndDecrement() > 0;
        }

        @Override
        public @Nullable Object taken() {
            return queue;
        }

        @Override
        public @Nullable Object only() {
            return queue;
        }
    }
}
