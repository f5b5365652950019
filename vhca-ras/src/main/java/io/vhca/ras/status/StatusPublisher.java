package io.vhca.ras.status;

import io.vhca.api.DeviceCounter;
import io.vhca.api.FailureText;
import io.vhca.api.ProcessEnd;
import io.vhca.api.ProcessLife;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.UntrustedFileException;
import io.vhca.api.WcStatus;
import io.vhca.bond.BondAdmin;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.core.QpVisitor;
import io.vhca.ras.error.CodedError;
import io.vhca.ras.error.ErrorCode;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.recovery.BondError;
import io.vhca.recovery.RecoveryState;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.jspecify.annotations.Nullable;

/**
 * Writes a bond's status file a few times a second, in the bond's own thread: what the application does is not touched.
 * A row a vQP, rewritten in place, a few rows a turn: thousands of vQPs must not keep the bond from what it is there
 * for. Nothing is allocated for one that has not moved.
 */
public final class StatusPublisher implements BondObserver, QpVisitor {
    private static final Logger LOGGER = System.getLogger(StatusPublisher.class.getName());
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Queue pairs that one turn writes at most: some ten microseconds. */
    static final int ROWS_A_TURN = 128;

    private static final List<BondCounters.Counter> COUNTERS = List.of(BondCounters.Counter.values());

    private final BondContext context;
    private final BondAdmin admin;
    private final PrivateDirectory directory;
    private final Path path;
    private final StatusFile file;
    private final UnsafeBuffer buffer;
    private final EpochClock clock;
    private final DistinctErrorLog errors;
    private final AtomicCounter[] counters;
    private final CountersManager manager;
    private final Map<AtomicCounter, LongSupplier> ofReporters = new LinkedHashMap<>();
    /** Of the members' devices, by name: made when they first count. */
    private final Map<String, AtomicCounter> ofDevices = new HashMap<>();
    private @Nullable InetAddress[] remotes = new InetAddress[16];
    private final ControlSocket socket;
    private long failoversSeen;
    private @Nullable BondConfig shown;
    private boolean published;
    private long nextNs;
    /** The first row that is still to be written in this period; -1 when all are. */
    private int nextRow = -1;
    private final BitSet rows = new BitSet();
    private final BitSet seen = new BitSet();
    /** Of the status file. */
    private final @Nullable Object key;
    /** An application that ends without closing its bond has not crashed. */
    private final ProcessEnd end;

    private boolean closed;

    private StatusPublisher(
            final BondContext context,
            final PrivateDirectory directory,
            final Path stem,
            final StatusAccess access,
            final EpochClock clock,
            final Map<String, Supplier<String>> reports,
            final Map<String, LongSupplier> more)
            throws IOException {
        this.context = context;
        this.directory = directory;
        this.clock = clock;
        path = fileOf(stem);
        directory.delete(path);
        file = StatusFile.create(directory.createFile(path, access.file()));
        key = directory.key(path);
        admin = context.admin();
        buffer = file.buffer();
        errors = new DistinctErrorLog(
                file.part(StatusDescriptor.ERRORS_OFFSET, StatusDescriptor.ERRORS_BYTES), clock);
        manager = new CountersManager(
                file.part(StatusDescriptor.METADATA_OFFSET, StatusDescriptor.METADATA_BYTES),
                file.part(StatusDescriptor.VALUES_OFFSET, StatusDescriptor.VALUES_BYTES));
        counters = COUNTERS.stream()
                .map(counter -> manager.newCounter(counter.name().toLowerCase(Locale.ROOT)))
                .toArray(AtomicCounter[]::new);
        more.forEach((name, value) -> ofReporters.put(manager.newCounter(name), value));
        writeConstants();
        socket = new ControlSocket(
                new ControlCommands(admin, reports), directory, socketOf(stem), access.socket(),
                ControlSocket.PATIENCE);
        end = ProcessEnd.register(ProcessEnd.Layer.FILES, this::deleteFiles);
    }

    /**
     * Gives a bond its status file and its socket in {@link StatusDirectory#path}. A directory that cannot be written
     * or in which others may write costs the bond its status, not its life: that is logged once.
     */
    public static void attach(final BondContext context) {
        attach(context, Map.of());
    }

    /** The same, with what an operator may have done or written down. */
    public static void attach(final BondContext context, final Map<String, Supplier<String>> reports) {
        attach(context, reports, Map.of());
    }

    /**
     * The same.
     *
     * @param reports what an operator may have done or written down, by command; why it was not, or an empty text
     * @param more    counters beside those of the bond, by name; asked by the bond's thread
     */
    public static void attach(
            final BondContext context, final Map<String, Supplier<String>> reports,
            final Map<String, LongSupplier> more) {
        final Path directory = StatusDirectory.path();
        try {
            context.admin().observe(open(context, directory, SystemEpochClock.INSTANCE, reports, more));
        } catch (final UntrustedFileException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    context.device().name() + ": no status file and no control socket: " + e.getMessage() + " by -D"
                            + StatusDirectory.PROPERTY);
        } catch (final IOException e) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    context.device().name() + ": no status file in " + directory + " (" + FailureText.of(e)
                            + "); make it writable, or name another by -D" + StatusDirectory.PROPERTY);
        }
    }

    /**
     * Gives a bond its status file and its socket in a directory; nothing is written but by {@link #onTurn}.
     *
     * @throws UntrustedFileException where others than this user may change what is in the directory
     * @throws IOException            where the directory cannot be written
     */
    public static StatusPublisher open(final BondContext context, final Path directory, final EpochClock clock)
            throws IOException {
        return open(context, directory, clock, Map.of(), Map.of());
    }

    private static StatusPublisher open(
            final BondContext context, final Path directory, final EpochClock clock,
            final Map<String, Supplier<String>> reports, final Map<String, LongSupplier> more)
            throws IOException {
        final String bond = context.device().name();
        final StatusAccess access = StatusAccess.of(context.admin().config().get(BondOption.STATUS_MODE));
        final Path stem = Path.of(bond + "." + ProcessHandle.current().pid());
        final PrivateDirectory opened = PrivateDirectory.create(directory, access.directory());
        try {
            StatusDirectory.keepLeft(opened, bond);
            StatusDirectory.sweep(opened, bond, System.currentTimeMillis());
            return new StatusPublisher(context, opened, stem, access, clock, reports, more);
        } catch (final Throwable e) {
            StatusDirectory.delete(opened, fileOf(stem));
            opened.close();
            throw e;
        }
    }

    private static Path fileOf(final Path stem) {
        return Path.of(stem + StatusDirectory.FILE_SUFFIX);
    }

    private static Path socketOf(final Path stem) {
        return Path.of(stem + StatusDirectory.SOCKET_SUFFIX);
    }

    private void writeConstants() {
        final BondConfig config = admin.config();
        buffer.putInt(StatusDescriptor.VERSION_OFFSET, StatusDescriptor.VERSION);
        final long pid = ProcessHandle.current().pid();
        buffer.putLong(StatusDescriptor.PID_OFFSET, pid);
        buffer.putLong(StatusDescriptor.PROCESS_START_OFFSET, ProcessLife.start(pid));
        buffer.putLong(StatusDescriptor.STARTED_OFFSET, clock.time());
        StatusFile.putText(buffer, StatusDescriptor.NAME_OFFSET, StatusDescriptor.NAME_BYTES, config.name());
        StatusFile.putText(
                buffer, StatusDescriptor.PROGRAM_OFFSET, StatusDescriptor.PROGRAM_BYTES, StatusDirectory.program());
        StatusFile.putText(buffer, StatusDescriptor.MODE_OFFSET, StatusDescriptor.SHORT_BYTES, config.mode().text());
        writeOptions(config);
        // Last: a file without it is not read.
        buffer.putLongRelease(StatusDescriptor.MAGIC_OFFSET, StatusDescriptor.MAGIC);
    }

    /** What an operator may change while the bond is open. */
    private void writeOptions(final BondConfig config) {
        if (config == shown) {
            return;
        }
        shown = config;
        final String primary = config.primary();
        StatusFile.putText(
                buffer, StatusDescriptor.PRIMARY_OFFSET, StatusDescriptor.NAME_BYTES, primary == null ? "" : primary);
        StatusFile.putText(
                buffer,
                StatusDescriptor.RESELECT_OFFSET,
                StatusDescriptor.SHORT_BYTES,
                config.primaryReselect().text());
        buffer.putLong(StatusDescriptor.MIIMON_OFFSET, TimeUnit.NANOSECONDS.toMillis(config.miimonNs()));
        buffer.putLong(StatusDescriptor.UPDELAY_OFFSET, TimeUnit.NANOSECONDS.toMillis(config.updelayNs()));
        buffer.putLong(StatusDescriptor.DOWNDELAY_OFFSET, TimeUnit.NANOSECONDS.toMillis(config.downdelayNs()));
        buffer.putLong(StatusDescriptor.MIN_LINKS_OFFSET, config.minLinks());
        StatusFile.putLines(
                buffer,
                StatusDescriptor.OPTIONS_OFFSET,
                StatusDescriptor.OPTIONS_BYTES,
                config.toText().lines().skip(1).toList());
    }

    @Override
    public void onTurn(final long nowNs) {
        if (!published || nowNs - nextNs >= 0 && nextRow < 0) {
            published = true;
            nextNs = nowNs + PERIOD_NS;
            nextRow = 0;
            file.write(this::writeBond);
        } else if (nextRow >= 0) {
            file.write(this::writeRows);
        }
    }

    @Override
    public void onError(final BondCounters.Counter kind, final Throwable error) {
        record(new CodedError(ErrorCode.of(kind), error));
    }

    /** Queue pairs that fail for the same reason on the same path are one error of the log. */
    @Override
    public void onFailover(final FailoverReport report) {
        final BondError error = report.error();
        if (error != null && !error.isToldWhereFound()) {
            record(new CodedError(
                    ErrorCode.of(error),
                    "queue pairs failed with " + error + ", noticed by " + report.reason() + " on "
                            + (report.fromPath().isEmpty() ? "no path" : report.fromPath()) + ": "
                            + error.meaning()));
        }
    }

    @Override
    public void onApplicationError(final int qpNum, final int status, final int vendorErr) {
        if (BondError.fromVendorErr(vendorErr) != null) {
            return; // it was told where it was found
        }
        record(new CodedError(
                ErrorCode.APPLICATION,
                "a queue pair failed for the application's own reason: "
                        + (status == 0 ? "its member says that it is in error, or a receive failed"
                                : WcStatus.fromCode(status) + ", vendor_err 0x" + Integer.toHexString(vendorErr))));
    }

    private synchronized void record(final CodedError error) {
        if (!closed && !errors.record(error)) {
            context.counters().add(BondCounters.Counter.ERRORS_LEFT_OUT, 1);
        }
    }

    private void writeBond() {
        writeOptions(admin.config());
        writeMembers();
        writeFailovers();
        writeRows();
        buffer.putLong(StatusDescriptor.PUBLISHED_OFFSET, clock.time());
        for (final BondCounters.Counter counter : COUNTERS) {
            counters[counter.ordinal()].setRelease(context.counters().get(counter));
        }
        ofReporters.forEach((counter, value) -> counter.setRelease(value.getAsLong()));
        writeFaults();
    }

    /** Those of a member that is none any more go: another device may come by its name. */
    private void writeFaults() {
        final Map<String, List<DeviceCounter>> faults = admin.faultCounters();
        final Set<String> reported = new HashSet<>();
        faults.forEach((member, ofIt) -> ofIt.forEach(fault -> reported.add(name(member, fault))));
        ofDevices.entrySet().removeIf(counter -> {
            final boolean isGone = !reported.contains(counter.getKey());
            if (isGone) {
                counter.getValue().close();
            }
            return isGone;
        });
        faults.forEach((member, ofIt) -> ofIt.forEach(fault -> write(name(member, fault), fault)));
    }

    private static String name(final String member, final DeviceCounter fault) {
        return member + StatusDescriptor.OF_DEVICE + fault.name().toLowerCase(Locale.ROOT);
    }

    private void write(final String name, final DeviceCounter fault) {
        AtomicCounter counter = ofDevices.get(name);
        if (counter == null && ofDevices.size() < StatusDescriptor.COUNTERS - COUNTERS.size() - ofReporters.size()) {
            counter = manager.newCounter(name + StatusDescriptor.MEANS + fault.meaning());
            ofDevices.put(name, counter);
        }
        if (counter != null) {
            counter.setRelease(fault.value());
        }
    }

    /** The rows of the next few indexes; those whose vQP is gone are empty. */
    private void writeRows() {
        final int first = nextRow;
        final int end = first + ROWS_A_TURN;
        seen.clear();
        final boolean areMore = admin.visit(first, ROWS_A_TURN, this);
        for (int row = rows.nextSetBit(first); row >= 0 && row < end; row = rows.nextSetBit(row + 1)) {
            if (!seen.get(row)) {
                rows.clear(row);
                buffer.putInt(StatusDescriptor.queuePair(row) + StatusDescriptor.QP_TYPE_OFFSET, 0);
            }
        }
        nextRow = areMore || rows.length() > end ? end : -1;
        buffer.putInt(StatusDescriptor.QP_ROWS_OFFSET, rows.length());
        buffer.putLong(StatusDescriptor.QPS_OFFSET, rows.cardinality());
    }

    private void writeMembers() {
        final List<MemberStatus> members = admin.members();
        final int count = Math.min(members.size(), StatusDescriptor.MAX_MEMBERS);
        buffer.putInt(StatusDescriptor.MEMBERS_OFFSET, count);
        String active = "";
        for (int i = 0; i < count; i++) {
            final MemberStatus member = members.get(i);
            final int at = StatusDescriptor.member(i);
            buffer.putInt(at + StatusDescriptor.MEMBER_INDEX_OFFSET, member.index());
            buffer.putInt(at + StatusDescriptor.MEMBER_UP_OFFSET, member.up() ? 1 : 0);
            buffer.putInt(
                    at + StatusDescriptor.MEMBER_DRAINED_OFFSET,
                    member.leaving() ? StatusDescriptor.LEAVING : member.drained() ? StatusDescriptor.DRAINED : 0);
            buffer.putInt(at + StatusDescriptor.MEMBER_ACTIVE_OFFSET, member.active() ? 1 : 0);
            buffer.putInt(at + StatusDescriptor.MEMBER_QPS_OFFSET, member.queuePairs());
            buffer.putLong(at + StatusDescriptor.MEMBER_FAILURES_OFFSET, member.failures());
            StatusFile.putText(
                    buffer, at + StatusDescriptor.MEMBER_NAME_OFFSET, StatusDescriptor.NAME_BYTES, member.name());
            StatusFile.putText(
                    buffer,
                    at + StatusDescriptor.MEMBER_ADDRESS_OFFSET,
                    StatusDescriptor.NAME_BYTES,
                    member.address().getHostAddress());
            active = member.active() ? member.name() : active;
        }
        StatusFile.putText(buffer, StatusDescriptor.ACTIVE_OFFSET, StatusDescriptor.NAME_BYTES, active);
    }

    private void writeFailovers() {
        final List<FailoverReport> ended = admin.failoversAfter(failoversSeen);
        // Of thousands that ended in one period the bond has forgotten some: they count, and have no row.
        failoversSeen = admin.firstFailoverAfter(failoversSeen);
        for (final FailoverReport report : ended) {
            final int at = StatusDescriptor.failover(failoversSeen++);
            buffer.putInt(at + StatusDescriptor.FAILOVER_QPN_OFFSET, report.qpNum());
            buffer.putInt(at + StatusDescriptor.FAILOVER_EPOCH_OFFSET, report.epoch());
            buffer.putInt(at + StatusDescriptor.FAILOVER_INITIATOR_OFFSET, report.initiator() ? 1 : 0);
            buffer.putLong(at + StatusDescriptor.FAILOVER_STARTED_OFFSET, report.startedNs());
            buffer.putLong(at + StatusDescriptor.FAILOVER_FENCE_OFFSET, report.fenceNs());
            buffer.putLong(at + StatusDescriptor.FAILOVER_CONNECT_OFFSET, report.connectNs());
            buffer.putLong(at + StatusDescriptor.FAILOVER_REPLAY_OFFSET, report.replayNs());
            buffer.putLong(at + StatusDescriptor.FAILOVER_NEGOTIATED_OFFSET, report.negotiated());
            buffer.putLong(at + StatusDescriptor.FAILOVER_REPLAYED_OFFSET, report.replayed());
            putShort(at + StatusDescriptor.FAILOVER_REASON_OFFSET, report.reason().name());
            StatusFile.putText(
                    buffer, at + StatusDescriptor.FAILOVER_FROM_OFFSET, StatusDescriptor.PATH_BYTES,
                    report.fromPath());
            StatusFile.putText(
                    buffer, at + StatusDescriptor.FAILOVER_TO_OFFSET, StatusDescriptor.PATH_BYTES, report.toPath());
            putShort(
                    at + StatusDescriptor.FAILOVER_ERROR_OFFSET,
                    report.error() == null ? "" : report.error().name());
            buffer.putLong(at + StatusDescriptor.FAILOVER_ENDED_OFFSET, clock.time());
        }
        buffer.putLong(StatusDescriptor.FAILOVERS_OFFSET, failoversSeen);
    }

    private void putShort(final int offset, final String text) {
        StatusFile.putText(buffer, offset, StatusDescriptor.SHORT_BYTES, text);
    }

    @Override
    public void onQueuePair(
            final int index,
            final int qpNum,
            final QpType type,
            final QpState state,
            final @Nullable RecoveryState recovery,
            final int epoch,
            final int member,
            final @Nullable InetAddress remote,
            final long posted,
            final long completed,
            final long received) {
        seen.set(index);
        rows.set(index);
        final int at = StatusDescriptor.queuePair(index);
        buffer.putInt(at + StatusDescriptor.QP_QPN_OFFSET, qpNum);
        buffer.putInt(at + StatusDescriptor.QP_TYPE_OFFSET, type.code());
        buffer.putInt(at + StatusDescriptor.QP_STATE_OFFSET, state.code());
        buffer.putInt(at + StatusDescriptor.QP_RECOVERY_OFFSET, recovery == null ? -1 : recovery.code());
        buffer.putInt(at + StatusDescriptor.QP_EPOCH_OFFSET, epoch);
        buffer.putInt(at + StatusDescriptor.QP_MEMBER_OFFSET, member);
        buffer.putLong(at + StatusDescriptor.QP_POSTED_OFFSET, posted);
        buffer.putLong(at + StatusDescriptor.QP_COMPLETED_OFFSET, completed);
        buffer.putLong(at + StatusDescriptor.QP_RECEIVED_OFFSET, received);
        if (index >= remotes.length) {
            remotes = Arrays.copyOf(remotes, 2 * Integer.highestOneBit(index));
        }
        if (remotes[index] != remote) {
            remotes[index] = remote;
            StatusFile.putText(
                    buffer,
                    at + StatusDescriptor.QP_REMOTE_OFFSET,
                    StatusDescriptor.NAME_BYTES,
                    remote == null ? "" : remote.getHostAddress());
        }
    }

    private synchronized void deleteFiles() {
        if (!closed) {
            socket.deleteFile();
            StatusDirectory.delete(directory, path, key);
        }
    }

    /** The file goes with the bond; one that is left tells of a process that ended without closing it. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            end.close();
            socket.close();
            file.close();
            StatusDirectory.delete(directory, path, key);
            directory.closeQuietly();
        }
    }
}
