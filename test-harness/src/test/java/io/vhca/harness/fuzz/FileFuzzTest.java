package io.vhca.harness.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vhca.api.CompletionQueue;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.bond.BondContext;
import io.vhca.harness.bond.OpenBond;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.dump.DumpFile;
import io.vhca.ras.dump.HexDump;
import io.vhca.ras.journal.ChronicleJournalProvider;
import io.vhca.ras.journal.JournalPrinter;
import io.vhca.ras.metrics.BondMetrics;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportDiff;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.snapshot.ReportHtml;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.SeenBond;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.status.StatusReader;
import io.vhca.ras.trace.TraceContent;
import io.vhca.ras.trace.TraceFiles;
import io.vhca.ras.trace.TracePublisher;
import io.vhca.ras.trace.TraceReader;
import io.vhca.ras.trace.TraceText;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.tool.metrics.MetricsOutput;
import io.vhca.tool.status.StatusText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Files of bonds, damaged at random: a reader shows what there is or says in one sentence what is wrong, nothing else.
 * {@code -Dvhca.test.mutants} gives another number of them, {@code -Dvhca.test.seed} other ones.
 */
@Isolated("it looks at what is live in the whole JVM")
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileFuzzTest {
    private static final int MUTANTS = Integer.getInteger("vhca.test.mutants", 2_500);
    private static final long SEED = Long.getLong("vhca.test.seed", 15);
    private static final int EVENTS = 20;
    /** Mutants after which every class that reads is loaded, and what the heap may grow by from then on. */
    private static final int WARM_UP = 200;

    private static final long MOST_GROWN = 16L << 20;

    /** What a reader may allocate for a mutant beyond some times what it allocates for the good file. */
    private static final long MOST_ALLOCATED = 16L << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** Reads a file in all ways; whether it was taken for a good one. */
    private interface Reading {
        boolean read() throws IOException;
    }

    private static void fuzz(final String what, final Path file, final Reading reading) throws IOException {
        assertThat(reading.read()).as("undamaged").isTrue();
        long began = THREADS.getCurrentThreadAllocatedBytes();
        reading.read();
        final long mostAllocated = 4 * (THREADS.getCurrentThreadAllocatedBytes() - began) + MOST_ALLOCATED;
        int taken = 0;
        long before = Long.MAX_VALUE;
        try (FileMutator mutator = new FileMutator(file, SEED)) {
            for (int i = 0; i < MUTANTS; i++) {
                if (i == Math.min(WARM_UP, MUTANTS / 2)) {
                    before = usedBytes();
                }
                mutator.damage();
                began = THREADS.getCurrentThreadAllocatedBytes();
                try {
                    taken += reading.read() ? 1 : 0;
                } catch (final RuntimeException | Error e) {
                    throw new AssertionError("mutant " + i + " of seed " + SEED, e);
                }
                assertThat(THREADS.getCurrentThreadAllocatedBytes() - began)
                        .as("bytes allocated for mutant %d of seed %d", i, SEED)
                        .isLessThan(mostAllocated);
                mutator.mend();
            }
        }
        assertThat(reading.read()).as("mended").isTrue();
        assertThat(usedBytes() - before).as("what readers keep of files").isLessThan(MOST_GROWN);
        System.out.printf(
                Locale.ROOT, "%d mutants of a %s: %d were shown, %d refused%n", MUTANTS, what, taken,
                MUTANTS - taken);
        assertThat(taken).as("some are refused, some only show something else").isBetween(1, MUTANTS - 1);
    }

    /** What is live: the least of some looks, for other threads of the JVM allocate between a collection and a look. */
    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    @Test
    void statusFiles() throws IOException {
        final Path file = directory.resolve("bond-f.1.status");
        try (BondContext bond = OpenBond.open("bond-f", 145)) {
            StatusPublisher.attach(bond);
            files.await(status -> !status.members().isEmpty());
            bond.admin().drain(bond.admin().members().getFirst().name());
            files.await(status -> status.members().getFirst().drained());
            final byte[] bytes = Files.readAllBytes(StatusDirectory.files(files.directory()).getFirst());
            Files.write(file, bytes);
        }
        final BondStatus good = StatusReader.read(file);
        fuzz("status file", file, () -> {
            final BondStatus status;
            try {
                status = StatusReader.read(file);
            } catch (final IOException e) {
                assertThat(e).hasMessageStartingWith(file.toString());
                return false;
            }
            final String shown = StatusText.status(status, status.isAlive(), ZoneOffset.UTC, 32)
                    + StatusText.counters(status)
                    + StatusText.errors(status, ZoneOffset.UTC, true)
                    + StatusText.options(status)
                    + MetricsOutput.text(BondMetrics.of(
                            List.of(SeenBond.of(good, 1), SeenBond.of(status, 1))));
            plain(shown);
            return true;
        });
    }

    private static void plain(final String shown) {
        assertThat(shown.chars()).noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
    }

    /** Makes a file of a bond. */
    private interface Use {
        void accept(BondContext bond) throws IOException;
    }

    /** Of a bond with queues: whatever there is of it in a file. */
    private void bond(final Use use) throws IOException {
        try (BondContext bond = OpenBond.open("bond-f", 149)) {
            TracePublisher.attach(bond);
            try (ProtectionDomain pd = bond.allocPd();
                    CompletionQueue cq = bond.createCq(16, null, null);
                    QueuePair _ = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 2, 2, 32)));
                    QueuePair _ = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)))) {
                use.accept(bond);
            }
        }
    }

    @Test
    void traces() throws IOException {
        final Path file = directory.resolve("bond-f.1.trace");
        bond(bond -> Files.copy(TraceFiles.find("bond-f", ProcessHandle.current().pid()).getLast(), file));
        fuzz("trace", file, () -> {
            final TraceContent content;
            try {
                content = TraceReader.read(file);
            } catch (final IOException e) {
                assertThat(e).hasMessageStartingWith(file.toString());
                return false;
            }
            final TraceText text = new TraceText(content, ZoneOffset.UTC);
            content.records().forEach(record -> plain(text.line(record)));
            return true;
        });
    }

    /** With native memory, which is shown as a hexdump. */
    @Test
    void dumps() throws IOException {
        final Path file = directory.resolve("bond-f.1.dump");
        bond(bond -> {
            try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                BondDump.write(bond, false, to, files.directory());
            }
        });
        fuzz("dump", file, () -> {
            try (DumpFile dump = DumpFile.open(file)) {
                final List<Report.Section> shown = HexDump.of(dump, dump.report());
                shown.forEach(section -> section.facts().forEach(fact -> plain(fact.name() + fact.value())));
                assertThat(ReportHtml.page(dump.report())).endsWith("</html>\n");
                return true;
            } catch (final IOException e) {
                assertThat(e.getMessage()).isNotBlank();
                return false;
            }
        });
    }

    @Test
    void snapshots() throws IOException {
        final Path file = directory.resolve("bond-f.1.1.snapshot");
        bond(bond -> {
            final Report.Builder report = new Report.Builder();
            bond.admin().visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed,
                    received) -> bond.admin().inspect(qpNum, report));
            bond.admin().inspectMembers(report);
            Files.writeString(file, report.build().text());
        });
        fuzz("snapshot", file, () -> {
            final Report report;
            try {
                report = ReportFiles.read(file);
            } catch (final IOException e) {
                assertThat(e).hasMessageStartingWith(file.toString());
                return false;
            }
            plain(report.text());
            assertThat(ReportHtml.page(report)).endsWith("</html>\n");
            assertThat(ReportDiff.lines(report, report)).isEmpty();
            return true;
        });
    }

    private static JournalEvent event(final int number) {
        return new JournalEvent(number, "bond-f", number, number, number, 0, JournalKind.TRANSITION,
                RecoveryState.CONNECTED, RecoveryState.FENCING, FailureReason.PORT_ERR, 1, 2, 3, 4, new PathId(0, 1),
                "event " + number);
    }

    @Test
    void journals() throws Exception {
        final Path journal = directory.resolve("journal");
        try (BondContext bond = OpenBond.open("bond-f", 147)) {
            final Journal written = new ChronicleJournalProvider().open(bond, journal);
            for (int i = 0; i < EVENTS; i++) {
                written.append(event(i));
            }
            ((AutoCloseable) written).close();
        }
        final Path file;
        try (Stream<Path> all = Files.list(journal)) {
            file = all.filter(one -> one.toString().endsWith(".cq4")).findFirst().orElseThrow();
        }
        final byte[] bytes = Files.readAllBytes(file);
        int used = bytes.length;
        while (bytes[used - 1] == 0) {
            used--;
        }
        Files.write(file, Arrays.copyOf(bytes, used + Long.BYTES));
        final PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        fuzz("journal", file, () -> JournalPrinter.print(journal, nowhere, nowhere).isWhole());
    }
}
