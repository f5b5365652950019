package io.vhca.rdp.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that goes over a Unix domain socket, and who is at the other end of that. */
class UnixPeerTest {
    private static final byte[] MESSAGE = "memory".getBytes(StandardCharsets.UTF_8);
    private static final int SIZE = 8_192;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SocketChannel one;
    private SocketChannel other;

    @BeforeEach
    void connect() throws IOException {
        final UnixDomainSocketAddress at = UnixDomainSocketAddress.of(directory.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(at);
            one = SocketChannel.open(at);
            other = server.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        one.close();
        other.close();
    }

    @Test
    void theKernelSaysWhoIsThere() throws IOException {
        final UnixPeer peer = UnixPeer.of(other);
        assertThat(peer.pid()).isEqualTo((int) ProcessHandle.current().pid());
        assertThat(peer.user()).isEqualTo(own("unix:uid"));
        assertThat(peer.group()).isEqualTo(own("unix:gid"));
    }

    private static long own(final String attribute) throws IOException {
        return Integer.toUnsignedLong((int) Files.getAttribute(Path.of("/proc/self"), attribute));
    }

    @Test
    void memoryIsOneForBothEnds() throws IOException {
        final byte[] message = new byte[MESSAGE.length];
        try (MemoryFile sent = MemoryFile.create("test", SIZE)) {
            UnixPeer.send(one, MESSAGE, sent);
            try (MemoryFile received = MemoryFile.open(UnixPeer.receive(other, message), SIZE)) {
                assertThat(message).isEqualTo(MESSAGE);
                sent.map().putInt(SIZE - 4, 77);
                assertThat(received.map().getInt(SIZE - 4)).isEqualTo(77);
            }
        }
    }

    @Test
    void nobodyCanTakeAwayWhatIsMapped() throws IOException {
        try (MemoryFile memory = MemoryFile.create("test", SIZE);
                FileChannel channel = FileChannel.open(
                        Path.of("/proc/self/fd/" + memory.descriptor()), StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> channel.truncate(SIZE / 2)).isInstanceOf(IOException.class);
            assertThat(channel.size()).isEqualTo(SIZE);
        }
    }

    @Test
    void otherMemoryIsRefused() throws IOException {
        final byte[] message = new byte[MESSAGE.length];
        try (MemoryFile memory = MemoryFile.create("test", SIZE)) {
            UnixPeer.send(one, MESSAGE, memory);
            assertThatThrownBy(() -> MemoryFile.open(UnixPeer.receive(other, message), 2 * SIZE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has 8192 bytes");
        }
        final int unsealed = Libc.memfdCreate("test", 2);
        assertThatThrownBy(() -> MemoryFile.open(unsealed, 0)).hasMessageContaining("seals 0");
    }

    @Test
    void aMessageWithoutMemoryHasNone() throws IOException {
        one.write(ByteBuffer.wrap(MESSAGE));
        assertThat(UnixPeer.receive(other, new byte[MESSAGE.length])).isEqualTo(-1);
        one.write(ByteBuffer.wrap(MESSAGE));
        assertThatThrownBy(() -> UnixPeer.receive(other, new byte[MESSAGE.length + 1]))
                .hasMessage("6 bytes came, and 7 were expected");
    }

    /** As {@link UnixPeer#send}, with two descriptors of the same file. */
    private void sendTwo(final byte[] message, final int descriptor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment rights = arena.allocate(24, Long.BYTES);
            rights.set(ValueLayout.JAVA_LONG, 0, rights.byteSize());
            rights.set(ValueLayout.JAVA_INT, 8, 1); // SOL_SOCKET
            rights.set(ValueLayout.JAVA_INT, 12, 1); // SCM_RIGHTS
            rights.set(ValueLayout.JAVA_INT, 16, descriptor);
            rights.set(ValueLayout.JAVA_INT, 20, descriptor);
            final MemorySegment part = arena.allocate(2 * Long.BYTES, Long.BYTES);
            part.set(ValueLayout.ADDRESS, 0, arena.allocateFrom(ValueLayout.JAVA_BYTE, message));
            part.set(ValueLayout.JAVA_LONG, Long.BYTES, message.length);
            final MemorySegment header = arena.allocate(56, Long.BYTES);
            header.set(ValueLayout.ADDRESS, 16, part);
            header.set(ValueLayout.JAVA_LONG, 24, 1);
            header.set(ValueLayout.ADDRESS, 32, rights);
            header.set(ValueLayout.JAVA_LONG, 40, rights.byteSize());
            assertThat(Libc.sendmsg(UnixPeer.descriptor(one), header, 0)).isEqualTo(message.length);
        }
    }

    /** Descriptors of memory of that name that this process has. */
    private static long opened(final String name) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> target(file).contains(name)).count();
        }
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return ""; // closed since
        }
    }

    @Test
    void ofTwoDescriptorsNeitherStaysOpen() throws IOException {
        try (MemoryFile memory = MemoryFile.create("sent-twice", SIZE)) {
            sendTwo(MESSAGE, memory.descriptor());
            assertThatThrownBy(() -> UnixPeer.receive(other, new byte[MESSAGE.length]))
                    .isInstanceOf(IOException.class)
                    .hasMessage("more than one descriptor came");
            assertThat(opened("sent-twice")).isEqualTo(1);
        }
    }
}
