package io.vhca.ras.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.OwnDirectories;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    private long nowMs = 100_000;
    private long nowNs;

    /** Stores into memory that is mapped do not make a file system take the file for one that is written. */
    @Test
    void theOneThatWasWrittenLastIsFoundByItsRecordsAndKept() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final TraceWriter first = writer(directory.resolve("bond0.999999991.trace"));
        for (int i = 0; i <= TraceFileDescriptor.RECORDS; i++) {
            record(first);
        }
        pass(1_000);
        for (int other = 2; other <= 1 + TraceFiles.KEPT; other++) {
            record(writer(directory.resolve("bond0.99999999" + other + ".trace")));
        }
        final List<Path> all = files(directory);
        for (final Path file : all) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
        }
        final String before = System.setProperty(StatusDirectory.PROPERTY, directory.toString());
        try {
            assertThat(TraceFiles.find("bond0", 0).getLast()).isEqualTo(all.getLast());
            pass(1_000);
            record(first);
            assertThat(TraceFiles.find("bond0", 0).getLast()).isEqualTo(all.getFirst());
        } finally {
            if (before == null) {
                System.clearProperty(StatusDirectory.PROPERTY);
            } else {
                System.setProperty(StatusDirectory.PROPERTY, before);
            }
        }
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            TraceFiles.sweep(opened, "bond0", nowMs, nowNs);
        }
        assertThat(files(directory)).hasSize(TraceFiles.KEPT).contains(all.getFirst()).doesNotContain(all.get(1));
    }

    /** Those of before say that they are newer than that of who has just died; of this boot of the host or another. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofThoseOfBeforeTheClockWasSetBackTheOldestGoes(final boolean isThisBoot) throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final long dayMs = TimeUnit.DAYS.toMillis(1);
        nowMs += dayMs;
        for (int other = 1; other <= TraceFiles.KEPT; other++) {
            pass(1_000);
            record(writer(directory.resolve("bond0.99999999" + other + ".trace")));
        }
        pass(1_000);
        nowMs -= dayMs;
        record(writer(directory.resolve("bond0.999999990.trace")));
        final List<Path> all = files(directory);
        for (final Path file : all) {
            if (!isThisBoot) {
                forgetBoot(file);
            }
            Files.setLastModifiedTime(file, FileTime.fromMillis(TraceReader.last(file).epochMs()));
        }
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            TraceFiles.sweep(opened, "bond0", nowMs, nowNs);
        }
        assertThat(files(directory)).hasSize(TraceFiles.KEPT).contains(all.getFirst()).doesNotContain(all.get(1));
    }

    private static void forgetBoot(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(Long.BYTES), TraceFileDescriptor.BOOT_OFFSET);
        }
    }

    /** All that it says of times is by the clock that it asked when it was opened. */
    @Test
    void whoWasOpenedBeforeTheClockWasSetBackAndDiedLastIsKept() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final long dayMs = TimeUnit.DAYS.toMillis(1);
        nowMs += dayMs;
        final TraceWriter first = writer(directory.resolve("bond0.999999990.trace"));
        nowMs -= dayMs;
        for (int other = 1; other <= TraceFiles.KEPT; other++) {
            pass(1_000);
            record(writer(directory.resolve("bond0.99999999" + other + ".trace")));
        }
        pass(1_000);
        record(first);
        final List<Path> all = files(directory);
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            TraceFiles.sweep(opened, "bond0", nowMs, nowNs);
        }
        assertThat(files(directory)).hasSize(TraceFiles.KEPT).contains(all.getFirst()).doesNotContain(all.get(1));
    }

    private void pass(final long ms) {
        nowMs += ms;
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private TraceWriter writer(final Path file) throws IOException {
        return TraceWriter.create(
                FileChannel.open(file, Set.of(
                        StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)),
                "bond0", () -> nowMs, () -> nowNs);
    }

    private static void record(final TraceWriter writer) {
        writer.record(TraceEventDescriptor.MEMBER_ACTIVE, TraceObject.NONE, 0, 0, 0, 0);
    }

    private static List<Path> files(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** Of the same number, which another process has now. */
    @Test
    void theTraceOfAnEarlierProcessIsLeft() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final Path own = directory.resolve(TraceFiles.of("bond0"));
        writer(own);
        assertThat(TraceFiles.isLeft(own)).isFalse();
        final ByteBuffer start = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(own, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.read(start, TraceFileDescriptor.PROCESS_START_OFFSET);
            start.putLong(0, start.getLong(0) + 1);
            channel.write(start.flip(), TraceFileDescriptor.PROCESS_START_OFFSET);
            assertThat(TraceFiles.isLeft(own)).isTrue();
            channel.write(ByteBuffer.allocate(Long.BYTES), TraceFileDescriptor.PROCESS_START_OFFSET);
            assertThat(TraceFiles.isLeft(own)).as("a release that does not say it").isFalse();
        }
    }

    /** In containers every process has the same number. */
    @Test
    void whatAnEarlierProcessOfTheSameNumberLeftIsKeptInBounds() throws IOException {
        final Path directory = OwnDirectories.create(parent.resolve("status"));
        final Path own = directory.resolve(TraceFiles.of("bond0"));
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            TraceFiles.keepLeft(opened, "bond0");
            for (int life = 1; life <= 6; life++) {
                Files.writeString(own, "life " + life);
                Files.setLastModifiedTime(own, FileTime.fromMillis(life * 1_000L));
                TraceFiles.keepLeft(opened, "bond0");
                TraceFiles.sweep(opened, "bond0", nowMs, nowNs);
            }
        }
        assertThat(own).doesNotExist();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).hasSize(TraceFiles.KEPT).allSatisfy(file -> {
                assertThat(file.toString()).matches(".*/bond0\\.[0-9]+-[0-9]+\\.trace");
                assertThat(file).content().isIn("life 3", "life 4", "life 5", "life 6");
            });
        }
    }
}
