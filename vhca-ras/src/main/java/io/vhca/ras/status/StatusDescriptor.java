package io.vhca.ras.status;

import io.vhca.bond.BondAdmin;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersReader;

/**
 * Layout of a status file; native byte order, one writer.
 *
 * <pre>
 *   0         8          12         16      24           32             40        44          48        56
 *   | magic   | version  | sequence | pid   | started ms | published ms | members | qp rows   | qps     | failovers |
 *   64            128        160           224          288            320
 *   | bond's name | mode     | primary     | active     | reselect     | miimon, updelay, downdelay (ms), min_links
 *
 *   352       480
 *   | program | process's start (0: not known, or by a release without it)
 *
 *   1024      members       failovers      options   counters     counters    errors   queue pairs
 *   |         | 32 x 256    | 64 x 384     | 8192    | metadata   | values    |        | 16384 x 128, sparse
 *
 *   member:   up 4, drained 4 (2: being removed), active 4, queue pairs 4, failures 8, name 64, address 64, index 4
 *   failover: qpNum 4, epoch 4, initiator 4, pad 4, started, fence, connect, replay ns 8 each, negotiated 8,
 *             replayed 8, reason 32, from 112, to 112, error 32, ended ms 8 (0: by a release without it)
 *   qp:       qpNum 4, state 4, recovery 4 (-1: has none), epoch 4, member's index 4, type 4 (0: none in this row),
 *             posted 8, completed 8, received 8, remote 64
 * </pre>
 *
 * <p>A vQP has the row of its index, so rows may be written a few at a time; {@code qp rows} is one behind the last in
 * use.
 *
 * <p>Options are four bytes of length and UTF-8, as in a configuration: {@code key = value}, one a line. Other texts
 * are one byte of length and ASCII. {@code sequence} is odd while header, members, failovers and queue pairs
 * are being written: a reader copies, and copies again when it was odd or has changed. Counters and errors are Agrona's
 * and may be read at any time.
 */
final class StatusDescriptor {
    static final long MAGIC = 0x7648_4341_7374_6174L; // "vHCAstat"
    static final int VERSION = 6;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int SEQUENCE_OFFSET = VERSION_OFFSET + Integer.BYTES;
    static final int PID_OFFSET = SEQUENCE_OFFSET + Integer.BYTES;
    static final int STARTED_OFFSET = PID_OFFSET + Long.BYTES;
    static final int PUBLISHED_OFFSET = STARTED_OFFSET + Long.BYTES;
    static final int MEMBERS_OFFSET = PUBLISHED_OFFSET + Long.BYTES;
    static final int QP_ROWS_OFFSET = MEMBERS_OFFSET + Integer.BYTES;
    static final int QPS_OFFSET = QP_ROWS_OFFSET + Integer.BYTES;
    static final int FAILOVERS_OFFSET = QPS_OFFSET + Long.BYTES;
    static final int NAME_OFFSET = FAILOVERS_OFFSET + Long.BYTES;
    static final int NAME_BYTES = 64;
    static final int SHORT_BYTES = 32;
    static final int MODE_OFFSET = NAME_OFFSET + NAME_BYTES;
    static final int PRIMARY_OFFSET = MODE_OFFSET + SHORT_BYTES;
    static final int ACTIVE_OFFSET = PRIMARY_OFFSET + NAME_BYTES;
    static final int RESELECT_OFFSET = ACTIVE_OFFSET + NAME_BYTES;
    static final int MIIMON_OFFSET = RESELECT_OFFSET + SHORT_BYTES;
    static final int UPDELAY_OFFSET = MIIMON_OFFSET + Long.BYTES;
    static final int DOWNDELAY_OFFSET = UPDELAY_OFFSET + Long.BYTES;
    static final int MIN_LINKS_OFFSET = DOWNDELAY_OFFSET + Long.BYTES;
    /** What the process runs: its main class, or its jar. */
    static final int PROGRAM_OFFSET = MIN_LINKS_OFFSET + Long.BYTES;
    static final int PROGRAM_BYTES = 128;
    /** {@link io.vhca.api.ProcessLife#start} of the process. */
    static final int PROCESS_START_OFFSET = PROGRAM_OFFSET + PROGRAM_BYTES;
    static final int HEADER_BYTES = 1024;

    static final int MAX_MEMBERS = 32;
    static final int MEMBER_TABLE_OFFSET = HEADER_BYTES;
    static final int MEMBER_BYTES = 256;
    static final int MEMBER_UP_OFFSET = 0;
    static final int MEMBER_DRAINED_OFFSET = MEMBER_UP_OFFSET + Integer.BYTES;
    static final int DRAINED = 1;
    static final int LEAVING = 2;
    static final int MEMBER_ACTIVE_OFFSET = MEMBER_DRAINED_OFFSET + Integer.BYTES;
    static final int MEMBER_QPS_OFFSET = MEMBER_ACTIVE_OFFSET + Integer.BYTES;
    static final int MEMBER_FAILURES_OFFSET = MEMBER_QPS_OFFSET + Integer.BYTES;
    static final int MEMBER_NAME_OFFSET = MEMBER_FAILURES_OFFSET + Long.BYTES;
    static final int MEMBER_ADDRESS_OFFSET = MEMBER_NAME_OFFSET + NAME_BYTES;
    static final int MEMBER_INDEX_OFFSET = MEMBER_ADDRESS_OFFSET + NAME_BYTES;

    static final int FAILOVER_ROWS = 64;
    static final int FAILOVER_TABLE_OFFSET = MEMBER_TABLE_OFFSET + MAX_MEMBERS * MEMBER_BYTES;
    static final int FAILOVER_BYTES = 384;
    /** The longest name of a member, {@code -> } and any IPv6 address. */
    static final int PATH_BYTES = 112;
    static final int FAILOVER_QPN_OFFSET = 0;
    static final int FAILOVER_EPOCH_OFFSET = FAILOVER_QPN_OFFSET + Integer.BYTES;
    static final int FAILOVER_INITIATOR_OFFSET = FAILOVER_EPOCH_OFFSET + Integer.BYTES;
    static final int FAILOVER_STARTED_OFFSET = FAILOVER_INITIATOR_OFFSET + 2 * Integer.BYTES;
    static final int FAILOVER_FENCE_OFFSET = FAILOVER_STARTED_OFFSET + Long.BYTES;
    static final int FAILOVER_CONNECT_OFFSET = FAILOVER_FENCE_OFFSET + Long.BYTES;
    static final int FAILOVER_REPLAY_OFFSET = FAILOVER_CONNECT_OFFSET + Long.BYTES;
    static final int FAILOVER_NEGOTIATED_OFFSET = FAILOVER_REPLAY_OFFSET + Long.BYTES;
    static final int FAILOVER_REPLAYED_OFFSET = FAILOVER_NEGOTIATED_OFFSET + Long.BYTES;
    static final int FAILOVER_REASON_OFFSET = FAILOVER_REPLAYED_OFFSET + Long.BYTES;
    static final int FAILOVER_FROM_OFFSET = FAILOVER_REASON_OFFSET + SHORT_BYTES;
    static final int FAILOVER_TO_OFFSET = FAILOVER_FROM_OFFSET + PATH_BYTES;
    static final int FAILOVER_ERROR_OFFSET = FAILOVER_TO_OFFSET + PATH_BYTES;
    static final int FAILOVER_ENDED_OFFSET = FAILOVER_ERROR_OFFSET + SHORT_BYTES;

    static final int COUNTERS = 128;
    /** In the label of a device's counter: member, this, name, the other, what it means. */
    static final String OF_DEVICE = "/";

    static final String MEANS = ": ";
    static final int OPTIONS_OFFSET = FAILOVER_TABLE_OFFSET + FAILOVER_ROWS * FAILOVER_BYTES;
    static final int OPTIONS_BYTES = 8 * 1024;
    static final int METADATA_OFFSET = OPTIONS_OFFSET + OPTIONS_BYTES;
    static final int METADATA_BYTES = COUNTERS * CountersReader.METADATA_LENGTH;
    static final int VALUES_OFFSET = METADATA_OFFSET + METADATA_BYTES;
    static final int VALUES_BYTES = COUNTERS * CountersReader.COUNTER_LENGTH;
    static final int ERRORS_OFFSET = VALUES_OFFSET + VALUES_BYTES;
    static final int ERRORS_BYTES = 64 * 1024;

    static final int MAX_QP_ROWS = BondAdmin.MAX_QPS;
    static final int QP_TABLE_OFFSET = ERRORS_OFFSET + ERRORS_BYTES;
    static final int QP_BYTES = 128;
    static final int QP_QPN_OFFSET = 0;
    static final int QP_STATE_OFFSET = QP_QPN_OFFSET + Integer.BYTES;
    static final int QP_RECOVERY_OFFSET = QP_STATE_OFFSET + Integer.BYTES;
    static final int QP_EPOCH_OFFSET = QP_RECOVERY_OFFSET + Integer.BYTES;
    static final int QP_MEMBER_OFFSET = QP_EPOCH_OFFSET + Integer.BYTES;
    static final int QP_TYPE_OFFSET = QP_MEMBER_OFFSET + Integer.BYTES;
    static final int QP_POSTED_OFFSET = QP_TYPE_OFFSET + Integer.BYTES;
    static final int QP_COMPLETED_OFFSET = QP_POSTED_OFFSET + Long.BYTES;
    static final int QP_RECEIVED_OFFSET = QP_COMPLETED_OFFSET + Long.BYTES;
    static final int QP_REMOTE_OFFSET = QP_RECEIVED_OFFSET + Long.BYTES;

    static final int FILE_BYTES = QP_TABLE_OFFSET + MAX_QP_ROWS * QP_BYTES;

    static {
        if (PROCESS_START_OFFSET + Long.BYTES > HEADER_BYTES
                || MEMBER_INDEX_OFFSET + Integer.BYTES > MEMBER_BYTES
                || FAILOVER_ENDED_OFFSET + Long.BYTES > FAILOVER_BYTES
                || QP_REMOTE_OFFSET + NAME_BYTES > QP_BYTES
                || ERRORS_OFFSET % DistinctErrorLog.RECORD_ALIGNMENT != 0) {
            throw new ExceptionInInitializerError("the parts of a status file overlap");
        }
    }

    private StatusDescriptor() {}

    static int member(final int index) {
        return MEMBER_TABLE_OFFSET + index * MEMBER_BYTES;
    }

    static int failover(final long number) {
        return FAILOVER_TABLE_OFFSET + (int) (number % FAILOVER_ROWS) * FAILOVER_BYTES;
    }

    static int queuePair(final int row) {
        return QP_TABLE_OFFSET + row * QP_BYTES;
    }
}
