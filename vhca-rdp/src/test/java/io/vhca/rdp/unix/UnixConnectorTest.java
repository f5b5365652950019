package io.vhca.rdp.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who connects hears at once what is there. */
@Timeout(60)
class UnixConnectorTest {
    private static final int QUEUE = 3;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void aFullQueueIsToldFromNobody() throws IOException {
        final Path path = directory.resolve("socket");
        assertThatThrownBy(() -> UnixConnector.connect(path))
                .isInstanceOf(SocketException.class)
                .isNotInstanceOf(ConnectException.class);
        final List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path), QUEUE - 1); // the kernel takes one more
            SocketChannel one = UnixConnector.connect(path);
            while (one != null) {
                assertThat(one.isConnected()).isTrue();
                assertThat(one.isBlocking()).isFalse();
                waiting.add(one);
                one = UnixConnector.connect(path);
            }
            assertThat(waiting).hasSize(QUEUE);
            listener.accept().close();
            one = UnixConnector.connect(path);
            assertThat(one).isNotNull();
            waiting.add(one);
        } finally {
            for (final SocketChannel one : waiting) {
                one.close();
            }
        }
        assertThatThrownBy(() -> UnixConnector.connect(path)).isInstanceOf(ConnectException.class);
        final Path tooLong = directory.resolve("d".repeat(120));
        assertThatThrownBy(() -> UnixConnector.connect(tooLong)).isInstanceOf(SocketException.class);
    }
}
