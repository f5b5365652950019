package io.vhca.rdp.nio;

import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.shared.SharedServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Channels of the provider where drivers are shared. */
@Timeout(60)
class SharedChannelsTest {
    private static final String DIRECTORY = "vhca.rdp.socket.dir";

    private final Drivers drivers = new Drivers();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void name() {
        System.setProperty(DIRECTORY, directory.toString());
        System.setProperty(RdpNetworks.DEVICES, "soft61/24,soft62");
    }

    @AfterEach
    void close() {
        drivers.close();
        for (final String property :
                new String[] {DIRECTORY, RdpNetworks.DEVICES, RdpNetworks.DRIVER, RdpNetworks.OPTIONS}) {
            System.clearProperty(property);
        }
    }

    @Test
    void channelsAndASelectorGoByDriversOfOtherProcesses() throws IOException {
        final RdpDriver left = drivers.open(61);
        final RdpDriver right = drivers.open(62);
        System.setProperty(RdpNetworks.DRIVER, "shared");
        final ByteBuffer datagram = ByteBuffer.allocate(100);
        try (SharedServer leftServer = SharedServer.open(left); SharedServer rightServer = SharedServer.open(right)) {
            final RdpSelectorProvider provider = new RdpSelectorProvider();
            try (DatagramChannel one = provider.openDatagramChannel();
                    DatagramChannel two = provider.openDatagramChannel();
                    Selector selector = provider.openSelector()) {
                one.bind(new InetSocketAddress(left.address(), 0));
                two.bind(new InetSocketAddress(right.address(), 4000));
                assertThat(left.status().sockets()).hasSize(1);
                assertThat(leftServer.path()).isNotEqualTo(rightServer.path());
                two.configureBlocking(false);
                two.register(selector, OP_READ);
                assertThat(selector.selectNow()).isZero();
                one.send(datagram.clear(), two.getLocalAddress());
                assertThat(selector.select()).isEqualTo(1);
                assertThat(two.receive(datagram.clear())).isEqualTo(one.getLocalAddress());
                assertThat(two.receive(datagram.clear())).isNull();
                while (two.send(datagram.clear(), one.getLocalAddress()) == 0) {
                    Thread.onSpinWait();
                }
                assertThat(one.receive(datagram.clear())).isEqualTo(two.getLocalAddress());
            } finally {
                provider.drivers().forEach(driver -> driver.close());
            }
        }
    }

    /** A size that may not be is the program's fault, a driver that is away is not; the half of UDP stays as it was. */
    @Test
    void sizesAreNotSetWhereTheDriverIsAway() throws IOException {
        System.setProperty(RdpNetworks.DEVICES, "soft63");
        System.setProperty(RdpNetworks.DRIVER, "shared");
        final SharedServer server = SharedServer.open(drivers.open(63));
        final RdpSelectorProvider provider = new RdpSelectorProvider();
        try (DatagramChannel channel = provider.openDatagramChannel().bind(null);
                DatagramChannel udp = Objects.requireNonNull(((RdpDatagramChannel) channel).ends().udp())) {
            channel.setOption(SO_RCVBUF, 8_192);
            channel.setOption(SO_SNDBUF, 8_192);
            final int receives = udp.getOption(SO_RCVBUF);
            final int sends = udp.getOption(SO_SNDBUF);
            isNoSize(channel);
            server.close();
            for (final SocketOption<Integer> option : List.of(SO_RCVBUF, SO_SNDBUF)) {
                assertThatThrownBy(() -> channel.setOption(option, 16_384))
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("driver is there again");
            }
            isNoSize(channel);
            assertThat(udp.getOption(SO_RCVBUF)).isEqualTo(receives);
            assertThat(udp.getOption(SO_SNDBUF)).isEqualTo(sends);
        } finally {
            server.close();
            provider.drivers().forEach(driver -> driver.close());
        }
    }

    @Test
    void aBindAtAllAddressesThatFoundNoDriverIsTriedAgain() throws IOException {
        System.setProperty(RdpNetworks.DEVICES, "soft64");
        System.setProperty(RdpNetworks.DRIVER, "shared");
        final RdpDriver driver = drivers.open(64);
        final RdpSelectorProvider provider = new RdpSelectorProvider();
        try (DatagramChannel channel = provider.openDatagramChannel()) {
            for (final InetSocketAddress local : new InetSocketAddress[] {null, new InetSocketAddress(0)}) {
                assertThatThrownBy(() -> channel.bind(local))
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("no shared driver listens");
                assertThat(channel.getLocalAddress()).isNull();
            }
            try (SharedServer _ = SharedServer.open(driver)) {
                channel.bind(null);
                assertThat(channel.getLocalAddress()).isNotNull();
                assertThat(driver.status().sockets()).hasSize(1);
                provider.drivers().forEach(shared -> shared.close());
            }
        }
    }

    private static void isNoSize(final DatagramChannel channel) {
        for (final SocketOption<Integer> option : List.of(SO_RCVBUF, SO_SNDBUF)) {
            for (final int size : new int[] {0, -1}) {
                assertThatThrownBy(() -> channel.setOption(option, size))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(option.name() + " = " + size + ": it may be 1 or more");
            }
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        System.setProperty(RdpNetworks.DRIVER, "shard");
        assertThatThrownBy(() -> new RdpSelectorProvider().drivers())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("-Dvhca.rdp.driver=shard: it may be embedded, shared or shared,start");
        System.setProperty(RdpNetworks.DRIVER, "shared");
        assertThatThrownBy(() -> new RdpSelectorProvider().drivers())
                .hasMessageContaining("no shared driver listens at " + directory.resolve("soft61.rdpd"));
        System.setProperty(RdpNetworks.OPTIONS, "Heartbeat=50");
        assertThatThrownBy(() -> new RdpSelectorProvider().drivers())
                .hasMessageContaining("-Dvhca.rdp.options is for drivers of one's own");
    }
}
