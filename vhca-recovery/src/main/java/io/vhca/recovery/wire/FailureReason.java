package io.vhca.recovery.wire;

import org.jspecify.annotations.Nullable;

/** How a path failure was detected. */
public enum FailureReason {
    /** No failure. */
    NONE(0),
    /** The transport retry counter ran out: no answer from the peer. */
    RETRY_EXC(1),
    /** A local QP or transmit error while the port was not active. */
    LOCAL_QP_ERROR(2),
    /** The member's port went down. */
    PORT_ERR(3),
    /** The member's device reported a fatal error. */
    DEVICE_FATAL(4),
    /** The member's device was removed. */
    DEVICE_REMOVAL(5),
    /** The member lost its address. */
    ADDRESS_LOST(6),
    /** The connection manager reported a disconnect that nobody asked for. */
    CM_DISCONNECTED(7),
    /** The peer's bond asked for recovery: it saw the failure first. */
    PEER_REQUEST(8),
    /** The peer's heartbeat stayed away. */
    HEARTBEAT(9),
    /** No completion at all for too long. */
    WATCHDOG(10),
    /** A connection attempt got no answer in time. */
    CONNECT_TIMEOUT(11),
    /** A connection attempt failed at once (address, route, or the CM said no). */
    CONNECT_FAILED(12),
    /** The peer was answered and never confirmed. */
    ESTABLISH_TIMEOUT(13),
    /** A planned move: nothing failed. */
    PLANNED(14),
    /** The application brought the QP up by modifyQp alone: its first connection. */
    FIRST_CONNECT(15),
    /** A reason that this version does not know. */
    UNKNOWN(16);

    private static final @Nullable FailureReason[] BY_CODE = new FailureReason[16 + 1];

    static {
        for (final FailureReason value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    FailureReason(final int code) {
        this.code = code;
    }

    /**
     * Whether the path is suspect for a while: whatever failed on its own. A port that was down counts as well, or the
     * bond would choose its ends again, crosswise, the moment it is up.
     */
    public boolean blamesPath() {
        return switch (this) {
            case NONE, PEER_REQUEST, PLANNED, FIRST_CONNECT -> false;
            default -> true;
        };
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where this version knows none. */
    public static FailureReason fromCode(final int code) {
        final FailureReason value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
