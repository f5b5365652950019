package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    private static final int RING = 1 << 14;

    static JournalEvent event(final int number) {
        return new JournalEvent(number * 1_000_000L, "bond0", 5, new SessionId(1, number), number, number & 1,
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

    @Test
    void memoryJournalKeepsTheLastEventsAndSaysWhatItDropped() {
        final MemoryJournal journal = new MemoryJournal(2);
        for (int i = 0; i < 3; i++) {
            journal.append(event(i));
        }
        assertThat(journal.events()).containsExactly(event(1), event(2));
        assertThat(journal.dropped()).isEqualTo(1);
        assertThat(journal.format()).startsWith("(1 older")
                .contains("CONNECTED -> FENCING reason=RETRY_EXC").contains(": event 2");
    }

    @Test
    void aChronicleJournalIsReadBackWhileOpenAndPrinted(@TempDir final Path directory) {
        final ChronicleJournal journal = new ChronicleJournal(directory, RING);
        journal.onStart();
        int appended = 0;
        while (journal.dropped() == 0) {
            journal.append(event(appended++)); // nobody reads the ring: it must fill and never block
        }
        appended--;
        while (journal.doWork() + journal.doWork() > 0) {
            assertThat(journal.writeErrors()).isZero();
        }
        final List<JournalEvent> read = new ArrayList<>();
        assertThat(new JournalReader(directory).forEach(read::add)).isEqualTo(appended);
        journal.append(event(appended));
        journal.close();
        assertThat(journal.written()).isEqualTo(appended + 1L);
        final StringWriter text = new StringWriter();
        assertThat(JournalPrinter.print(directory, new PrintWriter(text))).isEqualTo(appended + 1L);
        assertThat(read.getFirst()).isEqualTo(event(0));
        assertThat(text.toString()).contains(": event 0\n").endsWith(appended + 1 + " events\n");
        assertThatThrownBy(() -> new JournalReader(directory.resolve("none"))).hasMessageContaining("metadata.cq4t");
    }

    @Test
    void aJournalWhoseWriterWasKilledIsReadUpToItsLastEvent(@TempDir final Path directory) throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--")
                        || argument.startsWith("-Dchronicle")).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CrashingWriter.class.getName(),
                directory.toString()));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(CrashingWriter.EXIT_CODE);
        final List<JournalEvent> read = new ArrayList<>();
        new JournalReader(directory).forEach(read::add);
        assertThat(read).hasSize(CrashingWriter.EVENTS);
        assertThat(read.getLast()).isEqualTo(event(CrashingWriter.EVENTS - 1));
    }

    @Test
    void onlyTheJournalsOwnClassesNeedChronicle() throws Exception {
        final Path classes = Path.of(Journal.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        final List<String> users = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (final Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("net/openhft")) {
                    users.add(String.valueOf(file.getFileName()));
                }
            }
        }
        assertThat(users).containsExactlyInAnyOrder("ChronicleJournal.class", "JournalReader.class");
    }

    /** Writes, and halts without closing anything. */
    static final class CrashingWriter {
        static final int EVENTS = 20;
        static final int EXIT_CODE = 9;

        private CrashingWriter() {}

        public static void main(final String[] arguments) {
            final ChronicleJournal journal = new ChronicleJournal(Path.of(arguments[0]), RING);
            journal.onStart();
            for (int i = 0; i < EVENTS; i++) {
                journal.append(event(i));
            }
            journal.doWork();
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
