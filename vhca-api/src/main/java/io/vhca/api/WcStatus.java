package io.vhca.api;

/** Status of a work completion ({@code enum ibv_wc_status}, ibv_poll_cq(3)). */
public enum WcStatus {
    /** The operation completed. */
    SUCCESS(0),
    /** A message did not fit: the receive buffer is too small, or the message exceeds the limit. */
    LOC_LEN_ERR(1),
    /** The local QP found an internal inconsistency while processing the request. */
    LOC_QP_OP_ERR(2),
    /** Local EE context operation error (RD only). */
    LOC_EEC_OP_ERR(3),
    /** A local buffer is not covered by its lkey with the access needed. */
    LOC_PROT_ERR(4),
    /** The QP was in the error state; the work request was not executed to the end. */
    WR_FLUSH_ERR(5),
    /** A memory window could not be bound. */
    MW_BIND_ERR(6),
    /** An unexpected transport opcode arrived as response. */
    BAD_RESP_ERR(7),
    /** A protection error hit a local buffer during an RDMA write with immediate. */
    LOC_ACCESS_ERR(8),
    /** The responder found the request malformed or not allowed on its QP. */
    REM_INV_REQ_ERR(9),
    /** The responder's memory is not covered by the rkey with the access needed. */
    REM_ACCESS_ERR(10),
    /** The responder could not complete the operation. */
    REM_OP_ERR(11),
    /** The transport retry counter ran out: no answer from the peer. */
    RETRY_EXC_ERR(12),
    /** The receiver-not-ready retry counter ran out. */
    RNR_RETRY_EXC_ERR(13),
    /** Local RDD violation (RD only). */
    LOC_RDD_VIOL_ERR(14),
    /** Remote invalid RD request (RD only). */
    REM_INV_RD_REQ_ERR(15),
    /** The operation was aborted by the remote side. */
    REM_ABORT_ERR(16),
    /** Invalid EE context number (RD only). */
    INV_EECN_ERR(17),
    /** Invalid EE context state (RD only). */
    INV_EEC_STATE_ERR(18),
    /** Fatal error: nothing is known of the operation's outcome. */
    FATAL_ERR(19),
    /** The response timed out. */
    RESP_TIMEOUT_ERR(20),
    /** Another error; {@code vendor_err} tells. */
    GENERAL_ERR(21),
    /** Tag matching error. */
    TM_ERR(22),
    /** A tag matching rendezvous is incomplete. */
    TM_RNDV_INCOMPLETE(23),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final WcStatus[] BY_CODE = new WcStatus[23 + 1];

    static {
        for (final WcStatus value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    WcStatus(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static WcStatus fromCode(final int code) {
        final WcStatus value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
