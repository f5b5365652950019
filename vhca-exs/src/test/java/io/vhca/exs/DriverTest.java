package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.exs.engine.EngineSizes;
import io.vhca.exs.engine.PortTap;
import io.vhca.exs.wire.MessageDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection that the device has no room for leaves nothing behind. */
class DriverTest {
    private static final EngineSizes SIZES = ExsOptions.DEFAULT.sizes();
    private static final EngineSizes OTHERS = ExsOptions.DEFAULT.with(ExsSetting.SMALL_PACKET, 100).sizes();
    private static final int TRIES = 100;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private boolean isFull;
    private boolean isOutOfMemory;
    private final List<Long> registered = new ArrayList<>();
    private final List<MemorySegment> refused = new ArrayList<>();
    private final Driver driver = new Driver(
            like(
                    Context.class,
                    like(Context.class, world.left.context, "allocPd", args -> like(
                            ProtectionDomain.class, world.left.context.allocPd(), "regMr", this::register)),
                    "createEventChannel", args -> like(
                            CmEventChannel.class, world.left.context.createEventChannel(), "createId", this::createId)),
            false, PortTap.NONE, System::nanoTime);
    private final ExsSocket socket = new ExsSocket(driver, SocketType.STREAM, ExsOptions.DEFAULT);

    /** What one method answers in place of another object's; null: that one is asked. */
    private interface Answer {
        @Nullable Object to(Object[] args);
    }

    /** An id that has no room for a queue pair. */
    private static final CmId FULL = like(CmId.class, "full", "createQp", args -> {
        throw noRoom("createQp");
    });

    /** Its route is known, and a queue pair is asked for; or it is a request. */
    private record Event(CmEventType type, CmId id) implements CmEvent {
        @Override
        public @Nullable CmId listenId() {
            return null;
        }

        @Override
        public int status() {
            return 0;
        }

        @Override
        public byte[] privateData() {
            return new byte[0];
        }

        @Override
        public ConnectParameters parameters() {
            return ConnectParameters.of(new byte[0]);
        }

        @Override
        public void ack() {
            // nobody waits for it
        }
    }

    private static <T> T like(final Class<T> type, final Object other, final String name, final Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    final Object own = method.getName().equals(name) ? answer.to(args) : null;
                    return own == null ? invoke(method, other, args) : own;
                }));
    }

    private static @Nullable Object invoke(final Method method, final Object of, final Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(of, args);
        } catch (final InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static VerbsException noRoom(final String call) {
        return new VerbsException(call, Errno.ENOMEM, "soft0", "it has no more");
    }

    private @Nullable Object register(final Object[] args) {
        if (isFull) {
            refused.add((MemorySegment) args[0]);
            throw noRoom("regMr");
        }
        if (isOutOfMemory) {
            refused.add((MemorySegment) args[0]);
            throw new OutOfMemoryError("a test's");
        }
        registered.add(((MemorySegment) args[0]).byteSize());
        return null;
    }

    private @Nullable Object createId(final Object[] args) {
        if (isFull) {
            throw noRoom("createId");
        }
        return null;
    }

    @AfterEach
    void close() {
        driver.close();
        world.close();
    }

    private Connection connect(final EngineSizes sizes) {
        driver.lock();
        try {
            return driver.connect(socket, sizes);
        } finally {
            driver.unlock();
        }
    }

    @Test
    void whereNoQueuePairCanBeMadeItsPlaceAndItsRoomAreGivenBack() {
        final int cqe = driver.cqOf(connect(SIZES)).cqe();
        for (int time = 0; time < TRIES; time++) {
            driver.locked(() -> socket.onEvent(new Event(CmEventType.ROUTE_RESOLVED, FULL)));
        }
        assertThat(socket.failure()).contains("createQp").contains("it has no more");
        final Connection next = connect(SIZES);
        assertThat(next.id()).isEqualTo(1);
        assertThat(driver.cqOf(next).cqe()).isEqualTo(cqe);
    }

    /** Else the device cannot be closed. */
    @Test
    void whereNoDriverCanBeMadeNothingIsKept() {
        try (Context context = Devices.open("soft1")) {
            for (final String call : List.of("createCompChannel", "createCq", "createEventChannel")) {
                final Context full = like(Context.class, context, call, args -> {
                    throw noRoom(call);
                });
                assertThatThrownBy(() -> new Driver(full, false, PortTap.NONE, System::nanoTime))
                        .hasMessageContaining(call);
            }
        }
    }

    /** An id that stays open keeps the device from being closed. */
    @Test
    void whoCannotEvenBeRefusedIsClosed() {
        final List<String> done = new ArrayList<>();
        final CmId closable = like(CmId.class, "gone", "close", args -> done.add("close"));
        final CmId gone = like(CmId.class, closable, "reject", args -> {
            throw new VerbsException("reject", Errno.ENODEV, "soft0", "it is gone");
        });
        driver.locked(() -> socket.onEvent(new Event(CmEventType.CONNECT_REQUEST, gone)));
        assertThat(done).containsExactly("close");
    }

    /** One who went on making sockets kept the close from ending. */
    @Test
    void onceItIsBeingClosedThereAreNoMoreSockets() {
        final Deque<Driver> asked = new ArrayDeque<>();
        final List<VerbsException> answers = new ArrayList<>();
        final Driver closed = new Driver(world.left.context, false, PortTap.NONE, () -> {
            while (!asked.isEmpty()) {
                try {
                    new ExsSocket(asked.remove(), SocketType.STREAM, ExsOptions.DEFAULT).close();
                } catch (final VerbsException e) {
                    answers.add(e);
                }
            }
            return System.nanoTime();
        });
        new ExsSocket(closed, SocketType.STREAM, ExsOptions.DEFAULT);
        asked.add(closed); // when the close of that one asks for the time
        closed.close();
        assertThat(answers).hasSize(1).first().returns(Errno.EINVAL, VerbsException::errno);
    }

    /** The same queue each time: its one place is free again. */
    @Test
    void whereNoIdCanBeMadeTheConnectEndsInItsEvent() {
        final ExsQueue queue = new ExsQueue(driver, 1);
        final ExsEvent[] events = {new ExsEvent()};
        isFull = true;
        for (int time = 0; time < TRIES; time++) {
            assertThat(socket.connect(world.right.address(9), queue, time)).isZero();
            assertThat(queue.qdequeue(events, 0)).isEqualTo(1);
            assertThat(events[0].kind()).isEqualTo(EventKind.CONNECT);
            assertThat(events[0].errno()).isEqualTo(Errno.ENOMEM);
            assertThat(events[0].cookie()).isEqualTo(time);
        }
        assertThat(socket.failure()).contains("createId").contains("it has no more");
        queue.qdelete();
    }

    @Test
    void whereMessageSlotsCannotBeRegisteredNothingIsKept() {
        final int cqe = driver.cqOf(connect(SIZES)).cqe();
        isFull = true;
        for (int time = 0; time < TRIES; time++) {
            assertThatThrownBy(() -> connect(OTHERS)).hasMessageContaining("ENOMEM");
        }
        isFull = false;
        final Connection next = connect(OTHERS);
        assertThat(next.id()).isEqualTo(1);
        assertThat(driver.cqOf(next).cqe()).isEqualTo(cqe);
        assertThat(refused).hasSize(TRIES).noneMatch(memory -> memory.scope().isAlive());
    }

    /** The thread of all sockets would end. */
    @Test
    void whereThereIsNoMemoryForMessageSlotsTheConnectFailsAndNothingIsKept() {
        final int cqe = driver.cqOf(connect(SIZES)).cqe();
        isOutOfMemory = true;
        for (int time = 0; time < TRIES; time++) {
            assertThatThrownBy(() -> connect(OTHERS))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ENOMEM")
                    .hasMessageContaining("fewer credits");
        }
        isOutOfMemory = false;
        final Connection next = connect(OTHERS);
        assertThat(next.id()).isEqualTo(1);
        assertThat(driver.cqOf(next).cqe()).isEqualTo(cqe);
        assertThat(refused).hasSize(TRIES).noneMatch(memory -> memory.scope().isAlive());
    }

    @Test
    void theMessageSlotsOfALargeSocketAreMadeForItAlone() {
        final EngineSizes large = ExsOptions.DEFAULT
                .with(ExsSetting.SMALL_PACKET, 4_096 - MessageDescriptor.SIZE)
                .with(ExsSetting.DATA_CREDITS, 4_096)
                .sizes();
        connect(SIZES);
        connect(large);
        assertThat(registered).containsExactly(16L * 64 * 512, (4_096L + 16 + 16) * 4_096);
    }

    /** Who waits for an event would wait for ever. */
    @Test
    void whereTheThreadEndsSoDoesWhatWaitsForIt() {
        final AtomicBoolean isBroken = new AtomicBoolean();
        final Context context = like(Context.class, world.left.context, "createEventChannel", args -> like(
                CmEventChannel.class, world.left.context.createEventChannel(), "getEvent", none -> {
                    if (isBroken.get()) {
                        throw new AssertionError("a test's");
                    }
                    return null;
                }));
        final Driver broken = new Driver(context, true, PortTap.NONE, System::nanoTime);
        final ExsThread thread = new ExsThread(broken, Thread::start);
        try {
            final ExsQueue queue = new ExsQueue(broken, 1);
            final ExsSocket connecting = new ExsSocket(broken, SocketType.STREAM, ExsOptions.DEFAULT);
            connecting.connect(ExsWorld.address(world.listen(SocketType.STREAM)), queue, "c");
            isBroken.set(true);
            final ExsEvent[] events = {new ExsEvent()};
            assertThat(queue.qdequeue(events, ExsWorld.PATIENCE_NS)).isEqualTo(1);
            assertThat(events[0].errno()).isEqualTo(Errno.EIO);
            assertThat(connecting.failure()).contains("the thread that drives the sockets has ended: ");
            assertThatThrownBy(() -> new ExsSocket(broken, SocketType.STREAM, ExsOptions.DEFAULT))
                    .hasMessageContaining("its thread has ended");
        } finally {
            thread.close();
            isBroken.set(false);
            broken.close();
        }
    }
}
