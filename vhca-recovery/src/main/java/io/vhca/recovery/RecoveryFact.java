package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/** The facts that a {@link RecoveryMachine} can be told. */
public enum RecoveryFact {
    /** The QP shall be connected without a first exchange of the application's. */
    START(0),
    /** The path in use failed, or a planned move wants another. */
    PATH_FAILURE(1),
    /** The old pQP is in ERR, or gone with its context. */
    FENCED(2),
    /** The drain ended; the counts are frozen. */
    DRAINED(3),
    /** A REQ for this vQP arrived. */
    REQUEST(4),
    /** The REP to our REQ arrived. */
    REPLY(5),
    /** Our REQ was rejected. */
    REJECTED(6),
    /** The connection attempt failed without an answer. */
    CONNECT_FAILED(7),
    /** The connection is established. */
    ESTABLISHED(8),
    /** Everything to replay has been posted. */
    REPLAYED(9),
    /** A member became usable. */
    PATH_UP(10),
    /** The application disconnects. */
    APPLICATION_CLOSE(11),
    /** A deadline of the state has passed. */
    TIMER(12),
    /**
     * The vQP went to error for a reason outside recovery: the application's own error, or one that the bond cannot
     * judge.
     */
    VQP_ERROR(13);

    private static final @Nullable RecoveryFact[] BY_CODE = new RecoveryFact[13 + 1];

    static {
        for (final RecoveryFact value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    RecoveryFact(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable RecoveryFact fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
