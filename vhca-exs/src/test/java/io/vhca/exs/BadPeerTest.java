package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.GreetingDescriptor;
import io.vhca.exs.wire.MessageDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A peer that does not keep to the protocol, on a real device: one clear error, one socket closed, no other touched.
 */
class BadPeerTest {
    private static final Greeting GOOD = new Greeting(1, 1, 1, 1, 32, 16, 512);

    private final ExsWorld world = new ExsWorld("soft1", "soft3");
    private final RawPeer peer = new RawPeer(world);
    private final ExsSocket listener = world.listen(SocketType.STREAM);
    private ExsSocket[] others = new ExsSocket[0];

    @BeforeEach
    void connectOthers() {
        others = world.connect(listener, world.left.exs.socket(SocketType.STREAM));
    }

    @AfterEach
    void close() {
        peer.close();
        world.close();
    }

    private ExsSocket accepted() {
        return accepted(listener);
    }

    private ExsSocket accepted(final ExsSocket from) {
        from.accept(world.right.queue, null);
        final CmEvent event = peer.connect(ExsWorld.address(from), GreetingDescriptor.encode(GOOD));
        assertThat(event.type()).isEqualTo(CmEventType.ESTABLISHED);
        assertThat(Objects.requireNonNull(GreetingDescriptor.decode(event.privateData())).wrong()).isEmpty();
        return Objects.requireNonNull(world.await(world.right).accepted());
    }

    private static byte[] message(final int type, final int number, final long address, final int key) {
        return ByteBuffer.allocate(MessageDescriptor.SIZE)
                .put(MessageDescriptor.TYPE_OFFSET, (byte) type)
                .putInt(MessageDescriptor.NUMBER_OFFSET, number)
                .putLong(MessageDescriptor.ADDRESS_OFFSET, address)
                .putLong(MessageDescriptor.LENGTH_OFFSET, 1_000)
                .putInt(MessageDescriptor.KEY_OFFSET, key)
                .array();
    }

    private void othersGoOn() {
        final MemorySegment to = world.arena.allocate(10_000);
        others[0].send(world.filled(10_000), 0, world.left.queue, null);
        others[1].recv(to, MessageFlags.MSG_WAITALL, world.right.queue, "others");
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, 10_000, 0, false, "others", null));
        assertThat(to.mismatch(world.filled(10_000))).isEqualTo(-1);
    }

    private void fails(final ExsSocket socket, final int errno, final String why, final byte[]... messages) {
        socket.recv(world.arena.allocate(1_000), 0, world.right.queue, "bad");
        for (final byte[] message : messages) {
            peer.send(message);
        }
        final ExsWorld.Seen seen = world.await(world.right);
        assertThat(seen.cookie()).isEqualTo("bad");
        assertThat(seen.errno()).isEqualTo(errno);
        assertThat(seen.bytes()).isZero();
        assertThat(socket.failure()).contains(why);
        assertThat(socket.send(world.filled(1), 0, world.right.queue, null)).isEqualTo(-Errno.EPIPE);
        othersGoOn();
    }

    @Test
    void aPeerOfAnotherVersionIsToldWhichOneIsSpoken() {
        final CmEvent event = peer.connect(
                ExsWorld.address(listener), GreetingDescriptor.encode(new Greeting(2, 3, 1, 1, 32, 16, 512)));
        assertThat(event.type()).isEqualTo(CmEventType.REJECTED);
        final Greeting told = Objects.requireNonNull(GreetingDescriptor.decode(event.privateData()));
        assertThat(told.oldest()).isEqualTo(1);
        assertThat(told.newest()).isEqualTo(1);
        othersGoOn();
    }

    @Test
    void aPeerThatIsNoSocketIsRefused() {
        assertThat(peer.connect(ExsWorld.address(listener), new byte[] {1, 2, 3}).type())
                .isEqualTo(CmEventType.REJECTED);
        othersGoOn();
    }

    @Test
    void aPeerWithoutCreditsIsRefused() {
        assertThat(peer.connect(
                                ExsWorld.address(listener),
                                GreetingDescriptor.encode(new Greeting(1, 1, 1, 1, 0, 16, 512)))
                        .type())
                .isEqualTo(CmEventType.REJECTED);
        othersGoOn();
    }

    /** It accepts whatever connects, and says what it is afterwards. */
    @ParameterizedTest
    @CsvSource({
        "1, 2, the socket there is SEQPACKET",
        "1, 9, 'the socket there is of type 9, which is unknown here'",
        "2, 1, 'the peer speaks versions 2 to 2, here it is 1'"
    })
    void aPeerThatTurnsOutToBeOfAnotherKindIsNotConnectedTo(final int version, final int type, final String why) {
        final ExsSocket socket = world.right.exs.socket(SocketType.STREAM);
        peer.listen(world.left.address(17_998));
        socket.connect(world.left.address(17_998), world.right.queue, "bad");
        peer.accept(GreetingDescriptor.encode(new Greeting(version, version, type, 1, 32, 16, 512)));
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.CONNECT, 0, Errno.EPROTONOSUPPORT, false, "bad", null));
        assertThat(socket.failure()).isEqualTo(why);
        othersGoOn();
    }

    @Test
    void anAdvertWithAForeignKeyIsAnErrorAndReadsNothing() {
        fails(
                accepted(), Errno.EFAULT, "may not be reached",
                message(MessageDescriptor.ADVERT, 0, peer.region.addr(), peer.region.rkey() + 0x1357));
    }

    @Test
    void anAdvertOfMemoryThatWasDeregisteredIsAnError() {
        fails(
                accepted(), Errno.EFAULT, "may not be reached",
                message(MessageDescriptor.ADVERT, 0, peer.region.addr(), peer.keyOfDeregisteredMemory()));
    }

    /** The peer says that a receive waits, in memory that it does not have: what is sent there is not. */
    @Test
    void aReceiveThatIsToldOfWithAForeignKeyIsAnError() {
        final ExsSocket socket = accepted();
        peer.send(message(MessageDescriptor.DIRECT, 0, peer.region.addr(), peer.region.rkey() + 0x1357));
        peer.awaitSent();
        assertThat(socket.send(world.filled(1_000), 0, world.right.queue, "bad")).isNotNegative();
        final ExsWorld.Seen seen = world.await(world.right);
        assertThat(seen.cookie()).isEqualTo("bad");
        assertThat(seen.errno()).isEqualTo(Errno.EFAULT);
        assertThat(seen.bytes()).isZero();
        assertThat(socket.failure()).contains("may not be reached");
        othersGoOn();
    }

    @Test
    void anAdvertCutShortIsAnError() {
        fails(
                accepted(), Errno.EPROTO, "shorter than its header",
                Arrays.copyOf(message(MessageDescriptor.ADVERT, 0, peer.region.addr(), peer.region.rkey()), 39));
    }

    @Test
    void anAdvertBeyondItsMemoryIsAnError() {
        fails(
                accepted(), Errno.EFAULT, "may not be reached",
                message(
                        MessageDescriptor.ADVERT, 0, peer.region.addr() + peer.region.lengthBytes() - 500,
                        peer.region.rkey()));
    }

    @Test
    void aMessageCutShortIsAnError() {
        fails(
                accepted(), Errno.EPROTO, "shorter than its header",
                Arrays.copyOf(message(MessageDescriptor.ACK, 0, 0, 0), 20));
    }

    @Test
    void aMessageThatIsTooLongIsAnError() {
        fails(accepted(), Errno.EPROTO, "longer than it may be", new byte[513]);
    }

    @Test
    void nothingIsReceivedBehindAnErrorThatCameAfterTheEnd() {
        final ExsSocket socket = accepted();
        sendSlowly(message(MessageDescriptor.FIN, 0, 0, 0));
        sendSlowly(message(MessageDescriptor.DATA, 1, 0, 0));
        for (int turn = 0; turn < 10_000_000 && socket.failure().isEmpty(); turn++) {
            world.right.turn();
        }
        assertThat(socket.failure()).contains("came after the last one");
        assertThat(socket.recv(world.arena.allocate(10), 0, world.right.queue, null)).isEqualTo(-Errno.ENOTCONN);
        othersGoOn();
    }

    /** Its queue pair fails without a cause of its own, and the peer says nothing of it. */
    @Test
    void aWriteWhereNoneMayBeIsHeardOf() {
        final ExsSocket from = world.right.exs.socket(SocketType.STREAM);
        from.fcntl(ExsSetting.KEEPALIVE_MS, 50);
        from.bind(world.right.address(17_997));
        from.listen(1);
        final ExsSocket socket = accepted(from);
        socket.recv(world.arena.allocate(1_000), 0, world.right.queue, "bad");
        peer.write(peer.region.addr(), 0x1357);
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, Errno.ECONNRESET, false, "bad", null));
        assertThat(socket.failure()).contains("WR_FLUSH_ERR");
        othersGoOn();
    }

    @Test
    void moreAdvertsThanCreditsAreAnError() {
        final byte[][] adverts = new byte[33][];
        for (int i = 0; i < adverts.length; i++) {
            adverts[i] = message(MessageDescriptor.ADVERT, i, peer.region.addr(), peer.region.rkey());
        }
        final ExsSocket socket = accepted();
        for (final byte[] advert : adverts) {
            sendSlowly(advert);
        }
        for (int turn = 0; turn < 10_000_000 && socket.failure().isEmpty(); turn++) {
            world.right.turn();
        }
        assertThat(socket.failure()).contains("without a credit");
        othersGoOn();
    }

    /** The peer has one buffer: the message must be out before the next one is written there. */
    private void sendSlowly(final byte[] message) {
        peer.send(message);
        peer.awaitSent();
    }
}
