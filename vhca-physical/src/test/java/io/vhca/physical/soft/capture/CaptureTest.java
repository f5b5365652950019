package io.vhca.physical.soft.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The last packets are in the file, whatever becomes of the process, and whoever has written to it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaptureTest {
    private static final int KILLS = 3;
    private static final int MUTANTS = 300;
    private static final int LENGTH = CaptureChild.LENGTH;
    private static final Gid PEER = Gid.of(InetAddress.ofLiteral("10.1.0.2"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final CaptureChild.Echo echo = new CaptureChild.Echo();
    private long nowNs = 1_700_000_000_000_000_000L;

    private Carrier open() {
        return new CapturingCarrier(echo, "soft0", directory, () -> ++nowNs);
    }

    private Path file(final long pid) {
        return directory.resolve("soft0." + pid + ".capture");
    }

    private Path file() {
        return file(ProcessHandle.current().pid());
    }

    private static long word(final CapturedPacket packet, final int at) {
        return ByteBuffer.wrap(packet.bytes()).order(ByteOrder.nativeOrder()).getLong(at);
    }

    private void send(final Carrier carrier, final long number) {
        final Arena arena = Arena.ofAuto();
        final long at = arena.allocate(LENGTH, Long.BYTES).address();
        NativeMemory.putLong(at, number);
        carrier.send(carrier.route(Destination.of(PEER)), at, LENGTH);
    }

    @Test
    void whatIsSentAndReceivedIsKeptAsItWas() throws IOException {
        try (Carrier carrier = open()) {
            send(carrier, 7);
            carrier.receive((high, low, port, trafficClass, at, length) ->
                    assertThat(NativeMemory.getLong(at)).isEqualTo(7), 1);
            echo.takes = false;
            send(carrier, 8);
            assertThat(Files.getPosixFilePermissions(file()))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            final Capture found = Capture.read(file());
            assertThat(found.device()).isEqualTo("soft0");
            assertThat(found.address()).isEqualTo(echo.address());
            assertThat(found.packets()).as("what was not taken was not sent").hasSize(2).allSatisfy(one -> {
                assertThat(one.peer()).isEqualTo(PEER);
                assertThat(one.length()).isEqualTo(LENGTH);
                assertThat(word(one, 0)).as("as it was before it was sent").isEqualTo(7);
            });
            assertThat(found.packets()).extracting(CapturedPacket::isSent).containsExactly(true, false);
            assertThat(found.packets()).extracting(CapturedPacket::sourcePort).containsExactly(4791, 0xC000);
            assertThat(found.packets().getFirst().timeNs()).isEqualTo(1_700_000_000_000_000_001L);
        }
        assertThat(Capture.read(file()).packets()).as("closed, and still there").hasSize(2);
    }

    @Test
    void whatIsSentHasTheIpHeaderThatItsRouteAsksFor() throws IOException {
        try (Carrier carrier = open()) {
            final long at = echo.arena.allocate(LENGTH, Long.BYTES).address();
            carrier.send(carrier.route(new Destination(PEER, 0x68, 1)), at, LENGTH);
            carrier.receive((high, low, port, trafficClass, packet, length) -> {}, 1);
            send(carrier, 2);
        }
        final Capture found = Capture.read(file());
        assertThat(found.packets()).extracting(CapturedPacket::trafficClass).containsExactly(0x68, 4, 0);
        assertThat(found.packets()).extracting(CapturedPacket::hopLimit).containsExactly(1, 0, 0);
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        PcapngWriter.write(found, Channels.newChannel(written));
        assertThat(ipHeaders(ByteBuffer.wrap(written.toByteArray())))
                .containsExactly("class 0x68, hops 1", "class 0x4, hops 64", "class 0x0, hops 64");
    }

    /** Of the IPv4 packets of a pcapng file. */
    private static List<String> ipHeaders(final ByteBuffer pcapng) {
        final List<String> found = new ArrayList<>();
        for (int at = 0; at < pcapng.capacity(); at += pcapng.getInt(at + Integer.BYTES)) {
            if (pcapng.getInt(at) == 6) {
                found.add(String.format(
                        Locale.ROOT, "class 0x%x, hops %d", pcapng.get(at + 29), pcapng.get(at + 36)));
            }
        }
        return found;
    }

    @Test
    void onlyTheLastAreKept() throws IOException {
        try (Carrier carrier = open()) {
            for (long number = 1; number <= CaptureDescriptor.SLOTS + 5L; number++) {
                send(carrier, number);
            }
        }
        final List<CapturedPacket> found = Capture.read(file()).packets();
        assertThat(found).hasSize(CaptureDescriptor.SLOTS).allSatisfy(
                one -> assertThat(word(one, 0)).isEqualTo(one.number()));
        assertThat(found.getFirst().number()).isEqualTo(6);
        open().close();
        assertThat(Capture.read(file()).packets()).as("opened again").isEmpty();
    }

    private Path left(final int number) {
        return directory.resolve("soft0." + ProcessHandle.current().pid() + "-" + number + ".capture");
    }

    /** In containers every process has the same number. */
    @Test
    void whatAnEarlierProcessOfTheSameNumberLeftIsKeptInBounds() throws IOException {
        Files.writeString(file(), "the first life");
        open().close();
        assertThat(left(1)).hasContent("the first life");
        open().close();
        assertThat(left(2)).as("of this process").doesNotExist();
        assertThat(left(1)).hasContent("the first life");
    }

    @Test
    void ofWhatManyProcessesLeftTheLastAreKept() throws IOException {
        final int before = CaptureFiles.KEPT + 6;
        for (int life = before - CaptureFiles.KEPT; life <= before; life++) {
            Files.writeString(left(life), "life " + life);
        }
        Files.writeString(file(), "the last life");
        open().close();
        assertThat(left(before + 1)).hasContent("the last life");
        assertThat(left(before - CaptureFiles.KEPT + 1)).doesNotExist();
        assertThat(left(before - CaptureFiles.KEPT + 2)).exists();
        assertThat(directory.toFile().list()).hasSize(1 + CaptureFiles.KEPT);
    }

    @Test
    void whereNoFileCanBeMadeTheDeviceIsNotOpened() throws IOException {
        final Path taken = Files.createFile(directory.resolve("taken"));
        assertThatThrownBy(() -> new CapturingCarrier(echo, "soft0", taken, () -> 0))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("openDevice on soft0")
                .hasMessageContaining("name another directory by capture");
    }

    /** A file that is only made longer has no blocks, and a device's thread ended at the first that was missing. */
    @Test
    void whereThereIsNoRoomForTheFileItIsNotMade() throws IOException {
        final Path begun = Files.createFile(file());
        try (Arena arena = Arena.ofConfined();
                FileChannel full = FileChannel.open(
                        Path.of("/dev/full"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> CapturingCarrier.map(full, begun, arena))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left");
        }
        assertThat(begun).doesNotExist();
    }

    /** A link is not followed, when the file is made nor when it is read. */
    @Test
    void aLinkInItsPlaceGoes() throws IOException {
        final Path other = Files.writeString(directory.resolve("other"), "precious");
        Files.createSymbolicLink(file(), other);
        assertThatThrownBy(() -> Capture.read(file())).hasMessageContaining("no file");
        open().close();
        assertThat(other).hasContent("precious");
    }

    /** A process that sends as fast as it can is killed; at most the packet that it was writing is lost. */
    @Test
    void theCaptureOfAProcessThatWasKilledIsWhole() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            final Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                            CaptureChild.class.getName(), directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(child.inputReader().readLine()).isEqualTo(CaptureChild.WRAPPED);
            child.destroyForcibly();
            child.waitFor();
            final List<CapturedPacket> found = Capture.read(file(child.pid())).packets();
            assertThat(found).hasSizeBetween(CaptureDescriptor.SLOTS - 1, CaptureDescriptor.SLOTS).allSatisfy(one -> {
                assertThat(word(one, 0)).isEqualTo(one.number());
                assertThat(word(one, LENGTH - Long.BYTES)).isEqualTo(~one.number());
            });
        }
    }

    /** Whatever stands in a file, it is read or refused in one sentence, and what was read can be written. */
    @Test
    void damagedFilesAreReadOrRefused() throws IOException {
        try (Carrier carrier = open()) {
            for (long number = 1; number <= 4; number++) {
                send(carrier, number);
            }
        }
        final byte[] good = new byte[CaptureDescriptor.slot(4)];
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.read(ByteBuffer.wrap(good), 0);
            final SplittableRandom random = new SplittableRandom(18);
            int refused = 0;
            for (int mutant = 0; mutant < MUTANTS; mutant++) {
                final int at = random.nextInt(4) == 0 ? random.nextInt(64)
                        : CaptureDescriptor.slot(random.nextInt(4)) + random.nextInt(64);
                final byte[] bytes = new byte[1 + random.nextInt(12)];
                random.nextBytes(bytes);
                channel.write(ByteBuffer.wrap(bytes), at);
                refused += isRefused() ? 1 : 0;
                channel.write(ByteBuffer.wrap(good, at, bytes.length), at);
            }
            assertThat(refused).isBetween(1, MUTANTS / 2);
        }
        assertThat(Capture.read(file()).packets()).hasSize(4);
    }

    private boolean isRefused() throws IOException {
        final Capture found;
        try {
            found = Capture.read(file());
        } catch (final IOException e) {
            assertThat(e).hasMessageStartingWith(file().toString());
            return true;
        }
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        PcapngWriter.write(found, Channels.newChannel(written));
        assertThat(written.size() % Integer.BYTES).isZero();
        return false;
    }
}
