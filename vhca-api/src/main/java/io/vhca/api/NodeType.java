package io.vhca.api;

/** Kind of node ({@code enum ibv_node_type}). */
public enum NodeType {
    /** Channel adapter. */
    CA(1),
    /** Switch. */
    SWITCH(2),
    /** Router. */
    ROUTER(3),
    /** iWARP RNIC. */
    RNIC(4),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final NodeType[] BY_CODE = new NodeType[4 + 1];

    static {
        for (final NodeType value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    NodeType(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static NodeType fromCode(final int code) {
        final NodeType value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
