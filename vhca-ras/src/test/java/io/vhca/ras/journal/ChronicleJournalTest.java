package io.vhca.ras.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChronicleJournalTest {
    private static final int RING = 1 << 14;

    private final List<Throwable> troubles = new ArrayList<>();
    private long lost;
    private long nowNs;
    private long roomBytes = Long.MAX_VALUE;
    private @Nullable Error roomFault;

    private ChronicleJournal journal(final Path directory) {
        return new ChronicleJournal(
                "bond0",
                directory,
                RING,
                new JournalLosses() {
                    @Override
                    public void onTrouble(final Throwable reason) {
                        troubles.add(reason);
                    }

                    @Override
                    public void onLost(final long events) {
                        lost += events;
                    }
                },
                () -> nowNs,
                path -> {
                    if (roomFault != null) {
                        throw roomFault;
                    }
                    return roomBytes;
                },
                TimeUnit.HOURS.toMillis(1));
    }

    private static List<JournalEvent> read(final Path directory) {
        final List<JournalEvent> events = new ArrayList<>();
        new JournalReader(directory).forEach(events::add);
        return events;
    }

    static JournalEvent event(final int number) {
        return new JournalEvent(number * 1_000_000L, "bond0", 5, number, number, number & 1,
                JournalKind.TRANSITION,
                RecoveryState.CONNECTED, RecoveryState.FENCING, FailureReason.RETRY_EXC, 10 + number, -1, 3, 4,
                        new PathId(0, 1),
                "event " + number);
    }

    @Test
    void everyFieldSurvivesTheBytesAndForeignBytesAreNoEvent() {
        final JournalEvent event = event(7);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[JournalEventDescriptor.MAX_SIZE]);
        final byte[] bond = JournalEventDescriptor.bondBytes(event);
        final byte[] note = JournalEventDescriptor.noteBytes(event);
        JournalEventDescriptor.encode(buffer, 0, event, bond, note);
        final int length = JournalEventDescriptor.HEADER_SIZE + bond.length + note.length;
        assertThat(JournalEventDescriptor.decode(buffer, 0, length)).isEqualTo(event);
        for (int i = 0; i < length; i++) {
            assertThat(JournalEventDescriptor.decode(buffer, 0, i)).isNull();
        }
        buffer.putByte(0, (byte) 0);
        assertThat(JournalEventDescriptor.decode(buffer, 0, length)).isNull();
    }

    /** Whoever asks waits for the agent, which this test is. */
    private static String reopened(final ChronicleJournal journal) throws Exception {
        final FutureTask<String> asking = new FutureTask<>(journal::reopen);
        Thread.ofVirtual().start(asking);
        while (!asking.isDone()) {
            journal.doWork();
        }
        return asking.get();
    }

    @Test
    void itIsOpenedAnewWhenSomebodyAsksAndNotOnlyWhenItsTimeHasCome(@TempDir final Path parent) throws Exception {
        final Path directory = Files.createFile(parent.resolve("taken"));
        final ChronicleJournal journal = journal(directory);
        journal.append(event(1));
        assertThat(journal.doWork()).isZero();
        assertThat(reopened(journal)).contains("cannot be written: it is a file");
        assertThat(troubles).hasSize(1);
        Files.delete(directory);
        assertThat(journal.doWork()).as("in the pause").isZero();
        assertThat(reopened(journal)).isEmpty();
        journal.close();
        assertThat(read(directory)).containsExactly(event(1));
        assertThat(lost).isZero();
    }

    @Test
    void allWhoAskAtTheSameTimeHaveTheSameAnswerAndNobodyWaitsForAClosedJournal(@TempDir final Path directory)
            throws Exception {
        final ChronicleJournal journal = journal(directory);
        final List<FutureTask<String>> asking =
                List.of(new FutureTask<>(journal::reopen), new FutureTask<>(journal::reopen));
        for (final FutureTask<String> one : asking) {
            final Thread thread = Thread.ofVirtual().start(one);
            while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
                assertThat(Thread.currentThread().isInterrupted()).as("timed out").isFalse();
                Thread.onSpinWait();
            }
        }
        journal.doWork();
        for (final FutureTask<String> one : asking) {
            assertThat(one.get()).isEmpty();
        }
        journal.close();
        assertThat(journal.reopen()).isEqualTo("journal " + directory + " is closed");
    }

    @Test
    void aChronicleJournalIsReadBackWhileOpenAndPrinted(@TempDir final Path directory) {
        final ChronicleJournal journal = journal(directory);
        int appended = 0;
        while (journal.lost() == 0) {
            journal.append(event(appended++)); // nobody reads the ring: it must fill and never block
        }
        appended--;
        while (journal.doWork() + journal.doWork() > 0) {
            assertThat(troubles).isEmpty();
        }
        final List<JournalEvent> read = new ArrayList<>();
        assertThat(new JournalReader(directory).forEach(read::add)).isEqualTo(appended);
        journal.append(event(appended));
        journal.close();
        assertThat(journal.written()).isEqualTo(appended + 1L);
        final StringWriter text = new StringWriter();
        final StringWriter problems = new StringWriter();
        assertThat(JournalPrinter.print(directory, new PrintWriter(text), new PrintWriter(problems)))
                .isEqualTo(new JournalPrinter.Printed(appended + 1L, true));
        assertThat(problems.toString()).isEmpty();
        assertThat(read.getFirst()).isEqualTo(event(0));
        assertThat(text.toString()).contains(": event 0\n").endsWith(appended + 1 + " events\n");
        assertThatThrownBy(() -> new JournalReader(directory.resolve("none"))).hasMessageContaining("metadata.cq4t");
    }

    @Test
    void itsFilesAreForItsOwnerAlone(@TempDir final Path parent) throws IOException {
        final Path directory = parent.resolve("journal");
        final ChronicleJournal journal = journal(directory);
        journal.append(event(0));
        assertThat(journal.doWork()).isEqualTo(1);
        assertThat(mode(directory)).isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(2).extracting(ChronicleJournalTest::mode).containsOnly("rw-------");
        }
        journal.close();
    }

    /** A link stands for a file of another user's: neither gets another mode. */
    @Test
    void anEventInAFileWhoseModeCannotBeChangedIsWrittenOnce(@TempDir final Path parent) throws IOException {
        final Path directory = parent.resolve("journal");
        final ChronicleJournal first = journal(directory);
        first.append(event(0));
        first.close();
        final Path table = directory.resolve(ChronicleFileDescriptor.TABLE);
        Files.createSymbolicLink(table, Files.move(table, parent.resolve("elsewhere")));
        final ChronicleJournal second = journal(directory);
        for (int i = 1; i < 4; i++) {
            second.append(event(i));
            assertThat(second.doWork()).isEqualTo(1);
        }
        second.close();
        assertThat(read(directory)).containsExactly(event(0), event(1), event(2), event(3));
        assertThat(troubles).isEmpty();
    }

    private static String mode(final Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aDirectoryThatOthersMayWriteIsNotWrittenTo(@TempDir final Path parent) throws IOException {
        final Path directory = Files.createDirectory(parent.resolve("journal"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(journal(directory).prepare()).isFalse();
        assertThat(troubles).singleElement().satisfies(trouble -> assertThat(trouble)
                .hasMessageContainingAll("cannot be written: " + directory, "mode 0777", "name another directory"));
        assertThat(directory).isEmptyDirectory();
    }

    /** A file that is no journal's, one that is cut short, one that is a link: a line each; the others are read. */
    @Test
    void whatCannotBeReadIsNamedAndTheOthersAreRead(@TempDir final Path directory) throws IOException {
        final ChronicleJournal journal = journal(directory);
        journal.append(event(0));
        journal.append(event(1));
        journal.close();
        final Path good = cycleFile(directory);
        final byte[] bytes = Files.readAllBytes(good);
        final int last = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("event 1");
        Files.write(directory.resolve("20000101F.cq4"), Arrays.copyOf(bytes, last));
        Files.write(directory.resolve("20000102F.cq4"), "0123456789".getBytes(StandardCharsets.UTF_8));
        Files.createSymbolicLink(directory.resolve("20000103F.cq4"), good);
        Files.createFile(directory.resolve("20000104F.cq4"));
        final JournalReader reader = new JournalReader(directory);
        final List<JournalEvent> read = new ArrayList<>();
        assertThat(reader.forEach(read::add)).isEqualTo(3);
        assertThat(read).containsExactly(event(0), event(0), event(1));
        assertThat(reader.problems())
                .containsExactly(
                        directory.resolve("20000101F.cq4") + " is damaged: it ends within a document",
                        directory.resolve("20000102F.cq4") + " cannot be read: it is no file of a journal",
                        directory.resolve("20000103F.cq4") + " cannot be read: it is no file");
    }

    /** As of a journal that an application of another version writes. */
    @Test
    void aFileWithEventsOfAnotherVersionIsNamed(@TempDir final Path directory) throws IOException {
        final ChronicleJournal journal = journal(directory);
        for (int i = 0; i < 3; i++) {
            journal.append(event(i));
        }
        journal.close();
        final byte[] bytes = Files.readAllBytes(cycleFile(directory));
        final Path other = directory.resolve("20000101F.cq4");
        ofAnotherVersion(bytes, event(2));
        Files.write(other, bytes);
        final JournalReader reader = new JournalReader(directory);
        assertThat(reader.forEach(event -> {})).isEqualTo(5);
        assertThat(reader.problems())
                .containsExactly(other + ": 1 document is no event of version 2; use the vhca of the application's"
                        + " version, or move the file away");
        ofAnotherVersion(bytes, event(1));
        Files.write(other, bytes);
        assertThat(reader.forEach(event -> {})).isEqualTo(4);
        assertThat(reader.unreadable()).isEqualTo(2);
        assertThat(reader.problems()).singleElement().asString().contains(": 2 documents are no events of version 2;");
    }

    private static void ofAnotherVersion(final byte[] journal, final JournalEvent event) {
        final int note = new String(journal, StandardCharsets.ISO_8859_1).indexOf(event.note());
        final int begin =
                note - JournalEventDescriptor.bondBytes(event).length - JournalEventDescriptor.HEADER_SIZE;
        assertThat(journal[begin + Short.BYTES]).isEqualTo((byte) JournalEventDescriptor.VERSION);
        journal[begin + Short.BYTES]++;
    }

    static Path cycleFile(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(ChronicleFileDescriptor.SUFFIX))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aJournalWhoseWriterWasKilledIsReadUpToItsLastEvent(@TempDir final Path directory) throws Exception {
        final List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--") || argument.startsWith("-Dchronicle"))
                .toList();
        run(flags, CrashingWriter.class, directory);
        final List<JournalEvent> read = new ArrayList<>();
        new JournalReader(directory).forEach(read::add);
        assertThat(read).hasSize(CrashingWriter.EVENTS);
        assertThat(read.getLast()).isEqualTo(event(CrashingWriter.EVENTS - 1));
    }

    @Test
    void aJournalThatCannotBeWrittenIsSaidOnceKeepsWhatFitsAndGoesOn(@TempDir final Path parent) throws Exception {
        final Path directory = parent.resolve("taken");
        Files.writeString(directory, "a file is in the way");
        final ChronicleJournal journal = journal(directory);
        assertThat(journal.prepare()).isFalse();
        assertThat(troubles).singleElement().satisfies(trouble -> assertThat(trouble)
                .hasMessageContainingAll(directory.toString(), "bond0", "cannot be written: it is a file"));
        journal.append(event(0));
        nowNs += ChronicleJournal.RETRY_NS;
        assertThat(journal.doWork()).isZero();
        assertThat(troubles).as("one outage, told once").hasSize(1);

        Files.delete(directory);
        assertThat(journal.doWork()).as("not before it is time").isZero();
        nowNs += ChronicleJournal.RETRY_NS;
        assertThat(journal.isFailing()).isTrue();
        assertThat(journal.doWork()).isEqualTo(1);
        assertThat(journal.isFailing()).isFalse();
        journal.close();
        assertThat(read(directory)).containsExactly(event(0));
        assertThat(journal.lost()).isZero();
    }

    @Test
    void aJournalThatWasOpenedInVainIsFoundWellBeforeItHasAnythingToWrite(@TempDir final Path parent)
            throws Exception {
        final Path directory = Files.createFile(parent.resolve("taken"));
        final ChronicleJournal journal = journal(directory);
        assertThat(journal.prepare()).isFalse();
        Files.delete(directory);
        assertThat(journal.doWork()).isZero();
        assertThat(journal.isFailing()).as("in the pause").isTrue();
        nowNs += ChronicleJournal.RETRY_NS;
        assertThat(journal.doWork()).isZero();
        assertThat(journal.isFailing()).isFalse();
        journal.close();
        assertThat(troubles).hasSize(1);
        assertThat(lost).isZero();
    }

    @Test
    void aFullDiskLosesWhatTheRingCannotHoldAndTheJournalGoesOnWhenThereIsRoom(@TempDir final Path directory) {
        final ChronicleJournal journal = journal(directory);
        journal.append(event(0));
        assertThat(journal.doWork()).isEqualTo(1);
        roomBytes = ChronicleJournal.MIN_ROOM_BYTES - 1;
        int kept = 1;
        while (journal.lost() == 0) {
            journal.append(event(kept++));
            journal.doWork();
        }
        kept--;
        journal.append(event(kept));
        assertThat(journal.lost()).isEqualTo(2);
        assertThat(lost).isEqualTo(2);
        assertThat(troubles).singleElement().satisfies(trouble -> assertThat(trouble)
                .hasMessageContainingAll("its file system has 7 MB left", "8 MB are needed"));

        roomBytes = ChronicleJournal.MIN_ROOM_BYTES;
        nowNs += ChronicleJournal.RETRY_NS;
        while (journal.doWork() + journal.doWork() > 0) {
            assertThat(troubles).hasSize(1);
        }
        journal.append(event(kept));
        roomBytes = 0;
        assertThat(journal.doWork()).isZero();
        assertThat(troubles).as("another outage").hasSize(2);
        journal.close();
        assertThat(lost).as("what was in the ring at the end is lost too").isEqualTo(3);
        assertThat(read(directory)).hasSize(kept).startsWith(event(0), event(1)).endsWith(event(kept - 1));
    }

    @Test
    void anEventAfterAFaultInMappedMemoryIsKept(@TempDir final Path directory) {
        final ChronicleJournal journal = journal(directory);
        journal.append(event(0));
        roomFault = new InternalError("a fault occurred in an unsafe memory access operation");
        assertThat(journal.doWork()).isZero();
        assertThat(troubles).singleElement().satisfies(trouble -> assertThat(trouble).hasCause(roomFault));
        roomFault = null;
        nowNs += ChronicleJournal.RETRY_NS;
        assertThat(journal.doWork()).isEqualTo(1);
        journal.close();
        assertThat(read(directory)).containsExactly(event(0));
    }

    /** As of a module that the JVM was started without. */
    @Test
    void aClassThatIsMissingIsSaidToBe(@TempDir final Path directory) {
        roomFault = new NoClassDefFoundError("sun/misc/Unsafe");
        assertThat(journal(directory).prepare()).isFalse();
        assertThat(troubles).singleElement().satisfies(trouble ->
                assertThat(trouble).hasMessageEndingWith("cannot be written: class sun.misc.Unsafe is missing"));
        troubles.clear();
        roomFault = new NoClassDefFoundError("Could not initialize class One");
        assertThat(journal(directory).prepare()).isFalse();
        assertThat(troubles).singleElement().satisfies(trouble ->
                assertThat(trouble).hasMessageEndingWith("cannot be written: Could not initialize class One"));
    }

    @Test
    void aJvmWithoutAFlagThatChronicleNeedsIsNamedAsTheReason(@TempDir final Path directory) throws Exception {
        final List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.contains("jdk.internal.misc") || argument.startsWith("-D"))
                .toList();
        final String output = run(flags, PrintingWriter.class, directory);
        assertThat(output).contains("cannot be written: Chronicle Queue needs a JVM with --add-exports=java.base/"
                + "sun.nio.ch=ALL-UNNAMED and --add-opens=java.base/java.lang.reflect=ALL-UNNAMED");
    }

    /** Runs a program in a JVM of its own; what it printed. */
    private static String run(final List<String> flags, final Class<?> program, final Path directory)
            throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), program.getName(), directory.toString()));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(CrashingWriter.EXIT_CODE);
        return output;
    }

    /** Prints what a journal says of itself at open. */
    static final class PrintingWriter {
        private PrintingWriter() {}

        public static void main(final String[] arguments) {
            ChronicleJournal.open("bond0", Path.of(arguments[0]), new JournalLosses() {
                @Override
                public void onTrouble(final Throwable reason) {
                    System.out.println(reason.getMessage());
                }

                @Override
                public void onLost(final long events) {
                    System.out.println("lost " + events);
                }
            });
            Runtime.getRuntime().halt(CrashingWriter.EXIT_CODE);
        }
    }

    /** Writes, and halts without closing anything. */
    static final class CrashingWriter {
        static final int EVENTS = 20;
        static final int EXIT_CODE = 9;

        private CrashingWriter() {}

        public static void main(final String[] arguments) {
            final ChronicleJournal journal = new ChronicleJournalTest().journal(Path.of(arguments[0]));
            for (int i = 0; i < EVENTS; i++) {
                journal.append(event(i));
            }
            journal.doWork();
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
