package io.vhca.recovery.wire;

import org.jspecify.annotations.Nullable;

/** What a record in CM private data is; the u8 after the version. */
public enum RecordType {
    /** First REQ of a vQP: a {@link ConnectHeader}, then the application's private data. */
    FIRST(1),
    /** REQ that recovers a vQP: a {@link SessionRecord}. */
    RECOVER(2),
    /** REQ that says a graceful close: a {@link SessionRecord}, answered by REJ {@link RejectCode#CLOSED_ACK}. */
    CLOSE(3),
    /** REQ for a QP that modifyQp alone brought up: a {@link SessionRecord}. */
    OOB(4),
    /** First REQ of the control connection between two bonds: a {@link ConnectHeader}. */
    CONTROL(5),
    /** REP to any of the above: a {@link ReplyRecord}. */
    REPLY(6),
    /** REJ: a {@link RejectRecord}. */
    REJECT(7),
    /** REQ that asks whether a path carries: a {@link ConnectHeader}, answered by REJ {@link RejectCode#PROBE_ACK}. */
    PROBE(8),
    /** Where a vQP for datagrams lives, told in a REQ and in the REJ that answers it: a {@link DatagramRecord}. */
    DATAGRAM(9),
    /** REQ for the connection that stands by for a vQP: a {@link SessionRecord}, answered by a {@link ReplyRecord}. */
    STANDBY(10),
    /** REQ for what the bonds recover by over a path: a {@link SessionRecord} of a vQP, answered likewise. */
    CHANNEL(11);

    private static final @Nullable RecordType[] BY_CODE = new RecordType[11 + 1];

    static {
        for (final RecordType value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    RecordType(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable RecordType fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
