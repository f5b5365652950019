package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.VerbsException;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VerbsCallsTest {
    private final Arena arena = Arena.ofShared();
    private final HandleTable handles = new HandleTable();
    private final VerbsCalls verbs = new VerbsCalls(handles);
    private final List<Long> posted = new ArrayList<>();

    @AfterEach
    void free() {
        arena.close();
    }

    /** A queue pair that answers these to posts, one after the other. */
    private long qp(final Integer... answers) {
        final List<Integer> left = new ArrayList<>(List.of(answers));
        return handles.put(like(QueuePair.class, (proxy, method, arguments) -> {
            posted.add((Long) arguments[0]);
            return left.removeFirst();
        }));
    }

    private static <T> T like(final Class<T> type, final InvocationHandler answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
    }

    /** A chain of that many requests. */
    private long[] chain(final int length) {
        final long[] wrs = new long[length];
        for (int i = length - 1; i >= 0; i--) {
            wrs[i] = arena.allocate(SendWrDescriptor.SIZE, 8).address();
            NativeMemory.putLong(wrs[i] + SendWrDescriptor.NEXT_OFFSET, i == length - 1 ? 0 : wrs[i + 1]);
        }
        return wrs;
    }

    @Test
    void whatWasNotPostedOfAChainIsPostedAgain() {
        final long[] wrs = chain(4);
        assertThat(verbs.postSend(qp(1, 2, 1), wrs[0])).isZero();
        assertThat(posted).containsExactly(wrs[0], wrs[1], wrs[3]);
        posted.clear();
        assertThat(verbs.postRecv(qp(3, 1), wrs[0])).isZero();
        assertThat(posted).containsExactly(wrs[0], wrs[3]);
    }

    @Test
    void theFirstThatIsRefusedEndsAChain() {
        final long[] wrs = chain(4);
        assertThat(verbs.postSend(qp(2, -Errno.ENOMEM), wrs[0])).isEqualTo(-Errno.ENOMEM);
        assertThat(posted).containsExactly(wrs[0], wrs[2]);
        posted.clear();
        assertThat(verbs.postRecv(qp(-Errno.EINVAL), wrs[0])).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void aQueuePairThatIsGoneIsNamed() {
        assertThatThrownBy(() -> verbs.postSend(12, 0))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("postSend on QueuePair 0xc failed (EINVAL): it is closed, or was never open");
    }

    /** libibverbs waits in poll(2), where a thread of Java is not interrupted; a channel here gives nothing then. */
    @Test
    void anInterruptEndsNoWait() {
        final CompletionQueue queue = like(CompletionQueue.class, (proxy, method, arguments) -> null);
        final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
        final CompletionChannel waits = like(CompletionChannel.class, (proxy, method, arguments) ->
                Thread.currentThread().isInterrupted() ? null : events.poll());
        final Context context = like(Context.class, (proxy, method, arguments) ->
                method.getName().equals("createCompChannel") ? waits : null);
        final long channel = verbs.createCompChannel(new OpenDevice(handles, context).handle());
        for (final int timeoutMs : new int[] {-1, 3_600_000, 0}) {
            events.add(queue);
            Thread.currentThread().interrupt();
            assertThat(verbs.getCqEvent(channel, timeoutMs)).isTrue();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(verbs.getCqEvent(channel, timeoutMs)).as("none in that time").isFalse();
        }
    }
}
