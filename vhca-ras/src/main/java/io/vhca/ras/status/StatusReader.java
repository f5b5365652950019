package io.vhca.ras.status;

import io.vhca.api.ProcessLife;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.status.BondStatus.ErrorRow;
import io.vhca.ras.status.BondStatus.FailoverRow;
import io.vhca.ras.status.BondStatus.FaultRow;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.ras.status.StatusSnapshot.DamagedException;
import io.vhca.recovery.RecoveryState;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BitUtil;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads a status file, of a process that runs or of one that has crashed, or of whoever put it there: it is not mapped,
 * so that one that is cut short meanwhile is no fault in memory, and nothing in it is taken for granted. Any thread.
 */
public final class StatusReader {
    private static final int ATTEMPTS = 5_000;
    private static final long PAUSE_NS = 100_000;
    /** Attempts before it is asked again whether who stands in the middle of writing lives, which is dear to ask. */
    private static final int ATTEMPTS_A_LOOK = 100;

    private final StatusSnapshot from;

    private StatusReader(final StatusSnapshot from) {
        this.from = from;
    }

    /** Its process lives, and there was no moment at which it did not write to it: it may be stopped. */
    public static final class BeingWrittenException extends IOException {
        private static final long serialVersionUID = 1L;

        public BeingWrittenException(final Path path) {
            super(path + " has been written to for as long as it was read: its process may be stopped; try again");
        }
    }

    /**
     * Reads all of it. Of a process that died, or is stopped, while it wrote a part of it is newer than the rest; whose
     * the file is does not change.
     *
     * @throws NoSuchFileException   where there is none, or one that its process has made and not written to yet
     * @throws BeingWrittenException when its process writes to it again and again, or left it so that it makes no sense
     * @throws IOException           when it is no status file
     */
    public static BondStatus read(final Path path) throws IOException {
        return read(path, true);
    }

    /**
     * The same, but no part is newer than the rest where its process lives.
     *
     * @throws BeingWrittenException also when its process is stopped while it writes
     */
    public static BondStatus readWhole(final Path path) throws IOException {
        return read(path, false);
    }

    private static BondStatus read(final Path path, final boolean isPartEnough) throws IOException {
        try (FileChannel channel = open(path)) {
            if (isBeingMade(channel)) {
                // Also what a process leaves that was killed right then; the next open of the bond deletes it.
                throw new NoSuchFileException(path.toString(), null, "nothing was written to it");
            }
            final StatusSnapshot.Source source = (offset, into, length) -> fill(channel, offset, into, length);
            final long size = channel.size();
            if (size >= StatusDescriptor.HEADER_BYTES) {
                StatusSnapshot.header(source); // one of another version has another size
            }
            if (size < StatusDescriptor.FILE_BYTES) {
                throw new IOException(path + " is no status file of a bond: it is too short");
            }
            return decode(source, path, isPartEnough);
        } catch (final DamagedException e) {
            throw new IOException(path + " " + e.getMessage(), e);
        } catch (final EOFException e) {
            throw new IOException(path + " was cut short while it was read", e);
        }
    }

    private static FileChannel open(final Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(path + " is no status file of a bond: it is no file");
        }
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** When its process began; {@link ProcessLife#UNKNOWN} where it does not say, or is no status file. */
    static long processStart(final Path path) {
        try (FileChannel channel = open(path)) {
            return StatusSnapshot.header((offset, into, length) -> fill(channel, offset, into, length))
                    .getLong(StatusDescriptor.PROCESS_START_OFFSET);
        } catch (final IOException e) {
            return ProcessLife.UNKNOWN;
        }
    }

    /** Zeros come first, all of a file of them, and what says that it is a status file last. */
    private static boolean isBeingMade(final FileChannel channel) throws IOException {
        final ByteBuffer magic = ByteBuffer.allocate(Long.BYTES);
        WholeTransfer.read(channel, magic, StatusDescriptor.MAGIC_OFFSET);
        return magic.getLong(0) == 0; // where the file is shorter zeros are left
    }

    private static BondStatus decode(
            final StatusSnapshot.Source source, final Path path, final boolean isPartEnough) throws IOException {
        final int sequence = StatusSnapshot.sequence(source);
        final StatusSnapshot copy = copy(source);
        if (copy != null) {
            return new StatusReader(copy).decode();
        }
        final StatusSnapshot part = isPartEnough ? StatusSnapshot.at(source, sequence) : null;
        if (part == null) {
            throw new BeingWrittenException(path);
        }
        try {
            return new StatusReader(part).decode();
        } catch (final DamagedException e) {
            throw (IOException) new BeingWrittenException(path).initCause(e);
        }
    }

    /** A copy that was not written to meanwhile, by a process that lives; null where it never stopped writing. */
    private static @Nullable StatusSnapshot copy(final StatusSnapshot.Source source) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final StatusSnapshot whole = StatusSnapshot.copy(source);
            final StatusSnapshot copy =
                    whole == null && attempt % ATTEMPTS_A_LOOK == 0 ? StatusSnapshot.left(source) : whole;
            if (copy != null) {
                return copy;
            }
            // Whoever writes may have lost its processor in the middle of it.
            LockSupport.parkNanos(PAUSE_NS);
        }
        return null;
    }

    private static void fill(final FileChannel channel, final int offset, final byte[] into, final int length)
            throws IOException {
        if (!WholeTransfer.read(channel, ByteBuffer.wrap(into, 0, length), offset)) {
            throw new EOFException();
        }
    }

    private BondStatus decode() throws DamagedException {
        final Map<String, Long> counters = new LinkedHashMap<>();
        final List<FaultRow> faults = new ArrayList<>();
        readCounters(counters, faults);
        return new BondStatus(
                from.text(StatusDescriptor.NAME_OFFSET, StatusDescriptor.NAME_BYTES),
                from.getLong(StatusDescriptor.PID_OFFSET),
                from.getLong(StatusDescriptor.PROCESS_START_OFFSET),
                from.text(StatusDescriptor.PROGRAM_OFFSET, StatusDescriptor.PROGRAM_BYTES),
                from.getLong(StatusDescriptor.STARTED_OFFSET),
                from.getLong(StatusDescriptor.PUBLISHED_OFFSET),
                from.text(StatusDescriptor.MODE_OFFSET, StatusDescriptor.SHORT_BYTES),
                from.text(StatusDescriptor.PRIMARY_OFFSET, StatusDescriptor.NAME_BYTES),
                from.text(StatusDescriptor.RESELECT_OFFSET, StatusDescriptor.SHORT_BYTES),
                from.text(StatusDescriptor.ACTIVE_OFFSET, StatusDescriptor.NAME_BYTES),
                from.getLong(StatusDescriptor.MIIMON_OFFSET),
                from.getLong(StatusDescriptor.UPDELAY_OFFSET),
                from.getLong(StatusDescriptor.DOWNDELAY_OFFSET),
                from.getLong(StatusDescriptor.MIN_LINKS_OFFSET),
                members(),
                queuePairs(),
                from.total("queue pairs", StatusDescriptor.QPS_OFFSET),
                failovers(),
                from.total("failovers", StatusDescriptor.FAILOVERS_OFFSET),
                counters,
                faults,
                errors(),
                from.lines(StatusDescriptor.OPTIONS_OFFSET, StatusDescriptor.OPTIONS_BYTES));
    }

    private int memberCount() throws DamagedException {
        return from.count("members", StatusDescriptor.MEMBERS_OFFSET, StatusDescriptor.MAX_MEMBERS);
    }

    private String memberName(final int at) throws DamagedException {
        return from.text(at + StatusDescriptor.MEMBER_NAME_OFFSET, StatusDescriptor.NAME_BYTES);
    }

    private List<MemberRow> members() throws DamagedException {
        final List<MemberRow> rows = new ArrayList<>();
        final Set<String> names = new HashSet<>();
        final int count = memberCount();
        for (int i = 0; i < count; i++) {
            final int at = StatusDescriptor.member(i);
            final String name = memberName(at);
            if (!names.add(name)) {
                throw new DamagedException("is damaged: two members are called '" + name + "'");
            }
            rows.add(new MemberRow(
                    name,
                    from.text(at + StatusDescriptor.MEMBER_ADDRESS_OFFSET, StatusDescriptor.NAME_BYTES),
                    from.getInt(at + StatusDescriptor.MEMBER_UP_OFFSET) != 0,
                    from.getInt(at + StatusDescriptor.MEMBER_DRAINED_OFFSET) != 0,
                    from.getInt(at + StatusDescriptor.MEMBER_DRAINED_OFFSET) == StatusDescriptor.LEAVING,
                    from.getInt(at + StatusDescriptor.MEMBER_ACTIVE_OFFSET) != 0,
                    from.getInt(at + StatusDescriptor.MEMBER_QPS_OFFSET),
                    from.total("failures of a link", at + StatusDescriptor.MEMBER_FAILURES_OFFSET)));
        }
        return rows;
    }

    private List<QpRow> queuePairs() throws DamagedException {
        final String[] members = memberNames();
        final List<QpRow> rows = new ArrayList<>();
        final int count = from.count(
                "queue pair rows", StatusDescriptor.QP_ROWS_OFFSET, StatusDescriptor.MAX_QP_ROWS);
        for (int i = 0; i < count; i++) {
            final int at = StatusDescriptor.queuePair(i);
            final int type = from.getInt(at + StatusDescriptor.QP_TYPE_OFFSET);
            if (type == 0) {
                continue;
            }
            final int member = from.getInt(at + StatusDescriptor.QP_MEMBER_OFFSET);
            rows.add(new QpRow(
                    from.getInt(at + StatusDescriptor.QP_QPN_OFFSET),
                    QpType.fromCode(type),
                    QpState.fromCode(from.getInt(at + StatusDescriptor.QP_STATE_OFFSET)),
                    RecoveryState.fromCode(from.getInt(at + StatusDescriptor.QP_RECOVERY_OFFSET)),
                    from.getInt(at + StatusDescriptor.QP_EPOCH_OFFSET),
                    member >= 0 && member < members.length ? members[member] : "",
                    from.text(at + StatusDescriptor.QP_REMOTE_OFFSET, StatusDescriptor.NAME_BYTES),
                    from.getLong(at + StatusDescriptor.QP_POSTED_OFFSET),
                    from.getLong(at + StatusDescriptor.QP_COMPLETED_OFFSET),
                    from.getLong(at + StatusDescriptor.QP_RECEIVED_OFFSET)));
        }
        return rows;
    }

    /** By index; empty where there is no member of that index. */
    private String[] memberNames() throws DamagedException {
        final String[] names = new String[StatusDescriptor.MAX_MEMBERS];
        Arrays.fill(names, "");
        final int count = memberCount();
        for (int i = 0; i < count; i++) {
            final int at = StatusDescriptor.member(i);
            names[from.getInt(at + StatusDescriptor.MEMBER_INDEX_OFFSET) & names.length - 1] = memberName(at);
        }
        return names;
    }

    private List<FailoverRow> failovers() throws DamagedException {
        final List<FailoverRow> rows = new ArrayList<>();
        final long count = from.total("failovers", StatusDescriptor.FAILOVERS_OFFSET);
        for (long i = Math.max(0, count - StatusDescriptor.FAILOVER_ROWS); i < count; i++) {
            final int at = StatusDescriptor.failover(i);
            rows.add(new FailoverRow(
                    from.getInt(at + StatusDescriptor.FAILOVER_QPN_OFFSET),
                    from.getInt(at + StatusDescriptor.FAILOVER_EPOCH_OFFSET),
                    from.getInt(at + StatusDescriptor.FAILOVER_INITIATOR_OFFSET) != 0,
                    from.text(at + StatusDescriptor.FAILOVER_REASON_OFFSET, StatusDescriptor.SHORT_BYTES),
                    from.text(at + StatusDescriptor.FAILOVER_FROM_OFFSET, StatusDescriptor.PATH_BYTES),
                    from.text(at + StatusDescriptor.FAILOVER_TO_OFFSET, StatusDescriptor.PATH_BYTES),
                    from.getLong(at + StatusDescriptor.FAILOVER_FENCE_OFFSET),
                    from.getLong(at + StatusDescriptor.FAILOVER_CONNECT_OFFSET),
                    from.getLong(at + StatusDescriptor.FAILOVER_REPLAY_OFFSET),
                    from.getLong(at + StatusDescriptor.FAILOVER_NEGOTIATED_OFFSET),
                    from.getLong(at + StatusDescriptor.FAILOVER_REPLAYED_OFFSET),
                    from.text(at + StatusDescriptor.FAILOVER_ERROR_OFFSET, StatusDescriptor.SHORT_BYTES),
                    from.getLong(at + StatusDescriptor.FAILOVER_ENDED_OFFSET)));
        }
        return rows;
    }

    /** Agrona's records, whose reader believes the length of a label. */
    private void readCounters(final Map<String, Long> counters, final List<FaultRow> faults)
            throws DamagedException {
        for (int i = 0; i < StatusDescriptor.COUNTERS; i++) {
            final int at = StatusDescriptor.METADATA_OFFSET + i * CountersReader.METADATA_LENGTH;
            final int state = from.getInt(at);
            if (state == CountersReader.RECORD_UNUSED) {
                break;
            }
            if (state == CountersReader.RECORD_ALLOCATED) {
                final int length = from.count(
                        "letters of a counter's name",
                        at + CountersReader.LABEL_OFFSET,
                        CountersReader.MAX_LABEL_LENGTH);
                final String label = from.ascii(at + CountersReader.LABEL_OFFSET + Integer.BYTES, length);
                final long value = from.total(
                        "is what a counter says", StatusDescriptor.VALUES_OFFSET + i * CountersReader.COUNTER_LENGTH);
                final int member = label.indexOf(StatusDescriptor.OF_DEVICE);
                final int name = label.indexOf(StatusDescriptor.MEANS, member + 1);
                if (member < 0 || name < 0) {
                    counters.put(label, value);
                } else {
                    faults.add(new FaultRow(
                            label.substring(0, member),
                            label.substring(member + StatusDescriptor.OF_DEVICE.length(), name),
                            value,
                            label.substring(name + StatusDescriptor.MEANS.length())));
                }
            }
        }
    }

    /** Agrona's records, whose reader believes their lengths. */
    private List<ErrorRow> errors() throws DamagedException {
        final List<ErrorRow> rows = new ArrayList<>();
        int at = StatusDescriptor.ERRORS_OFFSET;
        final int end = StatusDescriptor.ERRORS_OFFSET + StatusDescriptor.ERRORS_BYTES;
        while (end - at >= DistinctErrorLog.ENCODED_ERROR_OFFSET) {
            final int length = from.count("bytes of an error", at + DistinctErrorLog.LENGTH_OFFSET, end - at);
            if (length == 0) {
                break;
            }
            if (length < DistinctErrorLog.ENCODED_ERROR_OFFSET) {
                throw new DamagedException("is damaged: an error of " + length + " bytes");
            }
            rows.add(new ErrorRow(
                    from.count("observations", at + DistinctErrorLog.OBSERVATION_COUNT_OFFSET, Integer.MAX_VALUE),
                    from.getLong(at + DistinctErrorLog.FIRST_OBSERVATION_TIMESTAMP_OFFSET),
                    from.getLong(at + DistinctErrorLog.LAST_OBSERVATION_TIMESTAMP_OFFSET),
                    from.utf8(
                            at + DistinctErrorLog.ENCODED_ERROR_OFFSET,
                            length - DistinctErrorLog.ENCODED_ERROR_OFFSET)));
            at += BitUtil.align(length, DistinctErrorLog.RECORD_ALIGNMENT);
        }
        return rows;
    }
}
