package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.common.RdpCounters.Counter;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a driver waits for who has connected to say what he wants, by turns whose time is made up. */
class AttachDeskTest {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    /** More than it takes between two looks at sockets. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void whoSaysTooLittleIsSentAwayAfterAMinute(final int bytes) throws IOException {
        try (SharedDrivers all = new SharedDrivers(directory);
                ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            final RdpDriver driver = all.open(47);
            final UnixDomainSocketAddress address = UnixDomainSocketAddress.of(AttachPath.of(driver.name()));
            listener.bind(address).configureBlocking(false);
            final ServerTurns turns = new ServerTurns(
                    driver, listener::accept, listener.register(Selector.open(), SelectionKey.OP_ACCEPT));
            try (SocketChannel visitor = SocketChannel.open(address)) {
                visitor.write(ByteBuffer.allocate(bytes));
                visitor.configureBlocking(false);
                final long connectedNs = System.nanoTime() + LOOK_NS;
                turns.turn(connectedNs);
                turns.turn(connectedNs + LOOK_NS);
                turns.turn(connectedNs + MINUTE_NS);
                assertThat(visitor.read(ByteBuffer.allocate(1))).as("he may still ask").isZero();
                assertThat(driver.counters().get(Counter.ATTACHES_REFUSED)).isZero();
                turns.turn(connectedNs + MINUTE_NS + LOOK_NS);
                assertThat(visitor.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                assertThat(driver.counters().get(Counter.ATTACHES_REFUSED)).isEqualTo(1);
            } finally {
                turns.close();
            }
        }
    }
}
