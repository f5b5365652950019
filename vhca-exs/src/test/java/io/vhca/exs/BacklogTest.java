package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that are there before anybody accepts them. */
@Timeout(300)
class BacklogTest {
    private static final int BYTES = 100;

    private ExsWorld world = new ExsWorld("soft0", "soft2");

    @AfterEach
    void close() {
        world.close();
    }

    private ExsSocket listen() {
        final ExsSocket listener = world.right.exs.socket(SocketType.STREAM);
        listener.bind(world.right.address(17_970));
        listener.listen(1);
        return listener;
    }

    private ExsSocket connect(final ExsSocket listener, final int errno) {
        final ExsSocket client = world.left.exs.socket(SocketType.STREAM);
        client.connect(ExsWorld.address(listener), world.left.queue, client);
        assertThat(world.await(world.left))
                .isEqualTo(new ExsWorld.Seen(EventKind.CONNECT, 0, errno, false, client, null));
        return client;
    }

    private void awaitSockets(final ExsWorld.End end, final int count) {
        while (end.exs.openSockets() != count) {
            world.left.turn();
            world.right.turn();
            assertThat(Thread.interrupted()).as("%d sockets in time", count).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"soft0, soft2", "bond0, bond1"})
    void whatWasSentBeforeTheAcceptIsReceivedThoughThePeerIsGone(final String left, final String right) {
        world.close();
        world = new ExsWorld(left, right);
        final ExsSocket listener = listen();
        final ExsSocket client = connect(listener, 0);
        client.send(world.filled(BYTES), 0, world.left.queue, "sent");
        client.close();
        assertThat(world.await(world.left).errno()).isZero();
        awaitSockets(world.left, 0);
        final ExsSocket refused = connect(listener, Errno.ECONNREFUSED);
        assertThat(refused.failure()).isEqualTo("the listener's backlog is full");
        listener.accept(world.right.queue, "accept");
        final ExsSocket accepted = Objects.requireNonNull(world.await(world.right).accepted());
        final MemorySegment to = world.arena.allocate(BYTES, 64);
        accepted.recv(to, MessageFlags.MSG_WAITALL, world.right.queue, "received");
        assertThat(world.await(world.right))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, BYTES, 0, false, "received", null));
        assertThat(to.mismatch(world.filled(BYTES))).isEqualTo(-1);
        accepted.recv(to, 0, world.right.queue, "end");
        assertThat(world.await(world.right)).isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, 0, false, "end", null));
    }

    @Test
    void aConnectionThatIsOverAndHasNothingKeepsNoPlace() {
        final ExsSocket listener = listen();
        try (RawPeer gone = new RawPeer(world)) {
            gone.connect(ExsWorld.address(listener), RawPeer.GREETING);
            awaitSockets(world.right, 2);
        }
        awaitSockets(world.right, 1);
        connect(listener, 0);
        listener.accept(world.right.queue, "accept");
        assertThat(world.await(world.right).accepted()).isNotNull();
    }

    @Test
    void withTheListenerGoConnectionsThatNobodyAccepted() {
        final ExsSocket listener = listen();
        final ExsSocket client = connect(listener, 0);
        client.recv(world.arena.allocate(BYTES), 0, world.left.queue, "received");
        awaitSockets(world.right, 2);
        listener.close();
        assertThat(world.await(world.left))
                .isEqualTo(new ExsWorld.Seen(EventKind.RECV, 0, 0, false, "received", null));
        awaitSockets(world.right, 0);
    }
}
