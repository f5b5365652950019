package io.vhca.rdp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A channel that is connected to another address of a node than the one that the node calls its own. */
@Timeout(60)
class ConnectedChannelTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int PORT = 7;

    private final Drivers drivers = new Drivers();
    private final RdpDriver own = drivers.open(1, RdpConfig.DEFAULT.with("MaxNodes=2"));
    private final Context peer = drivers.context(2);
    private final InetAddress alias = Drivers.own(98);
    private final InetSocketAddress named = new InetSocketAddress(alias, PORT);
    private final ByteBuffer target = ByteBuffer.allocate(10);
    private DatagramChannel channel;

    @BeforeEach
    void connect() throws IOException {
        channel = new RdpSelectorProvider(List.of(new RdpNetwork(own, 24))).openDatagramChannel();
        channel.connect(named);
        own.inside(engine -> {
            engine.nodes().onNamed(engine.nodes().peer(alias), Drivers.own(2));
            return engine;
        });
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        drivers.close();
    }

    private RdpDriver open() {
        return RdpDriver.open(peer, RdpConfig.DEFAULT);
    }

    private void hears(final RdpSocket from, final int bytes) throws IOException {
        final InetSocketAddress to = (InetSocketAddress) channel.getLocalAddress();
        assertThat(from.send(ByteBuffer.allocate(bytes), to, LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(channel.receive(target.clear())).isEqualTo(named);
        assertThat(target.position()).isEqualTo(bytes);
    }

    /** Others take its place in turn, as soon as it is no longer connected. */
    private void forgetThePeer() {
        for (int i = 0; !own.inside(engine -> engine.nodes().nameOf(alias)).equals(alias); i++) {
            final InetAddress another = Drivers.own(100 + i % 100);
            own.inside(engine -> engine.nodes().peer(another));
            Thread.onSpinWait();
        }
    }

    @Test
    void whoWasHeardByAnotherNameIsHeardWhenTheDriverHasForgottenIt() throws IOException {
        try (RdpDriver before = open()) {
            hears(before.bind(PORT), 3);
        }
        forgetThePeer();
        try (RdpDriver after = open()) {
            hears(after.bind(PORT), 4);
        }
    }

    @Test
    void whoWasSentToByAnotherNameIsHeardWhenTheDriverHasForgottenIt() throws IOException {
        try (RdpDriver before = open()) {
            final RdpSocket to = before.bind(PORT);
            channel.write(ByteBuffer.allocate(5));
            assertThat(to.receive(target.clear(), LONG_NS)).isEqualTo(channel.getLocalAddress());
        }
        forgetThePeer();
        try (RdpDriver after = open()) {
            hears(after.bind(PORT), 6);
        }
    }

    @Test
    void aNameIsForgottenWithTheConnection() throws IOException {
        try (RdpDriver before = open()) {
            hears(before.bind(PORT), 3);
        }
        forgetThePeer();
        final RdpDriver third = drivers.open(3);
        channel.disconnect();
        channel.connect(new InetSocketAddress(third.address(), PORT));
        try (RdpDriver after = open()) {
            final InetSocketAddress to = (InetSocketAddress) channel.getLocalAddress();
            final RdpSocket last = third.bind(PORT);
            assertThat(after.bind(PORT).send(ByteBuffer.allocate(4), to, LONG_NS)).isEqualTo(SendResult.SENT);
            while (own.status().sockets().getFirst().pending() == 0) {
                Thread.onSpinWait();
            }
            assertThat(last.send(ByteBuffer.allocate(5), to, LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(channel.receive(target.clear())).isEqualTo(last.localAddress());
            assertThat(target.position()).isEqualTo(5);
        }
    }
}
