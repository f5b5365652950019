package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketDeadlineTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** Nobody writes: the read has no other end. */
    @Test
    void whoWaitsIsWokenWhenTheTimeIsOver() throws IOException {
        final UnixDomainSocketAddress at = UnixDomainSocketAddress.of(directory.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(at);
            try (SocketChannel channel = SocketChannel.open(at);
                    SocketDeadline deadline = new SocketDeadline(channel, Duration.ofMillis(1))) {
                assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
                        .isInstanceOf(ClosedChannelException.class);
                assertThat(deadline.hasPassed()).isTrue();
                assertThat(deadline.meet()).isFalse();
            }
        }
    }

    @Test
    void whatIsMetDoesNotPass() throws IOException {
        try (SocketChannel channel = SocketChannel.open();
                SocketDeadline deadline = new SocketDeadline(channel, Duration.ofHours(1))) {
            assertThat(deadline.meet()).isTrue();
            assertThat(deadline.meet()).isTrue();
            assertThat(deadline.hasPassed()).isFalse();
            assertThat(channel.isOpen()).isTrue();
        }
    }
}
