package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The interface call by call, over real devices driven by the test. */
class ExsSocketTest {
    private static final int LONG = 3_000_000;

    private ExsWorld world = new ExsWorld("soft0", "soft2");

    @AfterEach
    void close() {
        world.close();
    }

    private void onBonds() {
        world.close();
        world = new ExsWorld("bond0", "bond1");
    }

    /** What the client asked of the fabric its peer has as well, but for the hop limit. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void aSocketsClassIsThatOfItsPeerToo(final boolean isBond) {
        if (isBond) {
            onBonds();
        }
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.fcntl(ExsSetting.TOS, 0x6a);
        client.fcntl(ExsSetting.SERVICE_LEVEL, 3);
        client.fcntl(ExsSetting.HOP_LIMIT, 9);
        final ExsSocket[] pair = world.connect(listener, client);
        for (final ExsSocket end : pair) {
            assertThat(end.fcntl(ExsSetting.TOS)).isEqualTo(0x6a);
            assertThat(end.fcntl(ExsSetting.SERVICE_LEVEL)).isEqualTo(3);
        }
        assertThat(client.fcntl(ExsSetting.HOP_LIMIT)).isEqualTo(9);
        assertThat(pair[1].fcntl(ExsSetting.HOP_LIMIT)).isEqualTo(-1);
        assertThatThrownBy(() -> client.fcntl(ExsSetting.TOS, 0)).hasMessageContaining("it is connected");
        assertThatThrownBy(() -> world.left.exs.socket(SocketType.STREAM).fcntl(ExsSetting.TOS, 256))
                .hasMessageContaining("traffic_class is 256, allowed is 0 to 255");
        listener.close();
    }

    @Test
    void aSocketHasTheClassOfItsListenerWhereThatHasOne() {
        final ExsSocket listener = world.right.exs.socket(SocketType.STREAM);
        listener.fcntl(ExsSetting.TOS, 0x20);
        listener.bind(world.right.address(17_998));
        listener.listen(1);
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.fcntl(ExsSetting.TOS, 0x6a);
        assertThat(world.connect(listener, client)[1].fcntl(ExsSetting.TOS)).isEqualTo(0x20);
    }

    @ParameterizedTest
    @CsvSource({"false, STREAM, 10", "false, STREAM, 3000000", "false, SEQPACKET, 3000000", "true, STREAM, 10",
        "true, STREAM, 3000000", "true, SEQPACKET, 100000"})
    void whatIsSentIsReceived(final boolean isBond, final SocketType type, final int length) {
        if (isBond) {
            onBonds();
        }
        final ExsSocket[] pair = world.connect(type);
        final ExsMemory from = world.left.exs.mregister(world.filled(length));
        final MemorySegment to = world.arena.allocate(length, 64);
        final ExsMemory into = world.right.exs.mregister(to);
        for (int round = 0; round < 3; round++) {
            to.fill((byte) 0);
            final int flags = type == SocketType.STREAM ? MessageFlags.MSG_WAITALL : 0;
            if (round == 1) {
                pair[1].recv(into, 0, length, flags, world.right.queue, "r");
                for (int turn = 0; turn < 1_000; turn++) {
                    world.left.turn();
                    world.right.turn();
                }
            }
            assertThat(pair[0].send(from, 0, length, 0, world.left.queue, "s")).isEqualTo(round);
            if (round != 1) {
                pair[1].recv(into, 0, length, flags, world.right.queue, "r");
            }
            assertThat(world.await(world.right))
                    .isEqualTo(new ExsWorld.Seen(EventKind.RECV, length, 0, false, "r", null));
            assertThat(world.await(world.left))
                    .isEqualTo(new ExsWorld.Seen(EventKind.SEND, length, 0, false, "s", null));
            assertThat(to.mismatch(world.filled(length))).isEqualTo(-1);
        }
        from.mderegister();
        into.mderegister();
    }

    @Test
    void connectionsOutliveACut() {
        onBonds();
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsMemory from = world.left.exs.mregister(world.filled(LONG));
        final MemorySegment to = world.arena.allocate(LONG, 64);
        final ExsMemory into = world.right.exs.mregister(to);
        try {
            for (int cut = 0; cut < 3; cut++) {
                to.fill((byte) 0);
                pair[0].send(from, 0, LONG, 0, world.left.queue, "s");
                pair[1].recv(into, 0, LONG, MessageFlags.MSG_WAITALL, world.right.queue, "r");
                if (cut > 0) {
                    ExsWorld.port("soft0", cut == 2);
                    ExsWorld.port("soft1", cut == 1);
                }
                assertThat(world.await(world.right).bytes()).isEqualTo(LONG);
                assertThat(world.await(world.left).errno()).isZero();
                assertThat(to.mismatch(world.filled(LONG))).isEqualTo(-1);
            }
        } finally {
            ExsWorld.port("soft0", true);
            ExsWorld.port("soft1", true);
        }
    }

    /** Its end of the cable is out for good, and it says no goodbye: who only receives is told so. */
    @Test
    void aReceiveHearsThatThePeerVanished() {
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.fcntl(ExsSetting.KEEPALIVE_MS, 50);
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket[] pair = world.connect(listener, client);
        pair[0].recv(world.arena.allocate(LONG), 0, world.left.queue, "r");
        ExsWorld.port("soft2", false);
        try {
            assertThat(world.await(world.left))
                    .isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, Errno.ECONNRESET, false, "r", null));
            assertThat(pair[0].failure()).contains("RETRY_EXC_ERR");
        } finally {
            ExsWorld.port("soft2", true);
        }
    }

    @Test
    void anAcceptThatIsCancelledEndsOnceAndTheNextOneTakesTheConnection() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        assertThat(listener.cancelAccept()).isFalse();
        listener.accept(world.right.queue, "a");
        assertThat(listener.cancelAccept()).isTrue();
        assertThat(listener.cancelAccept()).isFalse();
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.ACCEPT, 0, Errno.ECANCELED, false, "a", null));
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        assertThat(client.cancelAccept()).isFalse();
        assertThat(world.connect(listener, client)).hasSize(2);
    }

    @Test
    void gatherAndScatter() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsMemory from = world.left.exs.mregister(world.filled(LONG));
        final MemorySegment to = world.arena.allocate(LONG, 64);
        final ExsMemory into = world.right.exs.mregister(to);
        final ExsSlice[] out = {
            new ExsSlice(from, 0, 5), new ExsSlice(from, 5, LONG - 10), new ExsSlice(from, LONG - 5, 5)
        };
        final ExsSlice[] in = {new ExsSlice(into, 0, 1_000_000), new ExsSlice(into, 1_000_000, LONG - 1_000_000)};
        pair[0].sendmsg(out, 0, world.left.queue, null);
        pair[1].recvmsg(in, MessageFlags.MSG_WAITALL, world.right.queue, null);
        assertThat(world.await(world.right).bytes()).isEqualTo(LONG);
        assertThat(to.mismatch(world.filled(LONG))).isEqualTo(-1);
        assertThat(ExsSlice.of(from).lengthBytes()).isEqualTo(LONG);
        assertThatThrownBy(() -> pair[0].sendmsg(new ExsSlice[17], 0, world.left.queue, null))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("17 slices; at most 16");
    }

    @Test
    void memoryThatIsNotRegisteredIsTakenToo() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final MemorySegment from = world.filled(LONG);
        final MemorySegment to = world.arena.allocate(LONG, 64);
        for (final MemorySegment part : new MemorySegment[] {from.asSlice(0, 100), from, from.asReadOnly()}) {
            pair[0].send(part, 0, world.left.queue, null);
            pair[1].recv(to.asSlice(0, part.byteSize()), MessageFlags.MSG_WAITALL, world.right.queue, null);
            assertThat(world.await(world.right).bytes()).isEqualTo(part.byteSize());
            assertThat(world.await(world.left).errno()).isZero();
            assertThat(to.asSlice(0, part.byteSize()).mismatch(part)).isEqualTo(-1);
        }
        assertThatThrownBy(() -> pair[0].send(MemorySegment.ofArray(new byte[10]), 0, world.left.queue, null))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("only native memory");
        assertThatThrownBy(() -> pair[1].recv(from.asReadOnly(), 0, world.right.queue, null))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("read-only memory takes no receive");
    }

    @Test
    void theEndIsReadAfterShutdownAndTheOtherWayStaysOpen() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        pair[0].send(world.filled(10), 0, world.left.queue, null);
        pair[0].shutdown();
        world.await(world.left);
        assertThat(pair[0].send(world.filled(10), 0, world.left.queue, null)).isEqualTo(-Errno.EPIPE);
        final MemorySegment to = world.arena.allocate(100);
        pair[1].recv(to, 0, world.right.queue, null);
        pair[1].recv(to, 0, world.right.queue, null);
        assertThat(world.await(world.right).bytes()).isEqualTo(10);
        assertThat(world.await(world.right)).isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, 0, false, null, null));
        pair[1].send(world.filled(20), 0, world.right.queue, null);
        pair[0].recv(to, 0, world.left.queue, null);
        assertThat(world.await(world.left).bytes()).isEqualTo(20);
    }

    @Test
    void aClosedSocketSendsWhatItWasGivenAndThePeerReadsTheEnd() {
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.fcntl(ExsSetting.LINGER_MS, (int) TimeUnit.NANOSECONDS.toMillis(ExsWorld.PATIENCE_NS));
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket[] pair = world.connect(listener, client);
        listener.close();
        final MemorySegment to = world.arena.allocate(LONG, 64);
        pair[0].recv(to, 0, world.left.queue, "pending");
        pair[0].send(world.filled(LONG), 0, world.left.queue, "last");
        pair[0].close();
        pair[0].close();
        pair[1].recv(to, MessageFlags.MSG_WAITALL, world.right.queue, null);
        assertThat(world.await(world.right).bytes()).isEqualTo(LONG);
        assertThat(world.await(world.left).cookie()).isEqualTo("last");
        assertThat(world.await(world.left).errno()).isEqualTo(Errno.ECANCELED);
        pair[1].recv(to, 0, world.right.queue, null);
        assertThat(world.await(world.right)).isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, 0, false, null, null));
    }

    /** Two that are connected in a world which goes by that clock, and linger for a second. */
    private ExsSocket[] connect(final AtomicLong clockNs) {
        world.close();
        world = new ExsWorld("soft0", "soft2", new ExsOptions(64, 472, 32, 16, 1_000, 0, false), clockNs::get);
        return world.connect(SocketType.STREAM);
    }

    private void assertAllArrives(final ExsSocket at) {
        at.recv(world.arena.allocate(LONG), MessageFlags.MSG_WAITALL, world.right.queue, "all");
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, LONG, 0, false, "all", null));
    }

    /** The time that it lingers for begins with the close, not with the turn before. */
    @Test
    void whoComputesForLongBeforeACloseLosesNothing() {
        final AtomicLong clockNs = new AtomicLong();
        final ExsSocket[] pair = connect(clockNs);
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(2));
        pair[0].send(world.filled(LONG), 0, world.left.queue, "last");
        pair[0].close();
        assertAllArrives(pair[1]);
    }

    /** As of a process that was stopped, or had no processor: it could not send meanwhile. */
    @Test
    void whoPausesForLongAfterACloseLosesNothing() {
        final AtomicLong clockNs = new AtomicLong();
        final ExsSocket[] pair = connect(clockNs);
        pair[0].send(world.filled(LONG), 0, world.left.queue, "last");
        pair[0].close();
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(20));
        assertAllArrives(pair[1]);
    }

    /** Its peer takes nothing. */
    @Test
    void whoIsWatchedForItsTimeIsLetGo() {
        final AtomicLong clockNs = new AtomicLong();
        final ExsSocket[] pair = connect(clockNs);
        pair[0].send(world.filled(LONG), 0, world.left.queue, "last");
        pair[0].close();
        final int before = world.left.exs.openSockets();
        for (int look = 1; look < 10; look++) {
            clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
            world.left.turn();
        }
        assertThat(world.left.exs.openSockets()).isEqualTo(before);
        clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        world.left.turn();
        assertThat(world.left.exs.openSockets()).isEqualTo(before - 1);
    }

    @Test
    void whatCameBeforeThePeerWasGoneIsReceivedStill() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        pair[0].send(world.filled(10), 0, world.left.queue, null);
        world.await(world.left);
        pair[0].close();
        world.left.exs.close();
        world.right.awaitThat("the peer is gone", () -> !pair[1].failure().isEmpty());
        assertThat(pair[1].failure()).contains("disconnected");
        pair[1].recv(world.arena.allocate(100), 0, world.right.queue, null);
        assertThat(world.await(world.right).bytes()).isEqualTo(10);
        assertThat(pair[1].send(world.filled(10), 0, world.right.queue, null)).isEqualTo(-Errno.EPIPE);
    }

    @Test
    void cancelledReceivesAndPeeking() {
        final ExsSocket[] pair = world.connect(SocketType.SEQPACKET);
        final MemorySegment to = world.arena.allocate(100);
        final long number = pair[1].recv(to, 0, world.right.queue, "cancelled");
        assertThat(pair[1].cancelRecv(number)).isTrue();
        assertThat(pair[1].cancelRecv(number)).isFalse();
        assertThat(world.await(world.right).errno()).isEqualTo(Errno.ECANCELED);
        pair[0].send(world.filled(60), 0, world.left.queue, null);
        pair[1].recv(to.asSlice(0, 50), MessageFlags.MSG_PEEK, world.right.queue, "peek");
        pair[1].recv(to.asSlice(0, 50), 0, world.right.queue, "take");
        assertThat(world.await(world.right).bytes()).isEqualTo(50);
        assertThat(world.await(world.right)).isEqualTo(new ExsWorld.Seen(EventKind.RECV, 50, 0, true, "take", null));
        assertThat(pair[1].poll()).isEqualTo(ExsSocket.WRITABLE);
        pair[0].send(world.filled(1), 0, world.left.queue, null);
        world.await(world.left);
        world.right.awaitThat("something to read", () -> pair[1].poll() != ExsSocket.WRITABLE);
        assertThat(pair[1].poll()).isEqualTo(ExsSocket.WRITABLE | ExsSocket.READABLE);
        assertThat(pair[0].cancelSend(0)).isFalse();
    }

    @Test
    void backPressureIsANumber() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsMemory memory = world.left.exs.mregister(world.filled(LONG));
        final ExsQueue two = world.left.exs.qcreate(2);
        assertThat(pair[0].send(memory, 0, LONG, 0, two, null)).isZero();
        assertThat(pair[0].send(memory, 0, LONG, 0, two, null)).isEqualTo(1);
        assertThat(pair[0].send(memory, 0, LONG, 0, two, null)).isEqualTo(-Errno.ENOBUFS);
        two.qmodify(3);
        assertThat(pair[0].send(memory, 0, LONG, 0, two, null)).isEqualTo(2);
        for (int i = 3; i < ExsOptions.DEFAULT.calls(); i++) {
            assertThat(pair[0].send(memory, 0, LONG, 0, world.left.queue, null)).isEqualTo(i);
        }
        assertThat(pair[0].send(memory, 0, LONG, 0, world.left.queue, null)).isEqualTo(-Errno.EAGAIN);
        assertThatThrownBy(two::qdelete).isInstanceOf(VerbsException.class).hasMessageContaining("3 calls");
        assertThatThrownBy(() -> two.qmodify(2)).isInstanceOf(VerbsException.class).hasMessageContaining("3 events");
    }

    @Test
    void memoryInUseIsNotDeregistered() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsMemory memory = world.left.exs.mregister(world.filled(LONG));
        pair[0].send(memory, 0, LONG, 0, world.left.queue, null);
        assertThat(memory.uses()).isEqualTo(1);
        assertThatThrownBy(memory::mderegister)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EBUSY")
                .hasMessageContaining("1 calls use it; wait for their events");
        assertThatThrownBy(() -> memory.mmodify(world.filled(10))).hasMessageContaining("EBUSY");
        pair[1].recv(world.arena.allocate(LONG), MessageFlags.MSG_WAITALL, world.right.queue, null);
        world.await(world.left);
        memory.mmodify(world.filled(10));
        assertThat(memory.lengthBytes()).isEqualTo(10);
        memory.mderegister();
        memory.mderegister();
        assertThatThrownBy(() -> pair[0].send(memory, 0, 1, 0, world.left.queue, null))
                .hasMessageContaining("EFAULT")
                .hasMessageContaining("register it again");
    }

    @Test
    void otherMemoryInItsPlaceTakesReceivesWhereItMayBeWritten() {
        final ExsSocket socket = world.connect(SocketType.STREAM)[1];
        final ExsMemory memory = world.right.exs.mregister(world.filled(10));
        memory.mmodify(world.filled(10).asReadOnly());
        assertThatThrownBy(() -> socket.recv(memory, 0, 10, 0, world.right.queue, null))
                .hasMessageContaining("read-only memory takes no receive");
        memory.mmodify(world.filled(10));
        assertThat(socket.recv(memory, 0, 10, 0, world.right.queue, null)).isNotNegative();
    }

    @Test
    void wrongCallsAreRefusedByName() {
        final ExsSocket socket = world.left.exs.socket(SocketType.STREAM);
        final ExsMemory memory = world.left.exs.mregister(world.filled(10));
        assertThatThrownBy(() -> socket.send(memory, 0, 1, 0, world.left.queue, null))
                .hasMessageContaining("ENOTCONN")
                .hasMessageContaining("it is not connected");
        assertThatThrownBy(() -> socket.listen(1)).hasMessageContaining("bind it first");
        assertThatThrownBy(() -> socket.accept(world.left.queue, null)).hasMessageContaining("does not listen");
        assertThatThrownBy(() -> socket.connect(world.right.address(1), world.right.queue, null))
                .hasMessageContaining("queue is of another Exs");
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        assertThatThrownBy(() -> pair[0].send(memory, 0, 1, 1, world.left.queue, null))
                .hasMessageContaining("MSG_OOB");
        assertThatThrownBy(() -> pair[0].send(memory, 0, 1, MessageFlags.MSG_WAITALL, world.left.queue, null))
                .hasMessageContaining("MSG_WAITALL, which belongs to a receive");
        assertThatThrownBy(() -> pair[0].recv(memory, 0, 1, 0x10, world.left.queue, null))
                .hasMessageContaining("no flag 0x10");
        assertThatThrownBy(() -> pair[0].send(memory, 5, 6, 0, world.left.queue, null))
                .hasMessageContaining("6 bytes from 5 on are not within memory of 10");
        assertThatThrownBy(() -> pair[1].send(memory, 0, 1, 0, world.right.queue, null))
                .hasMessageContaining("memory is of another Exs");
        assertThatThrownBy(() -> pair[0].fcntl(ExsSetting.CALLS, 4)).hasMessageContaining("EISCONN");
        assertThatThrownBy(() -> socket.fcntl(ExsSetting.CALLS, 3)).hasMessageContaining("power of two");
        assertThatThrownBy(() -> socket.fcntl(ExsSetting.CONTROL_CREDITS, 3)).hasMessageContaining("4 .. 4096");
        assertThatThrownBy(() -> world.left.exs.qcreate(0)).hasMessageContaining("depth is 0");
        assertThatThrownBy(() -> Exs.init(7, "soft0")).hasMessageContaining("version 7 is asked for, there is 1");
        socket.fcntl(ExsSetting.SMALL_PACKET, 1_000);
        assertThat(socket.fcntl(ExsSetting.SMALL_PACKET)).isEqualTo(1_000);
    }

    @Test
    void whoCannotBeReachedIsAnErrorOfTheConnect() {
        final ExsSocket socket = world.left.exs.socket(SocketType.STREAM);
        socket.connect(world.right.address(9), world.left.queue, null);
        assertThat(world.await(world.left).errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(socket.failure()).contains("nobody listens there");
        final ExsSocket listener = world.listen(SocketType.SEQPACKET);
        final ExsSocket other = world.left.exs.socket(SocketType.STREAM);
        other.connect(ExsWorld.address(listener), world.left.queue, null);
        assertThat(world.await(world.left).errno()).isEqualTo(Errno.EPROTONOSUPPORT);
        assertThat(other.failure()).contains("SEQPACKET");
    }

    /** A bond with a key and one without; a device that knows of no bonds, and one. */
    @ParameterizedTest
    @CsvSource({"bond2, bond1", "soft0, bond1"})
    void whomAPeersBondRefusesIsNotToldThatNobodyListens(final String left, final String right) {
        world.close();
        world = new ExsWorld(left, right);
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket socket = world.left.exs.socket(SocketType.STREAM);
        socket.connect(ExsWorld.address(listener), world.left.queue, null);
        assertThat(world.await(world.left).errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(socket.failure()).doesNotContain("nobody listens").contains("its bond refuses this one (keys");
    }

    @Test
    void aClosedSocketNeitherConnectsNorAccepts() {
        final ExsSocket closed = world.left.exs.socket(SocketType.STREAM);
        closed.close();
        final ExsSocket listener = world.listen(SocketType.STREAM);
        listener.close();
        assertThatThrownBy(() -> listener.accept(world.right.queue, null)).hasMessageContaining("it was closed");
        assertThatThrownBy(() -> closed.connect(world.right.address(1), world.left.queue, null))
                .hasMessageContaining("it was closed");
        assertThatThrownBy(() -> closed.bind(world.left.address(1))).hasMessageContaining("it was closed");
        assertThatThrownBy(() -> closed.listen(1)).hasMessageContaining("it was closed");
        assertThat(world.right.exs.openSockets()).isZero();
    }

    @Test
    void anAcceptEndsWhenItsDeviceIsGone() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        listener.accept(world.right.queue, 1);
        listener.accept(world.right.queue, 2);
        ExsWorld.kill("soft2");
        for (int accept = 1; accept <= 2; accept++) {
            assertThat(world.await(world.right))
                    .isEqualTo(new ExsWorld.Seen(EventKind.ACCEPT, 0, Errno.ENODEV, false, accept, null));
        }
        assertThat(listener.failure()).isEqualTo("the device went away");
        assertThatThrownBy(() -> listener.accept(world.right.queue, null))
                .hasMessageContaining("ENODEV")
                .hasMessageContaining("the device went away");
    }

    /** The peer has its request and says nothing to it. */
    @Test
    void aConnectThatWaitsForItsPeerEndsWhenItsDeviceIsGone() {
        final CmEventChannel events = world.right.context.createEventChannel();
        final CmId listener = events.createId(CmPortSpace.TCP, null);
        listener.bindAddr(world.right.address(17_999));
        listener.listen(1);
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.connect(world.right.address(17_999), world.left.queue, "c");
        final CmId request = request(events);
        ExsWorld.kill("soft0");
        assertThat(world.await(world.left))
                .isEqualTo(new ExsWorld.Seen(EventKind.CONNECT, 0, Errno.ENODEV, false, "c", null));
        request.close();
        listener.close();
        events.close();
    }

    private CmId request(final CmEventChannel events) {
        for (final long beganNs = System.nanoTime(); System.nanoTime() - beganNs < ExsWorld.PATIENCE_NS; ) {
            world.left.turn();
            final CmEvent event = events.getEvent(0);
            if (event != null) {
                event.ack();
                return event.id();
            }
        }
        throw new AssertionError("no request");
    }

    /** Its peer does not say that it heard the answer; by the time that is known nobody listens. */
    @Test
    void anAcceptWhosePeerIsGoneEndsWithItsListener() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        try (RawPeer gone = new RawPeer(world)) {
            gone.ask(ExsWorld.address(listener), RawPeer.GREETING);
            listener.accept(world.right.queue, "a");
            listener.close();
            assertThat(world.await(world.right))
                    .isEqualTo(new ExsWorld.Seen(EventKind.ACCEPT, 0, Errno.ECANCELED, false, "a", null));
        }
    }

    /** Where an accept got no event, its place in the queue was taken for ever. */
    @Test
    void anAcceptWhosePeerIsGoneEndsWithItsExs() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        try (RawPeer gone = new RawPeer(world)) {
            gone.ask(ExsWorld.address(listener), RawPeer.GREETING);
            listener.accept(world.right.queue, "a");
            world.right.exs.close();
            assertThat(world.await(world.right))
                    .isEqualTo(new ExsWorld.Seen(EventKind.ACCEPT, 0, Errno.ECANCELED, false, "a", null));
        }
    }

    @Test
    void aSmallSocketTalksToALargeOne() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.fcntl(ExsSetting.SMALL_PACKET, 0);
        client.fcntl(ExsSetting.DATA_CREDITS, 1);
        client.fcntl(ExsSetting.CONTROL_CREDITS, 4);
        client.fcntl(ExsSetting.CALLS, 2);
        final ExsSocket[] pair = world.connect(listener, client);
        for (int round = 0; round < 5; round++) {
            pair[0].send(world.filled(100), 0, world.left.queue, null);
            pair[1].recv(world.arena.allocate(100), 0, world.right.queue, null);
            assertThat(world.await(world.right).bytes()).isEqualTo(100);
            world.await(world.left);
        }
    }

    @Test
    void manySocketsShareAQueue() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket[][] pairs = new ExsSocket[40][];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = world.connect(listener, world.left.exs.socket(SocketType.STREAM));
        }
        for (int i = 0; i < pairs.length; i++) {
            pairs[i][1].recv(world.arena.allocate(100), 0, world.right.queue, i);
        }
        for (int i = pairs.length - 1; i >= 0; i--) {
            pairs[i][0].send(world.filled(i + 1), 0, world.left.queue, i);
        }
        for (int i = 0; i < pairs.length; i++) {
            final ExsWorld.Seen seen = world.await(world.right);
            assertThat(seen.bytes()).isEqualTo((int) Objects.requireNonNull(seen.cookie()) + 1);
        }
    }

    /** More of them than one completion queue of a bond holds completions of. */
    @Test
    void socketsWithManyCreditsNeedSeveralCompletionQueues() {
        world.close();
        world = new ExsWorld("bond0", "bond1", new ExsOptions(64, 0, 4_096, 4_096, 1_000, 10_000, false));
        final ExsSocket listener = world.listen(SocketType.STREAM);
        final ExsSocket[][] pairs = new ExsSocket[130][];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = world.connect(listener, world.left.exs.socket(SocketType.STREAM));
        }
        for (int i = 0; i < pairs.length; i++) {
            pairs[i][1].recv(world.arena.allocate(1_000), 0, world.right.queue, i);
            pairs[i][0].send(world.filled(i + 1), 0, world.left.queue, i);
        }
        for (int i = 0; i < pairs.length; i++) {
            final ExsWorld.Seen seen = world.await(world.right);
            assertThat(seen.bytes()).isEqualTo((int) Objects.requireNonNull(seen.cookie()) + 1);
        }
    }
}
