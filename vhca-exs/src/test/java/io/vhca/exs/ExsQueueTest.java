package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues whose end comes while somebody waits there, or while events are left. */
class ExsQueueTest {
    private static final int MOST_LOOKS = 1_000_000;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");

    @AfterEach
    void close() {
        world.close();
    }

    /** The second accept was asked for later and is there: so is the event of the first one. */
    @Test
    void aSocketWhoseAcceptNobodyTookIsClosedWithTheQueue() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsQueue deleted = world.right.exs.qcreate(1);
        listener.accept(deleted, null);
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.connect(ExsWorld.address(listener), world.left.queue, "connect");
        assertThat(world.await(world.left).errno()).isZero();
        world.connect(listener, world.left.exs.socket(SocketType.STREAM));
        deleted.qdelete();
        client.recv(world.arena.allocate(10), 0, world.left.queue, "end");
        assertThat(world.await(world.left))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, 0, false, "end", null));
    }

    @Test
    void whereAnEventIsMissingNoneIsLost() {
        final ExsQueue queue = world.left.exs.qcreate(2);
        final ExsSocket listener = world.left.exs.socket(SocketType.STREAM);
        listener.bind(world.left.address(17_950));
        listener.listen(1);
        listener.accept(queue, 0);
        listener.accept(queue, 1);
        listener.close();
        final ExsEvent[] events = new ExsEvent[2];
        events[0] = new ExsEvent();
        assertThatThrownBy(() -> queue.qdequeue(events, 0)).isInstanceOf(NullPointerException.class);
        events[1] = new ExsEvent();
        assertThat(queue.qdequeue(events, 0)).isEqualTo(2);
        assertThat(events).extracting(ExsEvent::cookie).containsExactly(0, 1);
        assertThat(queue.qdequeue(events, 0)).isZero();
    }

    /** Asked before who waits there sleeps, and when a word comes that may be for another one. */
    @Test
    void whoWaitsHasSomethingOnceTheQueueIsDeleted() {
        final ExsQueue queue = world.left.exs.qcreate(1);
        assertThat(queue.isFilled().getAsBoolean()).isFalse();
        queue.qdelete();
        assertThat(queue.isFilled().getAsBoolean()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void whoWaitsAtAQueueThatEndsGetsNothing(final boolean hasThread, final boolean isDeleted) throws Exception {
        final ExsOptions options = ExsOptions.DEFAULT;
        final Exs exs =
                Exs.init(Exs.VERSION, world.left.context, hasThread ? options : options.drivenByCaller());
        final ExsQueue queue = exs.qcreate(1);
        final FutureTask<Integer> waiting =
                new FutureTask<>(() -> queue.qdequeue(new ExsEvent[] {new ExsEvent()}, Long.MAX_VALUE));
        final Thread waiter = Thread.ofPlatform().daemon().start(waiting);
        for (int look = 0; look < MOST_LOOKS && waiter.getState() != Thread.State.TIMED_WAITING; look++) {
            Thread.yield(); // it waits as well as not, and would wait for ever
        }
        if (isDeleted) {
            queue.qdelete();
        } else {
            exs.close();
        }
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(queue.qdequeue(new ExsEvent[] {new ExsEvent()}, Long.MAX_VALUE)).as("later too").isZero();
        exs.close();
    }
}
