package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/** States of a vQP's recovery; see {@link RecoveryTransitions} for what each fact does in each. */
public enum RecoveryState {
    /** Not connected yet: before the first connection of the vQP. */
    IDLE(0),
    /** Healthy: the gate is open. */
    CONNECTED(1),
    /** The gate is closed; the old pQP is being moved to ERR. */
    FENCING(2),
    /** Polling until every posted WR of the old pQP has come back, bounded by a timer. */
    DRAINING(3),
    /** Our REQ is out; the counts are frozen. */
    CONNECTING(4),
    /** The peer's REQ was answered; waiting for its confirmation. */
    ANSWERED(5),
    /** The counts were exchanged; the rest is being posted again over the new pQP. */
    REPLAYING(6),
    /** No path left to try, or yielded to the peer: waiting for the back-off, a path, or the peer's REQ. */
    WAITING(7),
    /** Our CLOSE record is out; waiting for the acknowledgement, bounded. */
    CLOSING(8),
    /** Closed by either application. Terminal. */
    CLOSED(9),
    /** Failed with a {@link BondError}. Terminal. */
    FAILED(10);

    private static final @Nullable RecoveryState[] BY_CODE = new RecoveryState[10 + 1];

    static {
        for (final RecoveryState value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    RecoveryState(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** Whether that state may follow this one directly. */
    boolean mayBecome(final RecoveryState next) {
        return RecoveryTransitions.allowed(this, next);
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable RecoveryState fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
