package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.ras.file.OwnDirectories;
import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.status.OutOfDescriptors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who takes dumps takes nothing else, no more than it may, and waits for nobody for ever. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DumpReceiverTest {
    private static final Duration FOREVER = Duration.ofHours(1);
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final String NAME = "bond0.4711.dump";
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private Path dump = Path.of("unset");

    @BeforeEach
    void writeOne() throws IOException {
        final Report.Builder report = new Report.Builder();
        report.section("dump");
        report.value("bond", "bond0");
        dump = directory.resolve(NAME);
        try (FileChannel to = FileChannel.open(dump, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            DumpFile.write(to, report.build(), List.of(MemorySegment.ofArray(new byte[4096])));
        }
    }

    @AfterEach
    void nothingIsLeftHalf() throws IOException {
        try (Stream<Path> all = Files.list(into())) {
            for (final Path file : all.toList()) {
                DumpFile.open(file).close();
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
            }
        }
    }

    private Path into() {
        return directory.resolve("into");
    }

    private DumpReceiver serve(final int most, final Duration patience) throws IOException {
        final DumpReceiver receiver = new DumpReceiver(FREE, into(), most, patience);
        Thread.ofVirtual().start(() -> receiver.serve(told::add));
        return receiver;
    }

    private String send(final InetSocketAddress to, final Duration patience) throws IOException {
        try (DumpFile file = DumpFile.open(dump)) {
            return DumpSender.send(file, NAME, to, patience);
        }
    }

    private static String say(final DumpReceiver to, final ByteBuffer what, final boolean ends) throws IOException {
        try (SocketChannel client = SocketChannel.open(to.address())) {
            WholeTransfer.write(client, what);
            if (ends) {
                client.shutdownOutput();
            }
            return TransferDescriptor.readLine(client, TransferDescriptor.ANSWER);
        }
    }

    @Test
    void whatIsSentIsThereAndReplacesNothing() throws Exception {
        try (DumpReceiver receiver = serve(2, FOREVER)) {
            final String first = send(receiver.address(), FOREVER);
            assertThat(first).endsWith("/into/bond0.4711.dump");
            assertThat(Files.readAllBytes(Path.of(first))).isEqualTo(Files.readAllBytes(dump));
            assertThat(send(receiver.address(), FOREVER)).endsWith("/into/bond0.4711.dump.2");
            assertThatThrownBy(() -> send(receiver.address(), FOREVER))
                    .hasMessageContainingAll("there are 2 files in", "move them away");
            assertThat(told.take()).contains(" ok ");
        }
    }

    /** However late it comes. */
    @Test
    void whatIsKeptIsAnsweredAndWhatIsNotAnsweredIsNotKept() throws Exception {
        for (int i = 0; i < 400; i++) {
            try (DumpReceiver receiver = serve(2, Duration.ofNanos(i * 20_000L))) {
                String answer = "";
                try {
                    answer = send(receiver.address(), FOREVER);
                } catch (final IOException e) {
                    // It came too late.
                }
                told.take();
                assertThat(Files.deleteIfExists(into().resolve(NAME))).isEqualTo(answer.endsWith(NAME));
            }
        }
    }

    @Test
    void aProcessWithoutDescriptorsSaysSoOnce() throws IOException {
        try (DumpReceiver receiver = serve(1, FOREVER);
                OutOfDescriptors none = new OutOfDescriptors(20)) {
            receiver.serve(none, told::add);
            assertThat(none.logged()).singleElement().satisfies(line -> assertThat(line.getMessage())
                    .startsWith("no dumps can be taken into " + into() + " for now (Too many open files)"));
        }
        assertThat(told).isEmpty();
    }

    @Test
    void whatIsNoDumpIsRefused() throws Exception {
        try (DumpReceiver receiver = serve(9, FOREVER)) {
            for (final String head : List.of(
                    "GET / HTTP/1.1", "vhca-dump-send 1 ../x 64", "vhca-dump-send 1 .x 64", "vhca-dump-send 2 x 64")) {
                assertThat(say(receiver, ByteBuffer.wrap(TransferDescriptor.line(head, 128)), false))
                        .isEqualTo("error: it is no dump that is sent by vhca dump");
            }
            assertThat(say(receiver, ByteBuffer.wrap(new TransferDescriptor("x", 1L << 39).head()), false))
                    .startsWith("error: a dump has ");
            final ByteBuffer other = ByteBuffer.allocate(128 + 64);
            other.put(new TransferDescriptor("x", 64).head()).rewind();
            assertThat(say(receiver, other, false)).isEqualTo("error: it is no dump of a bond, or is cut short");
        }
    }

    @Test
    void aSenderThatGoesLeavesNothing() throws Exception {
        try (DumpReceiver receiver = serve(9, FOREVER)) {
            final byte[] whole = Files.readAllBytes(dump);
            final ByteBuffer half = ByteBuffer.allocate(128 + whole.length / 2);
            half.put(new TransferDescriptor("x", whole.length).head()).put(whole, 0, whole.length / 2).rewind();
            assertThat(say(receiver, half, true)).contains("the sender is gone");
            assertThat(Files.exists(into().resolve("x"))).isFalse();
        }
    }

    /** It looked like a dump, and counted as one. */
    @Test
    void whatAReceiverHadBegunThatWasKilledIsNoDump() throws Exception {
        OwnDirectories.create(into());
        final Path begun = Files.createFile(into().resolve("x.4194305.1.part"));
        try (DumpReceiver receiver = serve(1, FOREVER)) {
            assertThat(begun).doesNotExist();
            assertThat(send(receiver.address(), FOREVER)).endsWith("/into/bond0.4711.dump");
        }
    }

    @Test
    @Timeout(60)
    void whatIsOnTheWayHasNotTheNameOfADump() throws Exception {
        try (DumpReceiver receiver = serve(9, FOREVER)) {
            try (SocketChannel client = SocketChannel.open(receiver.address())) {
                WholeTransfer.write(client, ByteBuffer.wrap(new TransferDescriptor("x", Files.size(dump)).head()));
                List<Path> begun = List.of();
                while (begun.isEmpty()) {
                    try (Stream<Path> all = Files.list(into())) {
                        begun = all.toList();
                    }
                }
                assertThat(begun.getFirst().getFileName().toString()).matches("x\\.[0-9]+\\.[0-9]+\\.part");
            }
            assertThat(told.take()).contains("error: ");
        }
    }

    @Test
    void whoSaysNothingKeepsNobodyWaiting() throws Exception {
        try (DumpReceiver receiver = serve(9, AT_ONCE);
                SocketChannel silent = SocketChannel.open(receiver.address())) {
            assertThat(told.take()).contains("error: ");
            assertThat(silent.read(ByteBuffer.allocate(1))).isNegative();
        }
    }

    @Test
    void aTargetThatIsGoneOrSilentIsSaid() throws Exception {
        final InetSocketAddress gone;
        try (DumpReceiver receiver = new DumpReceiver(FREE, into(), 1)) {
            gone = receiver.address();
            assertThatThrownBy(() -> send(gone, AT_ONCE))
                    .hasMessageContaining("it was not taken");
        }
        assertThatThrownBy(() -> send(gone, FOREVER)).isInstanceOf(IOException.class);
        assertThat(Files.exists(dump)).isTrue();
    }
}
