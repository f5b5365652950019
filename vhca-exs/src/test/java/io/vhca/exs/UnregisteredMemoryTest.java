package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.exs.engine.PortTap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory that programs did not register is kept as long as a call needs it, and much of it no longer. */
class UnregisteredMemoryTest {
    private static final int SHORT = 10;
    private static final int LONG = 100_000;
    private static final int MOST_COLLECTIONS = 1_000;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");

    @AfterEach
    void close() {
        world.close();
    }

    private WeakReference<MemorySegment> send(final ExsSocket socket) {
        final MemorySegment memory = Arena.ofAuto().allocate(SHORT).fill((byte) 7);
        socket.send(memory, 0, world.left.queue, "kept");
        return new WeakReference<>(memory);
    }

    private static void collectGarbage() {
        final WeakReference<Object> garbage = new WeakReference<>(new Object());
        for (int time = 0; time < MOST_COLLECTIONS && garbage.get() != null; time++) {
            System.gc();
        }
        assertThat(garbage.get()).isNull();
    }

    /** What is sent is copied when there is a credit, long after the call; by then nobody else may have it. */
    @Test
    void theMemoryOfASmallSendThatWaitsForACreditIsKept() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final int before = ExsOptions.DEFAULT.dataCredits();
        for (int i = 0; i < before; i++) {
            pair[0].send(world.filled(1), 0, world.left.queue, i);
            assertThat(world.await(world.left).cookie()).isEqualTo(i);
        }
        final WeakReference<MemorySegment> waiting = send(pair[0]);
        collectGarbage();
        assertThat(waiting.get()).isNotNull();

        final MemorySegment to = world.arena.allocate(before + SHORT);
        pair[1].recv(to, MessageFlags.MSG_WAITALL, world.right.queue, null);
        assertThat(world.await(world.right).bytes()).isEqualTo(before + SHORT);
        assertThat(to.asSlice(before).toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        assertThat(world.await(world.left).cookie()).isEqualTo("kept");
    }

    /** What only the garbage collector frees is not freed while it is kept. */
    @Test
    void onlySoManyBytesAreKeptRegisteredForTheNextCall() {
        final Driver driver = new Driver(world.left.context, false, PortTap.NONE, System::nanoTime);
        final RegistrationCache cache = new RegistrationCache(driver, 2 * LONG);
        final MemorySegment[] memory = new MemorySegment[4];
        final ExsMemory[] registered = new ExsMemory[memory.length];
        for (int i = 0; i < memory.length; i++) {
            memory[i] = Arena.ofAuto().allocate(LONG);
            registered[i] = cache.of("recv", memory[i]);
        }
        assertThat(cache.of("recv", memory[3])).isSameAs(registered[3]);
        assertThat(cache.of("recv", memory[2])).isSameAs(registered[2]);
        assertThatThrownBy(() -> registered[0].check("recv", "a socket", 0, 1, true))
                .hasMessageContaining("was deregistered");
        cache.of("recv", world.arena.allocate(10 * LONG));
        final MemorySegment large = world.arena.allocate(10 * LONG);
        final ExsMemory last = cache.of("recv", large);
        assertThat(cache.of("recv", large)).as("what was used last").isSameAs(last);
        cache.close();
        driver.close();
    }

    @Test
    void oneCallMayHaveMemoryOfBothKinds() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final MemorySegment to = world.arena.allocate(LONG, 64);
        final ExsMemory into = world.right.exs.mregister(to);
        for (final int bytes : new int[] {SHORT, LONG}) {
            final MemorySegment from = world.filled(bytes);
            final ExsMemory registered = world.left.exs.mregister(from);
            final ExsSlice[] out = {
                ExsSlice.of(from.asSlice(0, 2)), new ExsSlice(registered, 2, 3), ExsSlice.of(from.asSlice(5, 0)),
                ExsSlice.of(from.asSlice(5))
            };
            final ExsSlice[] in = {new ExsSlice(into, 0, 4), ExsSlice.of(to.asSlice(4, bytes - 4))};
            to.fill((byte) 0);
            pair[0].sendmsg(out, 0, world.left.queue, null);
            pair[1].recvmsg(in, MessageFlags.MSG_WAITALL, world.right.queue, null);
            assertThat(world.await(world.right).bytes()).isEqualTo(bytes);
            assertThat(world.await(world.left).errno()).isZero();
            assertThat(to.asSlice(0, bytes).mismatch(from)).isEqualTo(-1);
            registered.mderegister();
        }
        into.mderegister();
    }

    @Test
    void aPartThatCannotBeRegisteredLeavesNothingInUse() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsMemory registered = world.left.exs.mregister(world.filled(LONG));
        final ExsSlice heapByte = ExsSlice.of(MemorySegment.ofArray(new byte[1]));
        final ExsSlice[] heap = {ExsSlice.of(registered), heapByte};
        for (final ExsSlice[] parts : new ExsSlice[][] {heap, {heapByte}}) {
            assertThatThrownBy(() -> pair[0].sendmsg(parts, 0, world.left.queue, null))
                    .hasMessageContaining("only native memory");
        }
        assertThatThrownBy(() -> pair[0].recvmsg(heap, 0, world.left.queue, null))
                .hasMessageContaining("only native memory");
        final ExsSlice[] readOnly = {ExsSlice.of(registered), ExsSlice.of(world.filled(1).asReadOnly())};
        assertThatThrownBy(() -> pair[0].recvmsg(readOnly, 0, world.left.queue, null))
                .hasMessageContaining("read-only memory takes no receive");
        registered.mderegister();
        assertThat(world.left.queue.isAwaited()).isFalse();
        assertThatThrownBy(() -> new ExsSlice(null, null, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void memoryOfAClosedArenaIsRefused() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        for (final long bytes : new long[] {SHORT, LONG}) {
            final MemorySegment memory;
            try (Arena arena = Arena.ofShared()) {
                memory = arena.allocate(bytes);
            }
            assertThatThrownBy(() -> pair[0].send(memory, 0, world.left.queue, null))
                    .hasMessageContaining("(EFAULT): the memory's arena was closed");
            assertThatThrownBy(() -> pair[0].recv(memory, 0, world.left.queue, null))
                    .hasMessageContaining("(EFAULT): the memory's arena was closed");
            final ExsSlice[] slices = {ExsSlice.of(memory)};
            assertThatThrownBy(() -> pair[0].sendmsg(slices, 0, world.left.queue, null))
                    .hasMessageContaining("(EFAULT): the memory's arena was closed");
        }
        assertThat(world.left.queue.isAwaited()).isFalse();
    }

    /** A device that is gone would say so at once; nobody here has heard of it yet. */
    @Test
    void aFullQueueIsSaidBeforeAnythingIsRegistered() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsQueue full = world.left.exs.qcreate(1);
        assertThat(pair[0].recv(world.arena.allocate(SHORT), 0, full, null)).isZero();
        ExsWorld.kill("soft0");
        final MemorySegment large = world.arena.allocate(LONG);
        assertThat(pair[0].recv(large, 0, full, null)).isEqualTo(-Errno.ENOBUFS);
        assertThat(pair[0].send(large, 0, full, null)).isEqualTo(-Errno.ENOBUFS);
    }

    /** No device is left to register anything with: what came in messages needs none, and a refusal is an answer. */
    @Test
    void whatCameBeforeTheDeviceWasGoneIsReceivedStill() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        pair[0].send(world.filled(SHORT), 0, world.left.queue, null);
        world.await(world.left);
        world.right.awaitThat("something to read", () -> pair[1].poll() != ExsSocket.WRITABLE);
        ExsWorld.kill("soft2");
        world.right.awaitThat("the device is gone", () -> !pair[1].failure().isEmpty());
        final MemorySegment large = world.arena.allocate(LONG);
        assertThat(pair[1].send(large, 0, world.right.queue, null)).isEqualTo(-Errno.EPIPE);
        assertThatThrownBy(() -> pair[1].recv(large.asReadOnly(), 0, world.right.queue, null))
                .hasMessageContaining("(EFAULT): read-only memory takes no receive");
        assertThat(pair[1].recv(large, 0, world.right.queue, "received")).isZero();
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, SHORT, 0, false, "received", null));
        assertThat(large.asSlice(0, SHORT).mismatch(world.filled(SHORT))).isEqualTo(-1);
        assertThat(pair[1].recv(large, 0, world.right.queue, null)).isEqualTo(-Errno.ENOTCONN);
    }
}
