package io.vhca.api;

/** Link layer of a port ({@code IBV_LINK_LAYER_*}). */
public enum LinkLayer {
    /** Not told. */
    UNSPECIFIED(0),
    /** InfiniBand. */
    INFINIBAND(1),
    /** Ethernet (RoCE). */
    ETHERNET(2),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final LinkLayer[] BY_CODE = new LinkLayer[2 + 1];

    static {
        for (final LinkLayer value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    LinkLayer(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static LinkLayer fromCode(final int code) {
        final LinkLayer value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
