package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Connections find room for their completions, in one queue as long as the device lets it grow. */
class CompletionQueuesTest {
    private static final int MOST_CQE = 6_000;

    private final List<Queue> created = new ArrayList<>();
    private final CompletionQueues queues = new CompletionQueues(MOST_CQE, cqe -> {
        created.add(new Queue(cqe));
        return created.getLast();
    });

    /** One that only has a size. */
    private static final class Queue implements CompletionQueue {
        private int cqe;
        private int armed;
        private boolean isClosed;

        private Queue(final int cqe) {
            this.cqe = cqe;
        }

        @Override
        public Context context() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public @Nullable Object cqContext() {
            return null;
        }

        @Override
        public @Nullable CompletionChannel channel() {
            return null;
        }

        @Override
        public int cqe() {
            return cqe;
        }

        @Override
        public int poll(final long wcAddress, final int maxEntries) {
            return 0;
        }

        @Override
        public void reqNotify(final boolean solicitedOnly) {
            armed++;
        }

        @Override
        public void resize(final int to) {
            assertThat(to).isBetween(cqe, MOST_CQE);
            cqe = to;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    @Test
    void oneGrowsUntilTheDeviceLetsItGrowNoMore() {
        for (int connection = 0; connection < 20; connection++) {
            assertThat(queues.promise(connection, 150)).isTrue();
        }
        assertThat(created).hasSize(1);
        assertThat(created.getFirst().cqe).isEqualTo(MOST_CQE / 2);

        assertThat(queues.promise(20, 150)).isTrue();
        assertThat(created).hasSize(2);
        assertThat(queues.of(19)).isSameAs(created.getFirst());
        assertThat(queues.of(20)).isSameAs(created.getLast());
        assertThat(queues.polled()).containsExactlyElementsOf(created);
    }

    @Test
    void roomThatIsGivenBackIsUsedAgain() {
        for (int connection = 0; connection < 40; connection++) {
            queues.promise(connection, 150);
        }
        queues.release(3, 150);
        assertThat(queues.promise(100, 150)).isTrue();
        assertThat(queues.of(100)).isSameAs(created.getFirst());
        assertThat(created).hasSize(2);
    }

    @Test
    void whatNoQueueHoldsIsRefused() {
        assertThat(queues.promise(0, MOST_CQE + 1)).isFalse();
        assertThat(queues.promise(0, MOST_CQE)).isTrue();
        assertThat(queues.promise(1, MOST_CQE)).isTrue();
        assertThat(created).allMatch(queue -> queue.cqe == MOST_CQE);
    }

    @Test
    void allAreArmedAndClosed() {
        queues.promise(0, MOST_CQE);
        queues.promise(1, MOST_CQE);
        queues.arm();
        queues.close();
        assertThat(created).hasSize(2).allMatch(queue -> queue.armed == 1 && queue.isClosed);
    }
}
