package io.vhca.api;

/** Kind of an asynchronous event ({@code enum ibv_event_type}, ibv_get_async_event(3)). */
public enum AsyncEventType {
    /** The CQ is in error (overrun). */
    CQ_ERR(0),
    /** Error on a QP; it is in the error state. */
    QP_FATAL(1),
    /** Invalid request at a QP's local work queue. */
    QP_REQ_ERR(2),
    /** Access violation at a QP. */
    QP_ACCESS_ERR(3),
    /** Communication on a QP in RTR was established. */
    COMM_EST(4),
    /** A send queue was drained. */
    SQ_DRAINED(5),
    /** A connection migrated to its alternate path. */
    PATH_MIG(6),
    /** A connection failed to migrate. */
    PATH_MIG_ERR(7),
    /** The device is dead. */
    DEVICE_FATAL(8),
    /** A port's link became active. */
    PORT_ACTIVE(9),
    /** A port's link became unavailable. */
    PORT_ERR(10),
    /** A port's LID changed. */
    LID_CHANGE(11),
    /** A port's P_Key table changed. */
    PKEY_CHANGE(12),
    /** The subnet manager changed. */
    SM_CHANGE(13),
    /** Error on an SRQ. */
    SRQ_ERR(14),
    /** An SRQ's limit was reached. */
    SRQ_LIMIT_REACHED(15),
    /** The last WQE of a QP on an SRQ was reached. */
    QP_LAST_WQE_REACHED(16),
    /** The subnet manager asks clients to register anew. */
    CLIENT_REREGISTER(17),
    /** A port's GID table changed. */
    GID_CHANGE(18),
    /** Error on a WQ. */
    WQ_FATAL(19),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final AsyncEventType[] BY_CODE = new AsyncEventType[19 + 1];

    static {
        for (final AsyncEventType value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    AsyncEventType(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static AsyncEventType fromCode(final int code) {
        final AsyncEventType value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
