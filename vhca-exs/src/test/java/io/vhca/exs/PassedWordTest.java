package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.exs.engine.PortTap;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that wait at queues of their own, and drive the sockets meanwhile. */
class PassedWordTest {
    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final Completions completions = new Completions(world.left.context.createCompChannel());
    private final Driver driver = new Driver(context(), false, PortTap.NONE, System::nanoTime);

    /** Wakes who fell asleep last, and nobody wakes by himself. */
    private static final class Completions implements CompletionChannel {
        private final CompletionChannel real;
        private final Deque<Semaphore> asleep = new ArrayDeque<>();
        private final Semaphore fellAsleep = new Semaphore(0);

        private Completions(final CompletionChannel real) {
            this.real = real;
        }

        @Override
        public Context context() {
            return real.context();
        }

        @Override
        public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
            final Semaphore word = new Semaphore(0);
            synchronized (asleep) {
                asleep.push(word);
            }
            fellAsleep.release();
            word.acquireUninterruptibly();
            return null;
        }

        @Override
        public void wakeUp() {
            synchronized (asleep) {
                final Semaphore last = asleep.poll();
                if (last != null) {
                    last.release();
                }
            }
        }

        @Override
        public void close() {
            real.close();
            synchronized (asleep) {
                asleep.forEach(Semaphore::release);
            }
        }
    }

    private Context context() {
        final Context real = world.left.context;
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, args) -> {
                    if (method.getName().equals("createCompChannel")) {
                        return completions;
                    }
                    try {
                        return method.getName().equals("createCq")
                                ? real.createCq((int) args[0], args[1], completions.real)
                                : method.invoke(real, args);
                    } catch (final InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @AfterEach
    void close() {
        driver.close();
        world.close();
    }

    private FutureTask<Integer> waitingAt(final ExsQueue queue) throws InterruptedException {
        final FutureTask<Integer> call =
                new FutureTask<>(() -> queue.qdequeue(new ExsEvent[] {new ExsEvent()}, Long.MAX_VALUE));
        Thread.ofPlatform().daemon().start(call);
        assertThat(completions.fellAsleep.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        return call;
    }

    /** The other one was woken; it would have slept on, and the event would have waited as long as a sleep is. */
    @Test
    void whoIsWokenByAnEventOfAnotherQueuePassesTheWordOn() throws Exception {
        final ExsQueue queue = new ExsQueue(driver, 1);
        final FutureTask<Integer> first = waitingAt(queue);
        final FutureTask<Integer> second = waitingAt(new ExsQueue(driver, 1));
        final ExsSocket socket = new ExsSocket(driver, SocketType.STREAM, ExsOptions.DEFAULT);
        driver.locked(() -> {
            queue.reserve();
            queue.post(EventKind.CONNECT, socket, "an event", 0, null);
        });
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(second.isDone()).isFalse();
    }
}
