package io.vhca.recovery.wire;

import org.jspecify.annotations.Nullable;

/** Why a REQ was rejected; the code in a {@link RejectRecord}. */
public enum RejectCode {
    /** A code that this version does not know; never sent. */
    UNKNOWN(0),
    /** The REQ's epoch is not newer than ours; ours is in the record, go on with the one after it. */
    STALE_EPOCH(1),
    /** Both sides asked with the same epoch and the peer stays active: wait for its REQ. */
    TIE_YIELD(2),
    /** No vQP here knows the session: the peer restarted. */
    UNKNOWN_SESSION(3),
    /** The vQP exists, the session id or the numbers shown are not its own: forged, or of an earlier life. */
    BAD_SESSION(4),
    /** The record is of a version that is not spoken here. */
    BAD_VERSION(5),
    /** The private data is no valid record. */
    GARBAGE(6),
    /** The peer's application has closed the vQP. */
    CLOSED(7),
    /** The answer to a CLOSE record: everything was handed out, the vQP is closed on both sides. */
    CLOSED_ACK(8),
    /** The peer's application rejected the connection; its private data follows. */
    APPLICATION(9),
    /** The peer could not make the objects needed; trying again later may help. */
    NO_RESOURCES(10),
    /** The peer's vQP has failed for good. */
    FAILED(11),
    /** The answer to a PROBE: the path carries. */
    PROBE_ACK(12),
    /** The REQ carries a proof, and the peer's bond has no key. */
    NO_KEY(13),
    /** The REQ carries no proof, and the peer's bond has a key. */
    KEY_REQUIRED(14),
    /** The proof of the REQ does not hold: of another key, or for another start of the peer's bond. */
    BAD_PROOF(15),
    /** The peer's bond does not know the asking one yet: ask again, signed with the nonce that follows. */
    CHALLENGE(16),
    /** The answer to a PROBE, or a no to what would stand by: an operator keeps vQPs off the member that was asked. */
    DRAINED(17);

    private static final @Nullable RejectCode[] BY_CODE = new RejectCode[17 + 1];

    static {
        for (final RejectCode value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    RejectCode(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** Whether a peer that cannot prove what it says may say it: that bonds' keys are not the same. */
    public boolean isOfKeys() {
        return this == NO_KEY || this == KEY_REQUIRED || this == BAD_PROOF;
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable RejectCode fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
