package io.vhca.ras.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.ProcessLife;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.recovery.RecoveryState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static StatusFile create(final Path path) throws IOException {
        return StatusFile.create(FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    private static void putHeader(final UnsafeBuffer buffer) {
        buffer.putLong(StatusDescriptor.MAGIC_OFFSET, StatusDescriptor.MAGIC);
        buffer.putInt(StatusDescriptor.VERSION_OFFSET, StatusDescriptor.VERSION);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            final UnsafeBuffer buffer = file.buffer();
            putHeader(buffer);
            StatusFile.putText(buffer, StatusDescriptor.NAME_OFFSET, StatusDescriptor.NAME_BYTES, "bond0");
            buffer.putLong(StatusDescriptor.PID_OFFSET, 77);
            buffer.putInt(StatusDescriptor.MEMBERS_OFFSET, 1);
            final int member = StatusDescriptor.member(0);
            StatusFile.putText(
                    buffer, member + StatusDescriptor.MEMBER_NAME_OFFSET, StatusDescriptor.NAME_BYTES, "soft0");
            buffer.putLong(member + StatusDescriptor.MEMBER_FAILURES_OFFSET, 3);
            buffer.putInt(member + StatusDescriptor.MEMBER_INDEX_OFFSET, 5);
            buffer.putInt(StatusDescriptor.QP_ROWS_OFFSET, 3);
            buffer.putLong(StatusDescriptor.QPS_OFFSET, 2);
            buffer.putInt(StatusDescriptor.queuePair(0) + StatusDescriptor.QP_TYPE_OFFSET, QpType.RC.code());
            final int qp = StatusDescriptor.queuePair(2);
            buffer.putInt(qp + StatusDescriptor.QP_TYPE_OFFSET, QpType.UD.code());
            buffer.putInt(qp + StatusDescriptor.QP_QPN_OFFSET, 42);
            buffer.putInt(qp + StatusDescriptor.QP_STATE_OFFSET, QpState.RTS.code());
            buffer.putInt(qp + StatusDescriptor.QP_RECOVERY_OFFSET, RecoveryState.FENCING.code());
            buffer.putInt(qp + StatusDescriptor.QP_MEMBER_OFFSET, 5);
            buffer.putLong(qp + StatusDescriptor.QP_RECEIVED_OFFSET, Long.MAX_VALUE);
            new DistinctErrorLog(
                            file.part(StatusDescriptor.ERRORS_OFFSET, StatusDescriptor.ERRORS_BYTES), () -> 1_000)
                    .record(new IllegalStateException("first"));

            final BondStatus status = StatusReader.read(path);

            assertThat(status.name()).isEqualTo("bond0");
            assertThat(status.pid()).isEqualTo(77);
            assertThat(status.members()).singleElement().satisfies(row -> {
                assertThat(row.name()).isEqualTo("soft0");
                assertThat(row.failures()).isEqualTo(3);
            });
            assertThat(status.queuePairs()).hasSize(2).last().isEqualTo(new BondStatus.QpRow(
                    42, QpType.UD, QpState.RTS, RecoveryState.FENCING, 0, "soft0", "", 0, 0, Long.MAX_VALUE));
            assertThat(status.errors()).singleElement().satisfies(row -> {
                assertThat(row.count()).isOne();
                assertThat(row.lastMs()).isEqualTo(1_000);
                assertThat(row.text()).contains("IllegalStateException", "first");
            });
        }
    }

    @Test
    void ofMoreFailoversThanThereAreRowsTheLastOnesAreRead() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            final int count = StatusDescriptor.FAILOVER_ROWS + 5;
            for (int i = 0; i < count; i++) {
                file.buffer().putInt(StatusDescriptor.failover(i) + StatusDescriptor.FAILOVER_EPOCH_OFFSET, i);
            }
            file.buffer().putLong(StatusDescriptor.FAILOVERS_OFFSET, count);

            final BondStatus status = StatusReader.read(path);

            assertThat(status.failoverCount()).isEqualTo(count);
            assertThat(status.failovers()).hasSize(StatusDescriptor.FAILOVER_ROWS);
            assertThat(status.failovers().getFirst().epoch()).isEqualTo(5);
            assertThat(status.failovers().getLast().epoch()).isEqualTo(count - 1);
        }
    }

    /** Cut in the middle of its address it looked like another one. */
    @Test
    void theLongestPathOfAFailoverIsWhole() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        final String longest =
                "m".repeat(StatusDescriptor.NAME_BYTES - 1) + " -> fd00:1111:2222:3333:4444:5555:6666:7777";
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            final int at = StatusDescriptor.failover(0);
            for (final int part : new int[] {
                StatusDescriptor.FAILOVER_FROM_OFFSET, StatusDescriptor.FAILOVER_TO_OFFSET
            }) {
                StatusFile.putText(file.buffer(), at + part, StatusDescriptor.PATH_BYTES, longest);
            }
            file.buffer().putLong(StatusDescriptor.FAILOVERS_OFFSET, 1);
            assertThat(StatusReader.read(path).failovers()).singleElement().satisfies(row -> {
                assertThat(row.from()).isEqualTo(longest);
                assertThat(row.to()).isEqualTo(longest);
            });
        }
    }

    @Test
    void aTextTooLongIsCutAndLettersThatCouldCommandATerminalAreReplaced() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            final String tooLong = "0123456789".repeat(7);
            StatusFile.putText(
                    file.buffer(), StatusDescriptor.NAME_OFFSET, StatusDescriptor.NAME_BYTES, tooLong);
            StatusFile.putText(
                    file.buffer(), StatusDescriptor.PRIMARY_OFFSET, StatusDescriptor.NAME_BYTES, "ä1\033[2J\r");
            assertThat(StatusReader.read(path).name())
                    .isEqualTo(tooLong.substring(0, StatusDescriptor.NAME_BYTES - 1));
            assertThat(StatusReader.read(path).primary()).isEqualTo("?1?[2J?");
        }
    }

    /** Each of them was an IndexOutOfBoundsException, a NegativeArraySizeException or an OutOfMemoryError. */
    @Test
    void aCountOrALengthThatTheFileDoesNotHoldIsRefusedByName() throws IOException {
        final int label = StatusDescriptor.METADATA_OFFSET + CountersReader.LABEL_OFFSET;
        final Map<Integer, String> damaged = Map.of(
                StatusDescriptor.MEMBERS_OFFSET, "members, of 32 at most",
                StatusDescriptor.QP_ROWS_OFFSET, "queue pair rows, of " + StatusDescriptor.MAX_QP_ROWS + " at most",
                StatusDescriptor.OPTIONS_OFFSET, "bytes of options, of 8188 at most",
                StatusDescriptor.ERRORS_OFFSET, "bytes of an error, of 65536 at most",
                label, "letters of a counter's name, of 380 at most");
        for (final Map.Entry<Integer, String> field : damaged.entrySet()) {
            for (final int value : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                final Path path = directory.resolve("bond0." + field.getKey() + value + ".status");
                try (StatusFile file = create(path)) {
                    putHeader(file.buffer());
                    file.buffer().putInt(StatusDescriptor.METADATA_OFFSET, CountersReader.RECORD_ALLOCATED);
                    file.buffer().putInt(field.getKey(), value);
                    assertThatThrownBy(() -> StatusReader.read(path))
                            .isInstanceOf(IOException.class)
                            .hasMessage(path + " is damaged: " + value + " " + field.getValue());
                }
            }
        }
    }

    @Test
    void whatIsNoFileIsNotOpened() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        create(directory.resolve("target")).close();
        Files.createSymbolicLink(path, directory.resolve("target"));
        assertThatThrownBy(() -> StatusReader.read(path))
                .isInstanceOf(IOException.class)
                .hasMessage(path + " is no status file of a bond: it is no file");
        assertThatThrownBy(() -> StatusReader.read(directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFileThatIsNoneIsRefusedByName() throws IOException {
        final Path shortFile = Files.writeString(directory.resolve("short.1.status"), "x");
        assertThatThrownBy(() -> StatusReader.read(shortFile))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("short.1.status")
                .hasMessageContaining("too short");
        final Path other = directory.resolve("other.1.status");
        try (StatusFile file = create(other)) {
            file.buffer().putLong(StatusDescriptor.MAGIC_OFFSET, StatusDescriptor.MAGIC + 1);
        }
        assertThatThrownBy(() -> StatusReader.read(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no status file of a bond");
    }

    /** It may be shorter than those of this one. */
    @Test
    void aFileOfAnotherVersionIsSaidToBeOne() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path);
                FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            putHeader(file.buffer());
            file.buffer().putInt(StatusDescriptor.VERSION_OFFSET, StatusDescriptor.VERSION - 1);
            channel.truncate(StatusDescriptor.FILE_BYTES - 1L);
            assertThatThrownBy(() -> StatusReader.read(path))
                    .hasMessage(path + " is no status file of a bond, or of another version than "
                            + StatusDescriptor.VERSION);
        }
    }

    /** It is filled with zeros first, and what says what it is comes last. */
    @Test
    void aFileThatIsBeingMadeIsAsOneThatIsNotThere() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        for (final int written : new int[] {0, 1, 4_096, StatusDescriptor.FILE_BYTES}) {
            Files.write(path, new byte[written]);
            assertThatThrownBy(() -> StatusReader.read(path)).isInstanceOf(NoSuchFileException.class);
        }
    }

    /** Its bond is open: that it was refused made operators start its application again, or delete its file. */
    @Test
    void aFileWhoseWriterDiedOrIsStoppedWhileWritingIsRead() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            file.buffer().putInt(StatusDescriptor.SEQUENCE_OFFSET, 1);
            file.buffer().putLong(StatusDescriptor.PID_OFFSET, ProcessHandle.current().pid());
            assertThat(StatusReader.read(path).isAlive()).isTrue();
            assertThatThrownBy(() -> StatusReader.readWhole(path))
                    .isInstanceOf(StatusReader.BeingWrittenException.class)
                    .hasMessageContaining(path + " has been written to for as long as it was read");
            file.buffer().putLong(StatusDescriptor.PID_OFFSET, Integer.MAX_VALUE);
            for (final BondStatus left : List.of(StatusReader.read(path), StatusReader.readWhole(path))) {
                assertThat(left.pid()).isEqualTo(Integer.MAX_VALUE);
                assertThat(left.isAlive()).isFalse();
            }
        }
    }

    /** As while rows of members move up behind one that is gone: that is no damage. */
    @Test
    void aPartThatMakesNoSenseOfOneThatIsStoppedIsBeingWritten() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            file.buffer().putLong(StatusDescriptor.PID_OFFSET, ProcessHandle.current().pid());
            file.buffer().putInt(StatusDescriptor.MEMBERS_OFFSET, 2);
            assertThatThrownBy(() -> StatusReader.read(path)).hasMessageContaining("is damaged");
            file.buffer().putInt(StatusDescriptor.SEQUENCE_OFFSET, 1);
            assertThatThrownBy(() -> StatusReader.read(path))
                    .isInstanceOf(StatusReader.BeingWrittenException.class)
                    .hasMessageNotContaining("is damaged");
        }
    }

    /** As in a container that starts again over the same directory: a helper has the number that the bond's had. */
    @Test
    void theFileOfAnEarlierProcessWithThatNumberIsOfNobodyAndSwept() throws IOException {
        final long pid = ProcessHandle.current().pid();
        final Path path = directory.resolve("bond0." + pid + ".status");
        Files.createFile(directory.resolve("bond0." + pid + ".socket"));
        try (StatusFile file = create(path); PrivateDirectory opened = PrivateDirectory.open(directory)) {
            putHeader(file.buffer());
            file.buffer().putLong(StatusDescriptor.PID_OFFSET, pid);
            for (final long start : new long[] {ProcessLife.start(pid), ProcessLife.UNKNOWN}) {
                file.buffer().putLong(StatusDescriptor.PROCESS_START_OFFSET, start);
                StatusDirectory.sweep(opened, "bond0", System.currentTimeMillis());
                assertThat(StatusReader.read(path).isAlive()).isTrue();
            }
            file.buffer().putLong(StatusDescriptor.PROCESS_START_OFFSET, ProcessLife.start(pid) + 1);
            file.buffer().putInt(StatusDescriptor.SEQUENCE_OFFSET, 1); // it died while it wrote
            assertThat(StatusReader.read(path).isAlive()).isFalse();
            StatusDirectory.sweep(opened, "bond0", System.currentTimeMillis());
        }
        assertThat(directory).isEmptyDirectory();
    }

    /** Its thread wrote a part for ever, and nobody read the file again. */
    @Test
    void aPartThatThrowsLeavesTheFileReadable() throws IOException {
        final Path path = directory.resolve("bond0.1.status");
        try (StatusFile file = create(path)) {
            putHeader(file.buffer());
            file.buffer().putLong(StatusDescriptor.PID_OFFSET, ProcessHandle.current().pid());
            assertThatThrownBy(() -> file.write(() -> {
                throw new InternalError("planted");
            })).hasMessage("planted");
            assertThat(StatusReader.read(path).pid()).isEqualTo(ProcessHandle.current().pid());
            file.write(() -> file.buffer().putLong(StatusDescriptor.PID_OFFSET, 77));
            assertThat(StatusReader.read(path).pid()).isEqualTo(77);
        }
    }

    /** A file that is only made longer has no blocks, and the bond's thread ended at the first that was missing. */
    @Test
    void whereThereIsNoRoomForItItIsNotMade() {
        assertThatThrownBy(() -> StatusFile.create(FileChannel.open(
                        Path.of("/dev/full"), StandardOpenOption.READ, StandardOpenOption.WRITE)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left");
    }

    @Test
    void onlyWhatDeadProcessesLeftOfThatBondIsSwept() throws IOException {
        final Path living = directory.resolve("bond0." + ProcessHandle.current().pid() + ".status");
        final Path dead = directory.resolve("bond0." + Integer.MAX_VALUE + ".status");
        final Path deadSocket = directory.resolve("bond0." + Integer.MAX_VALUE + ".socket");
        final Path other = directory.resolve("bond1." + Integer.MAX_VALUE + ".status");
        final Path noPid = directory.resolve("bond0.99999999999999999999.status");
        final String part = "bond0.1.2.snapshot.";
        final Path livingPart = directory.resolve(part + ProcessHandle.current().pid() + ".1.part");
        final Path deadPart = directory.resolve(part + Integer.MAX_VALUE + ".1.part");
        for (final Path file : new Path[] {living, dead, deadSocket, other, noPid, livingPart, deadPart}) {
            Files.createFile(file);
        }

        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            StatusDirectory.sweep(opened, "bond0", System.currentTimeMillis());
        }

        assertThat(directory.toFile().list())
                .containsExactlyInAnyOrder(
                        StatusDirectory.name(living), StatusDirectory.name(other), StatusDirectory.name(noPid),
                        StatusDirectory.name(livingPart));
    }

    /** They stand in shared memory where nothing else is said. */
    @Test
    void ofReportsThatDeadProcessesLeftTheLastFewOfEachKindAreKept() throws IOException {
        final List<String> kinds = List.of("dump", "memory", "threads", "queue_pair.health", "path.health");
        final int dead = Integer.MAX_VALUE;
        final List<String> kept = new ArrayList<>();
        for (final String kind : kinds) {
            for (int age = 0; age < StatusDirectory.REPORTS_KEPT + 2; age++) {
                final String name = "bond0." + (dead - age) + "." + kind;
                final Path file = Files.createFile(directory.resolve(name));
                Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000 - age));
                if (age < StatusDirectory.REPORTS_KEPT) {
                    kept.add(name);
                }
            }
            for (final String name : List.of(
                    "bond0." + ProcessHandle.current().pid() + "." + kind, "bond0.1." + dead + "." + kind)) {
                Files.setLastModifiedTime(Files.createFile(directory.resolve(name)), FileTime.fromMillis(1));
                kept.add(name);
            }
        }
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            StatusDirectory.sweep(opened, "bond0", System.currentTimeMillis());
        }
        assertThat(directory.toFile().list()).containsExactlyInAnyOrderElementsOf(kept);
    }

    /** Those of before say that they are newer than what has just been written. */
    @Test
    void ofReportsThatDeadProcessesLeftBeforeTheClockWasSetBackTheOldestGo() throws IOException {
        final long nowMs = 10_000_000;
        final List<String> kept = new ArrayList<>(List.of("bond0." + Integer.MAX_VALUE + ".dump"));
        report(kept.getFirst(), nowMs);
        for (int age = 0; age < StatusDirectory.REPORTS_KEPT; age++) {
            final String name = "bond0." + (Integer.MAX_VALUE - 1 - age) + ".dump";
            report(name, nowMs + 3_600_000 - age);
            kept.add(name);
        }
        kept.removeLast();
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            StatusDirectory.sweep(opened, "bond0", nowMs);
        }
        assertThat(directory.toFile().list()).containsExactlyInAnyOrderElementsOf(kept);
    }

    private void report(final String name, final long writtenMs) throws IOException {
        Files.setLastModifiedTime(Files.createFile(directory.resolve(name)), FileTime.fromMillis(writtenMs));
    }

    /** In containers every process has the same number: the next dump would replace that of the one that failed. */
    @Test
    void reportsOfAnEarlierProcessOfTheSameNumberAreKeptInBounds() throws IOException {
        final String stem = "bond0." + ProcessHandle.current().pid();
        final Path other = Files.writeString(
                directory.resolve("bond0.1." + ProcessHandle.current().pid() + ".dump"), "of bond0.1");
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            for (int life = 1; life <= StatusDirectory.REPORTS_KEPT + 2; life++) {
                for (final String kind : List.of(".dump", ".path.health")) {
                    final Path own = Files.writeString(directory.resolve(stem + kind), "life " + life);
                    Files.setLastModifiedTime(own, FileTime.fromMillis(life * 1_000L));
                }
                StatusDirectory.moveLeft(opened, "bond0");
                StatusDirectory.sweep(opened, "bond0", System.currentTimeMillis());
                assertThat(directory.resolve(stem + ".dump")).doesNotExist();
            }
        }
        for (final String kind : List.of(".dump", ".path.health")) {
            final List<String> found = new ArrayList<>();
            for (final String name : Objects.requireNonNull(directory.toFile().list())) {
                if (name.startsWith(stem + "-") && name.endsWith(kind)) {
                    found.add(Files.readString(directory.resolve(name)));
                }
            }
            assertThat(found).containsExactlyInAnyOrder("life 3", "life 4", "life 5", "life 6");
        }
        assertThat(other).hasContent("of bond0.1");
    }

    /** What was left is of others where the bond is opened for the first time alone. */
    @Test
    void reportsOfTheSameProcessKeepTheirName() throws IOException {
        final Path own = directory.resolve("bond0." + ProcessHandle.current().pid() + ".dump");
        try (PrivateDirectory opened = PrivateDirectory.open(directory)) {
            Files.writeString(own, "of another");
            StatusDirectory.keepLeft(opened, "bond0");
            assertThat(own).doesNotExist();
            Files.writeString(own, "its own");
            StatusDirectory.keepLeft(opened, "bond0");
            assertThat(own).hasContent("its own");
        }
    }
}
