package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
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
