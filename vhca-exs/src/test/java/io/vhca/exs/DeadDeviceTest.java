package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.PortTap;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device that is dead refuses to tell of completions, before it is heard that it went away. */
@Timeout(60)
class DeadDeviceTest {
    /** By that the time goes on with each look at it. */
    private static final long LOOK_NS = 50_000;
    /** A thread that waits for so long has hundreds of turns before, and sleeps then; as that of channels does. */
    private static final long WAIT_NS = 1_000 * LOOK_NS;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final AtomicLong time = new AtomicLong();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean isDead;

    @AfterEach
    void close() {
        world.close();
    }

    private static <T> T with(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Context dying() {
        final Context context = world.left.context;
        return with(Context.class, (proxy, method, args) -> {
            final Object made = method.invoke(context, args);
            return !method.getName().equals("createCq") ? made : with(CompletionQueue.class, (cq, call, values) -> {
                if (isDead && call.getName().equals("reqNotify")) {
                    refused.incrementAndGet();
                    throw new VerbsException("reqNotifyCq", Errno.EIO, "soft0", "the device is dead");
                }
                return call.invoke(made, values);
            });
        });
    }

    private Exs init(final ExsOptions options) {
        return Exs.init(Exs.VERSION, dying(), options, PortTap.NONE, () -> time.addAndGet(LOOK_NS));
    }

    private ExsSocket accepting(final Exs exs, final ExsQueue queue) {
        final ExsSocket listener = exs.socket(SocketType.STREAM);
        listener.bind(world.left.address(17_950));
        listener.listen(4);
        assertThat(listener.accept(queue, "accept")).isZero();
        return listener;
    }

    private void awaitRefusal() {
        while (refused.get() == 0) {
            assertThat(Thread.interrupted()).as("it takes too long").isFalse();
        }
    }

    private static void isGone(final ExsQueue queue) {
        final ExsEvent[] events = {new ExsEvent()};
        assertThat(queue.qdequeue(events, Long.MAX_VALUE)).isEqualTo(1);
        assertThat(events[0].kind()).isEqualTo(EventKind.ACCEPT);
        assertThat(events[0].errno()).isEqualTo(Errno.ENODEV);
    }

    @Test
    void whoDrivesTheSocketsWaitsOn() {
        try (Exs exs = init(ExsOptions.DEFAULT.drivenByCaller())) {
            final ExsQueue queue = exs.qcreate(4);
            accepting(exs, queue);
            isDead = true;
            assertThat(queue.qdequeue(new ExsEvent[] {new ExsEvent()}, WAIT_NS)).isZero();
            assertThat(refused).hasPositiveValue();
            ExsWorld.kill("soft0");
            isGone(queue);
        }
    }

    @Test
    void theThreadOfTheSocketsGoesOn() {
        try (Exs exs = init(ExsOptions.DEFAULT)) {
            final ExsQueue queue = exs.qcreate(4);
            accepting(exs, queue);
            isDead = true;
            awaitRefusal();
            ExsWorld.kill("soft0");
            isGone(queue);
        }
    }

    @Test
    void theThreadOfChannelsGoesOn() {
        try (Exs exs = init(ExsOptions.DEFAULT.drivenByCaller()); ExsChannels channels = new ExsChannels(exs)) {
            final CompletableFuture<ExsChannel> accepted =
                    channels.listen(world.left.address(17_950), 4).accept();
            isDead = true;
            awaitRefusal();
            ExsWorld.kill("soft0");
            assertThatThrownBy(() -> accepted.get(30, TimeUnit.SECONDS)).hasMessageContaining("ENODEV");
        }
    }
}
