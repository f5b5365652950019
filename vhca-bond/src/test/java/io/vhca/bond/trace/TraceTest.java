package io.vhca.bond.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects of the data path are told who hears them, whenever that changes. */
class TraceTest {
    private final List<String> heard = new ArrayList<>();
    private final TraceSink sink = new TraceSink() {
        @Override
        public void record(
                final int event, final long object, final long word0, final long word1, final long word2,
                final long word3) {
            heard.add(TraceObject.text(object) + " " + word0);
        }

        @Override
        public void idle() {
            heard.add("idle");
        }
    };

    /** An object that tells what it is told to. */
    private static final class Queue implements Traced {
        private final int event;
        private final long object;
        private @Nullable TraceSink to;

        private Queue(final int event, final long object) {
            this.event = event;
            this.object = object;
        }

        @Override
        public int tracedEvent() {
            return event;
        }

        @Override
        public long tracedObject() {
            return object;
        }

        @Override
        public void traceTo(final @Nullable TraceSink hears) {
            to = hears;
        }
    }

    private static TraceLevels levels(final String text) {
        return TraceLevels.parse(text, TraceLevels.BY_DEFAULT);
    }

    @Test
    void aQueueIsToldWhenItBeginsWhenLevelsChangeAndWhenNobodyHears() {
        final Trace trace = new Trace(TraceLevels.BY_DEFAULT);
        final Queue queue = new Queue(TraceEventDescriptor.POSTED_SEND, TraceObject.qp(1));
        trace.add(queue);
        trace.to(sink);
        assertThat(queue.to).isNull();
        trace.levels(levels("qp:2=detail"));
        assertThat(queue.to).isNull();
        trace.levels(levels("qp:1=detail"));
        assertThat(queue.to).isSameAs(sink);
        final Queue late = new Queue(TraceEventDescriptor.POSTED_RECV, TraceObject.qp(1));
        trace.add(late);
        assertThat(late.to).isSameAs(sink);
        trace.remove(late);
        assertThat(late.to).isNull();
        trace.to(null);
        assertThat(queue.to).isNull();
    }

    @Test
    void aCompletionQueueTellsOfTheQueuePairsThatAreAskedFor() {
        final Trace trace = new Trace(TraceLevels.BY_DEFAULT);
        final Queue cq = new Queue(TraceEventDescriptor.POLLED, TraceObject.NONE);
        trace.to(sink);
        trace.add(cq);
        assertThat(cq.to).isNull();
        trace.levels(levels("qp:1=detail"));
        final TraceSink chosen = java.util.Objects.requireNonNull(cq.to);
        chosen.record(TraceEventDescriptor.POLLED, TraceObject.qp(2), 7, 0, 0, 0);
        chosen.record(TraceEventDescriptor.POLLED, TraceObject.qp(1), 8, 0, 0, 0);
        chosen.idle();
        assertThat(heard).containsExactly("qp:0x1 8", "idle");
        trace.levels(levels("poll=detail"));
        assertThat(cq.to).isSameAs(sink);
    }

    @Test
    void whatIsSaidIsPassedOnWhereItIsAskedFor() {
        final Trace trace = new Trace(levels("off,qp:1=event"));
        trace.say(TraceEventDescriptor.QP_STATE, TraceObject.qp(1), 1, 0, 0, 0);
        trace.to(sink);
        trace.say(TraceEventDescriptor.QP_STATE, TraceObject.qp(1), 2, 0, 0, 0);
        trace.say(TraceEventDescriptor.QP_STATE, TraceObject.qp(2), 3, 0, 0, 0);
        assertThat(heard).containsExactly("qp:0x1 2");
    }
}
