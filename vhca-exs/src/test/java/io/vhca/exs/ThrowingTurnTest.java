package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.exs.engine.PortTap;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns that throw, from one moment on: nobody waits for what they would have brought. */
@Timeout(60)
class ThrowingTurnTest {
    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final Thread.@Nullable UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    private volatile @Nullable Error broken;

    @AfterEach
    void close() {
        Thread.setDefaultUncaughtExceptionHandler(before);
        world.close();
    }

    private static <T> T with(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Exs init(final ExsOptions options) {
        final Context breaking = with(Context.class, (proxy, method, args) -> {
            final Object made = method.invoke(world.left.context, args);
            return !method.getName().equals("createEventChannel") ? made : with(
                    CmEventChannel.class, (channel, call, values) -> {
                        final Error thrown = broken;
                        if (thrown != null && call.getName().equals("getEvent")) {
                            throw thrown;
                        }
                        return call.invoke(made, values);
                    });
        });
        return Exs.init(Exs.VERSION, breaking, options, PortTap.NONE, System::nanoTime);
    }

    @Test
    void whatWaitsForTheThreadOfChannelsEnds() throws Exception {
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> told.complete(thrown));
        try (Exs exs = init(ExsOptions.DEFAULT.drivenByCaller());
                ExsChannels channels = new ExsChannels(exs);
                ExsChannels servers = new ExsChannels(world.right.exs)) {
            final ExsChannels.Listener listener = servers.listen(world.right.address(17_960), 4);
            listener.accept();
            final ExsChannel client = channels.connect(listener.address()).get(30, TimeUnit.SECONDS);
            final Future<Integer> reading = client.read(ByteBuffer.allocate(10));
            broken = new AssertionError("a test's");
            assertThatThrownBy(() -> reading.get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("EIO")
                    .hasMessageContaining("the thread that drives the sockets has ended: ");
            assertThat(told.get(30, TimeUnit.SECONDS)).hasMessage("a test's");
            assertThatThrownBy(() -> channels.connect(listener.address()).get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("its thread has ended");
        }
    }

    /** It runs on the thread that ends, and must not wait for it. */
    @Test
    void theHandlerOfWhatTheThreadThrewMayCloseTheSockets() throws Exception {
        final Exs exs = init(ExsOptions.DEFAULT);
        final CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            exs.close();
            closed.complete(true);
        });
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        broken = new AssertionError("a test's");
        socket.close(); // the thread looks up
        assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
        exs.close();
    }

    /** As in a full heap, where no sentence can be made of why: what is not ended at once has its time to linger. */
    @Test
    void socketsThatCannotBeEndedAtOnceAreClosedAllTheSame() throws Exception {
        final CompletableFuture<Boolean> told = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> told.complete(true));
        final Exs exs = init(ExsOptions.DEFAULT.with(ExsSetting.LINGER_MS, 1));
        final ExsQueue queue = exs.qcreate(4);
        final ExsSocket listener = world.listen(SocketType.STREAM);
        listener.accept(world.right.queue, null);
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        socket.connect(Objects.requireNonNull(listener.localAddress()), queue, null);
        assertThat(world.await(world.right).errno()).isZero();
        final ExsEvent[] events = {new ExsEvent()};
        assertThat(queue.qdequeue(events, Long.MAX_VALUE)).isOne();
        assertThat(events[0].errno()).isZero();
        final ExsMemory memory = exs.mregister(world.arena.allocate(1 << 20));
        assertThat(socket.send(memory, 0, 1 << 20, 0, queue, null)).isNotNegative(); // nobody receives it
        broken = new Unspeakable();
        socket.close(); // the thread looks up
        assertThat(told.get(30, TimeUnit.SECONDS)).isTrue();
        exs.close();
        assertThatThrownBy(() -> exs.socket(SocketType.STREAM)).hasMessageContaining("EINVAL");
    }

    /** What nothing can be said of. */
    private static final class Unspeakable extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw this;
        }
    }
}
