package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/** What a {@link JournalEvent} tells. */
public enum JournalKind {
    /** The state changed. */
    TRANSITION(1),
    /** A fact arrived that cannot happen in the state. */
    DEFECT(2),
    /** A path failed, in use or while connecting. */
    PATH_FAILED(3),
    /** The drain ended at its bound and not at the marker. */
    DRAIN_EXPIRED(4),
    /** A REQ was rejected by us; the note names the code. */
    REJECT_SENT(5),
    /** Our REQ was rejected; the note names the code. */
    REJECT_RECEIVED(6),
    /** The peer's counts were applied. */
    NEGOTIATED(7),
    /** The vQP failed; the note names the error. */
    FAILURE(8),
    /** Anything else worth reading later; the note says it. */
    NOTE(9),
    /** Something changed about a member of the bond; the note says what, and there is no vQP. */
    MEMBER(10);

    private static final @Nullable JournalKind[] BY_CODE = new JournalKind[10 + 1];

    static {
        for (final JournalKind value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    JournalKind(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable JournalKind fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
