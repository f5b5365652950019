package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketsTest {
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-rw----");
    /** What the JDK takes of the 108 bytes of unix(7). */
    private static final int LONGEST_PATH = 106;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private void servesAt(final Path at) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            UnixSockets.listen(server, at, MODE);
            assertThat(Files.getPosixFilePermissions(at)).isEqualTo(MODE);
            assertThat(directory.toFile().list()).containsExactly(at.getFileName().toString());
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(at));
                    SocketChannel accepted = server.accept()) {
                assertThat(client.isConnected()).isTrue();
                assertThat(accepted.isConnected()).isTrue();
            }
        }
    }

    @Test
    void itIsThereWithItsModeWhateverStoodThere() throws IOException {
        final Path at = directory.resolve("bond0.1.socket");
        servesAt(at);
        servesAt(at);
    }

    /** Of two that want to be the one there, one is told. */
    @Test
    void whoWantsToBeTheFirstIsToldWhereSomethingStands() throws IOException {
        final Path at = directory.resolve("soft0.rdpd");
        try (ServerSocketChannel first = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                ServerSocketChannel second = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            UnixSockets.listenFirst(first, at, 5, MODE);
            assertThatThrownBy(() -> UnixSockets.listenFirst(second, at, 5, MODE))
                    .isInstanceOf(FileAlreadyExistsException.class)
                    .hasMessageContaining(at.toString());
            assertThat(Files.getPosixFilePermissions(at)).isEqualTo(MODE);
            assertThat(directory.toFile().list()).containsExactly("soft0.rdpd");
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(at));
                    SocketChannel accepted = first.accept()) {
                assertThat(client.isConnected() && accepted.isConnected()).isTrue();
            }
        }
    }

    /** Each has a room of its own: none finds what another one makes there, or has left. */
    @Test
    void manyAtOnceAllServe() throws Exception {
        final List<ServerSocketChannel> servers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            final List<Future<ServerSocketChannel>> made = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                final Path at = directory.resolve("soft" + i + ".rdpd");
                made.add(threads.submit(() -> {
                    final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                    UnixSockets.listenFirst(server, at, 5, MODE);
                    return server;
                }));
            }
            for (final Future<ServerSocketChannel> one : made) {
                servers.add(one.get());
            }
            assertThat(directory.toFile().list()).hasSize(64).allMatch(name -> name.endsWith(".rdpd"));
        } finally {
            for (final ServerSocketChannel server : servers) {
                server.close();
            }
        }
    }

    @Test
    void theLongestPathServesAndALongerOneLeavesNothing() throws IOException {
        final int left = LONGEST_PATH - directory.toString().length() - 1;
        servesAt(directory.resolve("n".repeat(left)));
        Files.delete(directory.resolve("n".repeat(left)));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThatThrownBy(() -> UnixSockets.listen(server, directory.resolve("n".repeat(left + 1)), MODE))
                    .isInstanceOf(IOException.class);
        }
        assertThat(directory.toFile().list()).isEmpty();
    }
}
