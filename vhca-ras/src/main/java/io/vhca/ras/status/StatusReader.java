package io.vhca.ras.status;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.ras.status.BondStatus.ErrorRow;
import io.vhca.ras.status.BondStatus.FailoverRow;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.recovery.RecoveryState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersReader;

/** Reads a status file, of a process that runs or of one that has crashed. Any thread. */
public final class StatusReader {
    private static final int ATTEMPTS = 5_000;
    private static final long PAUSE_NS = 100_000;

    private StatusReader() {}

    /**
     * Reads all of it.
     *
     * @throws IOException when it is no status file, or its writer died in the middle of writing
     */
    public static BondStatus read(final Path path) throws IOException {
        try (StatusFile file = StatusFile.open(path)) {
            return decode(copy(file, path), file);
        }
    }

    /** A copy that was not written to meanwhile. */
    private static UnsafeBuffer copy(final StatusFile from, final Path path) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final UnsafeBuffer copy = from.copy();
            if (copy != null) {
                return copy;
            }
            // Whoever writes may have lost its processor in the middle of it.
            LockSupport.parkNanos(PAUSE_NS);
        }
        throw new IOException(path + " was being written whenever it was read: its process died in the middle of it");
    }

    private static BondStatus decode(final UnsafeBuffer copy, final StatusFile file) {
        return new BondStatus(
                StatusFile.text(copy, StatusDescriptor.NAME_OFFSET),
                copy.getLong(StatusDescriptor.PID_OFFSET),
                copy.getLong(StatusDescriptor.STARTED_OFFSET),
                copy.getLong(StatusDescriptor.PUBLISHED_OFFSET),
                StatusFile.text(copy, StatusDescriptor.MODE_OFFSET),
                StatusFile.text(copy, StatusDescriptor.PRIMARY_OFFSET),
                StatusFile.text(copy, StatusDescriptor.RESELECT_OFFSET),
                StatusFile.text(copy, StatusDescriptor.ACTIVE_OFFSET),
                copy.getLong(StatusDescriptor.MIIMON_OFFSET),
                copy.getLong(StatusDescriptor.UPDELAY_OFFSET),
                copy.getLong(StatusDescriptor.DOWNDELAY_OFFSET),
                copy.getLong(StatusDescriptor.MIN_LINKS_OFFSET),
                members(copy),
                queuePairs(copy),
                copy.getLong(StatusDescriptor.QPS_OFFSET),
                failovers(copy),
                copy.getLong(StatusDescriptor.FAILOVERS_OFFSET),
                counters(file),
                errors(file),
                StatusFile.lines(copy, StatusDescriptor.OPTIONS_OFFSET, StatusDescriptor.OPTIONS_BYTES));
    }

    private static List<MemberRow> members(final UnsafeBuffer copy) {
        final List<MemberRow> rows = new ArrayList<>();
        for (int i = 0; i < copy.getInt(StatusDescriptor.MEMBERS_OFFSET); i++) {
            final int at = StatusDescriptor.member(i);
            rows.add(new MemberRow(
                    StatusFile.text(copy, at + StatusDescriptor.MEMBER_NAME_OFFSET),
                    StatusFile.text(copy, at + StatusDescriptor.MEMBER_ADDRESS_OFFSET),
                    copy.getInt(at + StatusDescriptor.MEMBER_UP_OFFSET) != 0,
                    copy.getInt(at + StatusDescriptor.MEMBER_DRAINED_OFFSET) != 0,
                    copy.getInt(at + StatusDescriptor.MEMBER_DRAINED_OFFSET) == StatusDescriptor.LEAVING,
                    copy.getInt(at + StatusDescriptor.MEMBER_ACTIVE_OFFSET) != 0,
                    copy.getInt(at + StatusDescriptor.MEMBER_QPS_OFFSET),
                    copy.getLong(at + StatusDescriptor.MEMBER_FAILURES_OFFSET)));
        }
        return rows;
    }

    private static List<QpRow> queuePairs(final UnsafeBuffer copy) {
        final String[] members = memberNames(copy);
        final List<QpRow> rows = new ArrayList<>();
        for (int i = 0; i < copy.getInt(StatusDescriptor.QP_ROWS_OFFSET); i++) {
            final int at = StatusDescriptor.queuePair(i);
            final int type = copy.getInt(at + StatusDescriptor.QP_TYPE_OFFSET);
            if (type == 0) {
                continue;
            }
            final int member = copy.getInt(at + StatusDescriptor.QP_MEMBER_OFFSET);
            rows.add(new QpRow(
                    copy.getInt(at + StatusDescriptor.QP_QPN_OFFSET),
                    QpType.fromCode(type),
                    QpState.fromCode(copy.getInt(at + StatusDescriptor.QP_STATE_OFFSET)),
                    RecoveryState.fromCode(copy.getInt(at + StatusDescriptor.QP_RECOVERY_OFFSET)),
                    copy.getInt(at + StatusDescriptor.QP_EPOCH_OFFSET),
                    member >= 0 && member < members.length ? members[member] : "",
                    StatusFile.text(copy, at + StatusDescriptor.QP_REMOTE_OFFSET),
                    copy.getLong(at + StatusDescriptor.QP_POSTED_OFFSET),
                    copy.getLong(at + StatusDescriptor.QP_COMPLETED_OFFSET),
                    copy.getLong(at + StatusDescriptor.QP_RECEIVED_OFFSET)));
        }
        return rows;
    }

    /** By index; empty where there is no member of that index. */
    private static String[] memberNames(final UnsafeBuffer copy) {
        final String[] names = new String[StatusDescriptor.MAX_MEMBERS];
        Arrays.fill(names, "");
        for (int i = 0; i < copy.getInt(StatusDescriptor.MEMBERS_OFFSET); i++) {
            final int at = StatusDescriptor.member(i);
            names[copy.getInt(at + StatusDescriptor.MEMBER_INDEX_OFFSET) & names.length - 1] =
                    StatusFile.text(copy, at + StatusDescriptor.MEMBER_NAME_OFFSET);
        }
        return names;
    }

    private static List<FailoverRow> failovers(final UnsafeBuffer copy) {
        final List<FailoverRow> rows = new ArrayList<>();
        final long count = copy.getLong(StatusDescriptor.FAILOVERS_OFFSET);
        for (long i = Math.max(0, count - StatusDescriptor.FAILOVER_ROWS); i < count; i++) {
            final int at = StatusDescriptor.failover(i);
            rows.add(new FailoverRow(
                    copy.getInt(at + StatusDescriptor.FAILOVER_QPN_OFFSET),
                    copy.getInt(at + StatusDescriptor.FAILOVER_EPOCH_OFFSET),
                    copy.getInt(at + StatusDescriptor.FAILOVER_INITIATOR_OFFSET) != 0,
                    StatusFile.text(copy, at + StatusDescriptor.FAILOVER_REASON_OFFSET),
                    StatusFile.text(copy, at + StatusDescriptor.FAILOVER_FROM_OFFSET),
                    StatusFile.text(copy, at + StatusDescriptor.FAILOVER_TO_OFFSET),
                    copy.getLong(at + StatusDescriptor.FAILOVER_FENCE_OFFSET),
                    copy.getLong(at + StatusDescriptor.FAILOVER_CONNECT_OFFSET),
                    copy.getLong(at + StatusDescriptor.FAILOVER_REPLAY_OFFSET),
                    copy.getLong(at + StatusDescriptor.FAILOVER_NEGOTIATED_OFFSET),
                    copy.getLong(at + StatusDescriptor.FAILOVER_REPLAYED_OFFSET),
                    StatusFile.text(copy, at + StatusDescriptor.FAILOVER_ERROR_OFFSET)));
        }
        return rows;
    }

    private static Map<String, Long> counters(final StatusFile file) {
        final Map<String, Long> values = new LinkedHashMap<>();
        final CountersReader reader = new CountersReader(
                file.part(StatusDescriptor.METADATA_OFFSET, StatusDescriptor.METADATA_BYTES),
                file.part(StatusDescriptor.VALUES_OFFSET, StatusDescriptor.VALUES_BYTES));
        reader.forEach((value, id, label) -> values.put(label, value));
        return values;
    }

    private static List<ErrorRow> errors(final StatusFile file) {
        final List<ErrorRow> rows = new ArrayList<>();
        ErrorLogReader.read(
                file.part(StatusDescriptor.ERRORS_OFFSET, StatusDescriptor.ERRORS_BYTES),
                (count, first, last, text) -> rows.add(new ErrorRow(count, first, last, text)));
        return rows;
    }
}
