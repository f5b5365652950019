package io.vhca.physical.soft.cm.message;

/** Reasons of a REJ, the status of a REJECTED event (vol. 1, section 12.6.7.2, {@code enum ib_cm_rej_reason}). */
public final class RejectReason {
    public static final int NO_RESOURCES = 3;
    /** The sender got no answer in time. */
    public static final int TIMEOUT = 4;
    public static final int UNSUPPORTED_REQUEST = 5;
    public static final int INVALID_COMM_ID = 6;
    /** No id listens on that port. */
    public static final int INVALID_SERVICE_ID = 8;
    public static final int STALE_CONNECTION = 10;
    public static final int INVALID_PATH_MTU = 26;
    /** The application said no; its private data came along. */
    public static final int CONSUMER_DEFINED = 28;

    private RejectReason() {}
}
