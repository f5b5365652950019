package io.vhca.ras.dump;

import io.vhca.api.FailureText;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondAdmin;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.memory.FrozenMemory;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.memory.MemoryFreeze;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.file.WholeFile;
import io.vhca.ras.snapshot.BondReport;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Writes down all that a bond is: versions, options, counters, members, every queue pair in software and in hardware,
 * objects, failovers, snapshots, the trace, and the native memory of all queues.
 *
 * <p>Memory is copied while nobody posts, polls or recovers ({@link MemoryFreeze}), and written afterwards. All else is
 * taken object by object, under the control lock, while posts and polls go on. Any thread.
 */
public final class BondDump {
    /** So many facts at most, and half of a report's bytes: the rest of the queue pairs is counted. */
    static final int MOST_FACTS = 500_000;

    private static final String SUFFIX = ".dump";
    private static final String ASKED_SUFFIX = ".asked.dump";

    /** Of all bonds of this process. */
    private static final ReentrantLock ASKED = new ReentrantLock();

    private static final String PAYLOAD_FACT = "data of the application";

    private static final int MOST_OBJECTS = 10_000;
    private static final int MOST_SNAPSHOTS = 8;

    private final BondContext bond;
    private final Report.Builder report = new Report.Builder();
    private final List<MemorySegment> memory = new ArrayList<>();
    private long rawAt;

    private BondDump(final BondContext bond) {
        this.bond = bond;
    }

    /** The name of a dump; in the status directory, of one that the bond wrote by itself: the next one replaces it. */
    public static Path name(final String bond, final long pid) {
        return Path.of(bond + "." + pid + SUFFIX);
    }

    /** The name in the status directory of a dump that somebody asked for, and takes from there. */
    public static Path askedName(final String bond, final long pid) {
        return Path.of(bond + "." + pid + ASKED_SUFFIX);
    }

    /** Writes the dump that a bond writes by itself into the status directory; why it could not, or an empty text. */
    static String writeByItself(final BondContext bond) {
        return write(
                name(bond.device().name(), ProcessHandle.current().pid()),
                (file, directory) -> write(bond, false, file, directory));
    }

    /**
     * Writes a dump that was asked for into the status directory; why it could not, or an empty text.
     *
     * @param hasPayload whether data of the application is in it too: what is in the queues, and what requests that are
     *                   not done name
     */
    public static String write(final BondContext bond, final boolean hasPayload) {
        return writeAsked(
                askedName(bond.device().name(), ProcessHandle.current().pid()),
                (file, directory) -> write(bond, hasPayload, file, directory));
    }

    /** One after the other: one that takes longer, whose asker may be gone, is not to replace a later one. */
    static String writeAsked(final Path name, final Content content) {
        ASKED.lock();
        try {
            return write(name, content);
        } finally {
            ASKED.unlock();
        }
    }

    /** What is written into the file of a dump, which is in that directory. */
    interface Content {
        void write(WritableByteChannel file, Path directory) throws IOException;
    }

    private static String write(final Path name, final Content content) {
        try (PrivateDirectory directory = PrivateDirectory.create(
                StatusDirectory.path(), PosixFilePermissions.fromString("rwx------"))) {
            WholeFile.write(
                    directory, name, PosixFilePermissions.fromString("rw-------"),
                    file -> content.write(file, directory.path()));
            return "";
        } catch (final IOException | VerbsException e) {
            return "the dump was not written, and the bond goes on: " + FailureText.of(e);
        }
    }

    /**
     * Writes it somewhere; the bond goes on before the first byte is written, and whatever happens then.
     *
     * @param directory where the bond's trace is
     */
    public static void write(
            final BondContext bond, final boolean hasPayload, final WritableByteChannel to, final Path directory)
            throws IOException {
        try (Arena arena = Arena.ofShared()) {
            final BondDump dump = new BondDump(bond);
            final Report report = dump.take(arena, hasPayload, directory);
            DumpFile.write(to, report, dump.memory);
        }
    }

    private Report take(final Arena arena, final boolean hasPayload, final Path directory) throws IOException {
        final BondAdmin admin = bond.admin();
        report.section("dump");
        report.value("time", Instant.now());
        report.value("bond", bond.device().name());
        report.value("process", ProcessHandle.current().pid());
        report.value("program", StatusDirectory.program());
        report.value("java", Runtime.version());
        report.value("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        report.value("vhca", version());
        report.value("records between bonds", PrefixDescriptor.VERSION);
        report.value(PAYLOAD_FACT, payloadText(hasPayload));
        BondReport.options(bond, report);
        report.section("counters");
        for (final Counter counter : Counter.values()) {
            report.value(counter.name().toLowerCase(Locale.ROOT), bond.counters().get(counter));
        }
        admin.inspectMembers(report);
        MemoryReport.take(bond, report);
        objects(admin);
        queuePairs(admin);
        if (hasPayload) {
            try (PayloadReader payload = new PayloadReader(arena)) {
                nativeMemory(admin, arena, object -> object.buffers(payload.of(object)), true);
                payload(payload);
            }
        } else {
            nativeMemory(admin, arena, object -> { }, false);
        }
        failovers(admin);
        snapshots();
        BondReport.trace(directory, bond.device().name(), TraceObject.NONE, report);
        return report.build();
    }

    private static String payloadText(final boolean hasPayload) {
        return hasPayload ? "asked for" : "left out";
    }

    /** Whether a dump says of itself that it is with data of the application, or that it is without. */
    public static boolean isWritten(final Report report, final boolean hasPayload) {
        return payloadText(hasPayload).equals(report.section("dump").get(PAYLOAD_FACT));
    }

    private static String version() {
        final String version = BondDump.class.getPackage().getImplementationVersion();
        return version == null ? "not from a jar" : version;
    }

    private void objects(final BondAdmin admin) {
        report.section("objects");
        final List<MemoryTracker.Open> open = admin.memory().ofApplication();
        for (int i = 0; i < Math.min(MOST_OBJECTS, open.size()); i++) {
            report.value(String.valueOf(i + 1), open.get(i) + ", since " + Instant.ofEpochMilli(open.get(i).sinceMs()));
        }
        if (open.size() > MOST_OBJECTS) {
            report.value("left out", open.size() - MOST_OBJECTS);
        }
    }

    private void nativeMemory(
            final BondAdmin admin, final Arena arena, final Consumer<GatedMemory> onlooker, final boolean hasPayload) {
        final FrozenMemory frozen =
                admin.still(() -> admin.memory().freeze(arena, SystemNanoClock.INSTANCE, onlooker));
        report.section("pause");
        report.value("data path", frozen.why().isEmpty() ? "stopped" : "not stopped: " + frozen.why());
        report.value("length ns", frozen.pauseNs());
        report.value("gates", frozen.gates());
        report.value("blocks left out", frozen.leftOut());
        for (final FrozenMemory.Block block : frozen.blocks()) {
            NativeFacts.tell(block, bond.device().name(), rawAt, report);
            if (block.copy() != null) {
                if (!hasPayload) {
                    hideData(block, block.copy());
                }
                add(block.copy());
            }
        }
    }

    private void add(final MemorySegment segment) {
        memory.add(segment);
        rawAt += segment.byteSize();
    }

    private static void hideData(final FrozenMemory.Block block, final MemorySegment copy) {
        for (final NativeBlock.Part part : block.block().parts()) {
            final long begin = part.address() - block.block().address();
            for (long unit = 0; part.dataAt() < part.unit() && unit < part.bytes(); unit += part.unit()) {
                copy.asSlice(begin + unit + part.dataAt(), part.unit() - part.dataAt()).fill((byte) 0);
            }
        }
    }

    private void payload(final PayloadReader payload) {
        String object = "";
        for (final PayloadReader.Found one : payload.found()) {
            if (!one.object().equals(object)) {
                object = one.object();
                report.section(NativeFacts.object(object) + " payload");
            }
            report.value(one.queue() + " #" + one.sequence(), String.format(
                    Locale.ROOT, "%d bytes at 0x%x, ", one.bytes(), one.address())
                    + (one.copied() < 0 ? "where there is no memory" : one.copied() + " of them raw at "
                            + (rawAt + one.at())));
        }
        if (payload.leftOut() > 0) {
            report.section("payload left out");
            report.value("buffers", payload.leftOut());
        }
        add(payload.copies());
    }

    /** The last of those that this process has written; without what cannot be read, for the rest is worth the more. */
    private void snapshots() throws IOException {
        final String own = bond.device().name() + "." + ProcessHandle.current().pid() + ".";
        final List<Path> written = ReportFiles.snapshots(bond.device().name()).stream()
                .filter(file -> StatusDirectory.name(file).startsWith(own))
                .toList();
        for (final Path file : written.subList(Math.max(0, written.size() - MOST_SNAPSHOTS), written.size())) {
            try {
                report.prefix(StatusDirectory.name(file) + " ");
                for (final Report.Section section : ReportFiles.read(file).sections()) {
                    report.section(section.title());
                    section.facts().forEach(fact -> report.value(fact.name(), fact.value()));
                }
            } catch (final NoSuchFileException e) {
                // A newer one took its place.
                continue;
            } catch (final IOException e) {
                report.section("not read");
                report.value("why", e);
            } finally {
                report.prefix("");
            }
        }
    }

    private void queuePairs(final BondAdmin admin) {
        final List<Integer> found = new ArrayList<>();
        report.section("queue pairs");
        admin.visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) -> {
            report.value(
                    TraceObject.text(TraceObject.qp(qpNum)),
                    type + " " + state + (recovery == null ? "" : " " + recovery) + ", posted " + posted
                            + ", completed " + completed + ", received " + received);
            found.add(qpNum);
        });
        int leftOut = 0;
        for (final int qpNum : found) {
            if (report.facts() > MOST_FACTS || report.bytes() > Report.MOST_BYTES / 2) {
                leftOut++;
            } else {
                report.prefix(TraceObject.text(TraceObject.qp(qpNum)) + " ");
                admin.inspect(qpNum, report);
            }
        }
        report.prefix("");
        if (leftOut > 0) {
            report.section("left out");
            report.value("queue pairs", leftOut);
        }
    }

    private void failovers(final BondAdmin admin) {
        report.section("failovers");
        for (final FailoverReport one : admin.failoversAfter(0)) {
            report.value(
                    TraceObject.text(TraceObject.qp(one.qpNum())) + " epoch " + one.epoch(),
                    one.reason() + ", " + one.fromPath() + " to " + (one.toPath().isEmpty() ? "none" : one.toPath())
                            + ", " + (one.fenceNs() + one.connectNs() + one.replayNs()) + " ns"
                            + (one.error() == null ? "" : ", failed with " + one.error()));
        }
    }
}
