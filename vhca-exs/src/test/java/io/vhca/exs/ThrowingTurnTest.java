package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.exs.engine.PortTap;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
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
    private volatile boolean isBroken;

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
                        if (isBroken && call.getName().equals("getEvent")) {
                            throw new AssertionError("a test's");
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
            isBroken = true;
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
        isBroken = true;
        socket.close(); // the thread looks up
        assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
        exs.close();
    }
}
