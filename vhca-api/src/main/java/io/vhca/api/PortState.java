package io.vhca.api;

/** State of a port ({@code enum ibv_port_state}, ibv_query_port(3)). */
public enum PortState {
    /** No state change. */
    NOP(0),
    /** The link is down. */
    DOWN(1),
    /** Physically up, not configured. */
    INIT(2),
    /** Configured, not active. */
    ARMED(3),
    /** Up: packets flow. */
    ACTIVE(4),
    /** Active, in deferral. */
    ACTIVE_DEFER(5),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final PortState[] BY_CODE = new PortState[5 + 1];

    static {
        for (final PortState value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    PortState(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static PortState fromCode(final int code) {
        final PortState value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
