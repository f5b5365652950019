package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.PortTap;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end of an Exs. */
class ExsCloseTest {
    private static final int MOST_LOOKS = 10_000_000;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final Deque<Runnable> whenAskedForTheTime = new ArrayDeque<>();

    @AfterEach
    void close() {
        world.close();
    }

    private long time() {
        final Runnable next = whenAskedForTheTime.poll();
        if (next != null) {
            next.run();
        }
        return System.nanoTime();
    }

    /** What is left open keeps the device from being closed, and hides why. */
    @Test
    void whereItsThreadCannotBeStartedNothingIsKept() {
        try (Context context = Devices.open("soft1")) {
            assertThatThrownBy(() -> Exs.init(context, ExsOptions.DEFAULT, thread -> {
                        throw new OutOfMemoryError("a test's");
                    }))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }

    /** The device is well, and is not blamed. */
    @Test
    void nothingNewIsMadeOfWhatWasClosed() {
        final Exs exs = world.left.exs;
        exs.close();
        final List<ThrowingCallable> calls = List.of(
                () -> exs.socket(SocketType.STREAM), () -> exs.qcreate(1),
                () -> exs.mregister(Arena.global().allocate(8)));
        for (final ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining("its Exs was closed");
        }
    }

    /** As one whose driver has been destroying a queue pair for long: nobody but its Exs has the context. */
    @Test
    void aDeviceThatCannotBeClosedYetIsClosedByTheNextCall() {
        final Context real = Devices.open("soft1");
        final AtomicInteger closes = new AtomicInteger();
        final InvocationHandler refusing = (proxy, method, arguments) -> {
            if (method.getName().equals("close") && closes.getAndIncrement() == 0) {
                throw new VerbsException("closeDevice", Errno.EBUSY, "soft1", "a test's");
            }
            return method.invoke(real, arguments);
        };
        final Exs exs = Exs.own(
                (Context) Proxy.newProxyInstance(
                        Context.class.getClassLoader(), new Class<?>[] {Context.class}, refusing),
                ExsOptions.DEFAULT);
        assertThatThrownBy(exs::close).hasMessageContaining("EBUSY");
        exs.close();
        exs.close();
        assertThat(closes).hasValue(3);
    }

    /** By then the first one has closed its sockets, and not what it frees afterwards. */
    @Test
    void whoClosesItTooReturnsWhenItIsClosed() throws Exception {
        final Exs exs = Exs.init(
                Exs.VERSION, world.left.context, ExsOptions.DEFAULT.drivenByCaller(), PortTap.NONE, this::time);
        exs.socket(SocketType.STREAM);
        final List<Thread.State> seen = new ArrayList<>();
        final FutureTask<Boolean> other = new FutureTask<>(exs::close, true);
        whenAskedForTheTime.add(() -> {
            final Thread closer = Thread.ofPlatform().daemon().start(other);
            Thread.State state = closer.getState();
            for (int look = 0; look < MOST_LOOKS
                    && state != Thread.State.BLOCKED && state != Thread.State.TERMINATED; look++) {
                Thread.yield();
                state = closer.getState();
            }
            seen.add(state);
        });
        exs.close();
        assertThat(seen).containsExactly(Thread.State.BLOCKED);
        assertThat(other.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
