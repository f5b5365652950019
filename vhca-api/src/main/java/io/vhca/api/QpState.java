package io.vhca.api;

/** State of a queue pair ({@code enum ibv_qp_state}); the legal moves are in {@link QpTransitions}. */
public enum QpState {
    /** Created; nothing can be posted. */
    RESET(0),
    /** Receives can be posted, nothing is processed. */
    INIT(1),
    /** Ready to receive: incoming messages are processed. */
    RTR(2),
    /** Ready to send: everything is processed. */
    RTS(3),
    /** Send queue drained: new sends are accepted but not started. */
    SQD(4),
    /** Send queue error (UC, UD): sends are flushed, receives go on. */
    SQE(5),
    /** Error: everything posted is flushed. */
    ERR(6),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final QpState[] BY_CODE = new QpState[6 + 1];

    static {
        for (final QpState value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    QpState(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static QpState fromCode(final int code) {
        final QpState value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
