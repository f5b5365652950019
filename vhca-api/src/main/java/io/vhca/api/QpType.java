package io.vhca.api;

/** Service type of a queue pair ({@code enum ibv_qp_type}). */
public enum QpType {
    /** Reliable connection. */
    RC(2),
    /** Unreliable connection. */
    UC(3),
    /** Unreliable datagram. */
    UD(4),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final QpType[] BY_CODE = new QpType[4 + 1];

    static {
        for (final QpType value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    QpType(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static QpType fromCode(final int code) {
        final QpType value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
