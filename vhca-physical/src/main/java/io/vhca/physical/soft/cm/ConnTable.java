package io.vhca.physical.soft.cm;

import io.vhca.physical.soft.cm.message.ConnInput;
import java.util.Arrays;

/**
 * The state machine of a connection as a table: what to do about each input in each state. Pure; any thread.
 *
 * <pre>
 *                REQ       MRA     REJ       REP          RTU        DREQ              DREP          TIMEOUT COMM_EST
 * REQ_SENT       .         EXTEND  REJECTED  REP_ARRIVED  .          .                 .             RETRY   .
 * REP_RCVD       .         .       REJECTED  SEND_MRA     .          PEER_DISCONNECTS  .             SEND_MRA .
 * REQ_RCVD       SEND_MRA  .       REJECTED  .            .          PEER_DISCONNECTS  .             .       .
 * REP_SENT       RESEND    EXTEND  REJECTED  .            ESTABLISH  PEER_DISCONNECTS  .             RETRY   ESTABLISH
 * ESTABLISHED    .         .       LOST      RESEND       .          PEER_DISCONNECTS  .             RETRY   .
 * DREQ_SENT      .         .       .         .            .          DISCONNECTED      DISCONNECTED  RETRY   .
 * REJ_SENT       RESEND    .       .         RESEND       RESEND     SEND_DREP         .             EXPIRE  .
 * TIMEWAIT       .         .       .         .            .          SEND_DREP         .             EXPIRE  .
 *                SIDR_REQ        SIDR_REP      TIMEOUT
 * SIDR_REQ_SENT  .               SIDR_ARRIVED  RETRY
 * SIDR_REQ_RCVD  .               .             .
 * SIDR_REP_SENT  RESEND          .             EXPIRE
 * </pre>
 *
 * A repeated REQ is ignored once the connection is established: data or the RTU came, so the peer has the REP. A REP
 * that comes again then means that the RTU was lost: RESEND repeats the RTU. RETRY repeats it as well, a few times. An
 * owner that has not taken the REP yet is excused by an MRA, now and then. Whatever comes of a peer that has not heard
 * the REJ yet, it hears it again.
 */
final class ConnTable {
    private static final ConnStep[][] STEPS = new ConnStep[ConnState.values().length][ConnInput.values().length];

    static {
        for (final ConnStep[] row : STEPS) {
            Arrays.fill(row, ConnStep.IGNORE);
        }
        put(ConnState.REQ_SENT, ConnInput.MRA, ConnStep.EXTEND);
        put(ConnState.REQ_SENT, ConnInput.REJ, ConnStep.REJECTED);
        put(ConnState.REQ_SENT, ConnInput.REP, ConnStep.REP_ARRIVED);
        put(ConnState.REQ_SENT, ConnInput.TIMEOUT, ConnStep.RETRY);
        put(ConnState.REP_RCVD, ConnInput.REJ, ConnStep.REJECTED);
        put(ConnState.REP_RCVD, ConnInput.REP, ConnStep.SEND_MRA);
        put(ConnState.REP_RCVD, ConnInput.TIMEOUT, ConnStep.SEND_MRA);
        put(ConnState.REP_RCVD, ConnInput.DREQ, ConnStep.PEER_DISCONNECTS);
        put(ConnState.REQ_RCVD, ConnInput.REQ, ConnStep.SEND_MRA);
        put(ConnState.REQ_RCVD, ConnInput.REJ, ConnStep.REJECTED);
        put(ConnState.REQ_RCVD, ConnInput.DREQ, ConnStep.PEER_DISCONNECTS);
        put(ConnState.REP_SENT, ConnInput.REQ, ConnStep.RESEND);
        put(ConnState.REP_SENT, ConnInput.MRA, ConnStep.EXTEND);
        put(ConnState.REP_SENT, ConnInput.REJ, ConnStep.REJECTED);
        put(ConnState.REP_SENT, ConnInput.RTU, ConnStep.ESTABLISH);
        put(ConnState.REP_SENT, ConnInput.COMM_EST, ConnStep.ESTABLISH);
        put(ConnState.REP_SENT, ConnInput.DREQ, ConnStep.PEER_DISCONNECTS);
        put(ConnState.REP_SENT, ConnInput.TIMEOUT, ConnStep.RETRY);
        put(ConnState.ESTABLISHED, ConnInput.REJ, ConnStep.LOST);
        put(ConnState.ESTABLISHED, ConnInput.REP, ConnStep.RESEND);
        put(ConnState.ESTABLISHED, ConnInput.DREQ, ConnStep.PEER_DISCONNECTS);
        put(ConnState.ESTABLISHED, ConnInput.TIMEOUT, ConnStep.RETRY);
        put(ConnState.DREQ_SENT, ConnInput.DREQ, ConnStep.DISCONNECTED);
        put(ConnState.DREQ_SENT, ConnInput.DREP, ConnStep.DISCONNECTED);
        put(ConnState.DREQ_SENT, ConnInput.TIMEOUT, ConnStep.RETRY);
        put(ConnState.REJ_SENT, ConnInput.REQ, ConnStep.RESEND);
        put(ConnState.REJ_SENT, ConnInput.REP, ConnStep.RESEND);
        put(ConnState.REJ_SENT, ConnInput.RTU, ConnStep.RESEND);
        put(ConnState.REJ_SENT, ConnInput.DREQ, ConnStep.SEND_DREP);
        put(ConnState.REJ_SENT, ConnInput.TIMEOUT, ConnStep.EXPIRE);
        put(ConnState.TIMEWAIT, ConnInput.DREQ, ConnStep.SEND_DREP);
        put(ConnState.TIMEWAIT, ConnInput.TIMEOUT, ConnStep.EXPIRE);
        put(ConnState.SIDR_REQ_SENT, ConnInput.SIDR_REP, ConnStep.SIDR_ARRIVED);
        put(ConnState.SIDR_REQ_SENT, ConnInput.TIMEOUT, ConnStep.RETRY);
        put(ConnState.SIDR_REP_SENT, ConnInput.SIDR_REQ, ConnStep.RESEND);
        put(ConnState.SIDR_REP_SENT, ConnInput.TIMEOUT, ConnStep.EXPIRE);
    }

    private ConnTable() {}

    private static void put(final ConnState state, final ConnInput input, final ConnStep step) {
        STEPS[state.ordinal()][input.ordinal()] = step;
    }

    static ConnStep step(final ConnState state, final ConnInput input) {
        return STEPS[state.ordinal()][input.ordinal()];
    }
}
