package io.vhca.ras.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneOffset;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is written into a trace file is read from it, whatever became of who wrote it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceFileTest {
    private static final int MUTANTS = 10_000;
    private static final int KILLS = 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final AtomicLong clock = new AtomicLong(1_000);

    private Path file() {
        return directory.resolve("bond0.1.trace");
    }

    private TraceWriter create() throws IOException {
        return TraceWriter.create(
                FileChannel.open(
                        file(), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                "bond0", () -> 77, clock::incrementAndGet);
    }

    private static void run(final Runnable work) throws InterruptedException {
        final Thread thread = new Thread(work, "other");
        thread.start();
        thread.join();
    }

    @Test
    void whatIsWrittenIsRead() throws Exception {
        final TraceWriter writer = create();
        writer.record(TraceEventDescriptor.QP_STATE, TraceObject.qp(5), 1, 2, 3, -4);
        run(() -> writer.record(TraceEventDescriptor.CQ_CLOSED, TraceObject.cq(1), 0, 0, 0, 0));
        final TraceContent content = TraceReader.read(file());
        assertThat(content.bond()).isEqualTo("bond0");
        assertThat(content.epochMs()).isEqualTo(77);
        assertThat(content.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(content.lost()).isZero();
        assertThat(content.records()).hasSize(2).isSortedAccordingTo(
                (one, other) -> Long.compare(one.timeNs(), other.timeNs()));
        assertThat(content.records().getFirst()).satisfies(record -> {
            assertThat(record.event()).isEqualTo(TraceEventDescriptor.QP_STATE);
            assertThat(record.object()).isEqualTo(TraceObject.qp(5));
            assertThat(List.of(record.word0(), record.word1(), record.word2(), record.word3()))
                    .containsExactly(1L, 2L, 3L, -4L);
            assertThat(record.isExact()).isTrue();
        });
        assertThat(content.threads().get(content.records().getLast().thread())).isEqualTo("other");
    }

    /** A file that is only made longer has no blocks, and who recorded into one that was missing got an error. */
    @Test
    void whereThereIsNoRoomForItItIsNotMade() {
        assertThatThrownBy(() -> TraceWriter.create(
                        FileChannel.open(
                                Path.of("/dev/full"), StandardOpenOption.READ, StandardOpenOption.WRITE),
                        "bond0", () -> 77, clock::incrementAndGet))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left");
    }

    @Test
    void theOldestAreOverwritten() throws IOException {
        final TraceWriter writer = create();
        final int more = TraceFileDescriptor.RECORDS + 3;
        for (int i = 0; i < more; i++) {
            writer.record(TraceEventDescriptor.POSTED_SEND, TraceObject.qp(5), i, 0, 0, 0);
        }
        final TraceContent content = TraceReader.read(file());
        assertThat(content.lost()).isEqualTo(3);
        assertThat(content.records()).hasSize(TraceFileDescriptor.RECORDS);
        assertThat(content.records().getFirst().word0()).isEqualTo(3);
        assertThat(content.records().getLast().word0()).isEqualTo(more - 1);
    }

    @Test
    void theClockOfTheDataPathIsLookedAtNowAndThen() throws IOException {
        final TraceWriter writer = create();
        for (int i = 0; i < 16; i++) {
            writer.record(TraceEventDescriptor.POLLED, TraceObject.qp(5), i, 0, 0, 0);
        }
        writer.idle();
        writer.record(TraceEventDescriptor.POLLED, TraceObject.qp(5), 16, 0, 0, 0);
        writer.record(TraceEventDescriptor.POLLED, TraceObject.qp(5), 17, 0, 0, 0);
        writer.record(TraceEventDescriptor.QP_STATE, TraceObject.qp(5), 18, 0, 0, 0);
        final List<TraceRecord> records = TraceReader.read(file()).records();
        assertThat(records.stream().filter(TraceRecord::isExact).map(TraceRecord::word0))
                .containsExactly(0L, 8L, 16L, 18L);
        assertThat(records.get(17).timeNs()).isEqualTo(records.get(16).timeNs());
        assertThat(records.get(7).timeNs()).isEqualTo(records.getFirst().timeNs());
    }

    @Test
    void aRecordThatIsBeingWrittenIsLeftOut() throws IOException {
        final TraceWriter writer = create();
        for (int i = 0; i < 3; i++) {
            writer.record(TraceEventDescriptor.QP_STATE, TraceObject.qp(5), i, 0, 0, 0);
        }
        final int ring = TraceFileDescriptor.ring(
                (int) Thread.currentThread().threadId() & TraceFileDescriptor.RINGS - 1);
        final int second = ring + TraceFileDescriptor.RING_HEADER_BYTES + TraceFileDescriptor.RECORD_BYTES;
        patch(second + TraceFileDescriptor.SEQUENCE_OFFSET, new byte[Long.BYTES]);
        assertThat(TraceReader.read(file()).records()).extracting(TraceRecord::word0).containsExactly(0L, 2L);
    }

    private void patch(final long offset, final byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), offset);
        }
    }

    @Test
    void whatIsNoTraceIsRefusedInOneSentence() throws IOException {
        create();
        final Path link = Files.createSymbolicLink(directory.resolve("link"), file());
        assertThatThrownBy(() -> TraceReader.read(link))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no file");
        patch(TraceFileDescriptor.VERSION_OFFSET, new byte[] {9});
        assertThatThrownBy(() -> TraceReader.read(file())).hasMessageContaining("version 9");
        patch(TraceFileDescriptor.MAGIC_OFFSET, new byte[] {9});
        assertThatThrownBy(() -> TraceReader.read(file())).hasMessageContaining("begins with something else");
        Files.write(file(), new byte[100]);
        assertThatThrownBy(() -> TraceReader.read(file())).hasMessageContaining("too short");
    }

    /** Whatever stands in a file, it is read or refused in one sentence, and every record has a line. */
    @Test
    void damagedFilesAreReadOrRefused() throws Exception {
        final TraceWriter writer = create();
        for (int i = 0; i < 100; i++) {
            final int number = i;
            writer.record(TraceEventDescriptor.POSTED_SEND, TraceObject.qp(5), number, 0, 0, 0);
        }
        final SplittableRandom random = new SplittableRandom(18);
        final ByteBuffer good = TraceReader.bytes(file());
        final int ring = TraceFileDescriptor.ring(
                (int) Thread.currentThread().threadId() & TraceFileDescriptor.RINGS - 1);
        int refused = 0;
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            for (int mutant = 0; mutant < MUTANTS; mutant++) {
                final int at = random.nextInt(4) == 0 ? random.nextInt(64) : ring + random.nextInt(100 * 64);
                final byte[] bytes = new byte[1 + random.nextInt(12)];
                random.nextBytes(bytes);
                channel.write(ByteBuffer.wrap(bytes), at);
                refused += isRefused() ? 1 : 0;
                channel.write(good.slice(at, bytes.length), at);
            }
        }
        assertThat(refused).isBetween(MUTANTS / 100, MUTANTS / 2);
        assertThat(TraceReader.read(file()).records()).hasSize(100);
    }

    private boolean isRefused() {
        try {
            final TraceContent content = TraceReader.read(file());
            final TraceText text = new TraceText(content, ZoneOffset.UTC);
            assertThat(content.records()).hasSizeLessThanOrEqualTo(
                    TraceFileDescriptor.RECORDS * TraceFileDescriptor.RINGS);
            content.records().forEach(record ->
                    assertThat(text.line(record).chars()).noneMatch(Character::isISOControl));
            return false;
        } catch (final IOException e) {
            assertThat(e).hasMessageStartingWith(file().toString());
            return true;
        }
    }

    /** A process that writes as fast as it can is killed; at most the record that each thread was writing is lost. */
    @Test
    void theTraceOfAProcessThatWasKilledIsWhole() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            Files.deleteIfExists(file());
            final Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                            TraceChild.class.getName(), file().toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(child.inputReader().readLine()).isEqualTo(TraceChild.WRAPPED);
            child.destroyForcibly();
            child.waitFor();

            final TraceContent content = TraceReader.read(file());
            for (final String name : TraceChild.THREADS) {
                final List<TraceRecord> records = content.records().stream()
                        .filter(record -> name.equals(content.threads().get(record.thread())))
                        .sorted((one, other) -> Long.compare(one.sequence(), other.sequence()))
                        .toList();
                assertThat(records).as("%s, kill %d", name, kill)
                        .hasSizeBetween(TraceFileDescriptor.RECORDS - 1, TraceFileDescriptor.RECORDS);
                for (final TraceRecord record : records) {
                    assertThat(record.word0()).isEqualTo(record.sequence());
                    assertThat(record.word3()).isEqualTo(~record.sequence());
                }
                assertThat(records.getLast().sequence() - records.getFirst().sequence())
                        .isLessThanOrEqualTo(TraceFileDescriptor.RECORDS);
            }
        }
    }
}
