package io.vhca.api;

/** Path MTU ({@code enum ibv_mtu}). */
public enum Mtu {
    /** 256 bytes. */
    MTU_256(1),
    /** 512 bytes. */
    MTU_512(2),
    /** 1024 bytes. */
    MTU_1024(3),
    /** 2048 bytes. */
    MTU_2048(4),
    /** 4096 bytes. */
    MTU_4096(5),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final Mtu[] BY_CODE = new Mtu[5 + 1];

    static {
        for (final Mtu value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    Mtu(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static Mtu fromCode(final int code) {
        final Mtu value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }

    /** Payload bytes a packet; 0 for {@link #UNKNOWN}. */
    public int bytes() {
        return code < 0 ? 0 : 128 << code;
    }

    /** The largest MTU whose payload is at most {@code bytes}, never below 256. */
    public static Mtu atMost(final int bytes) {
        Mtu best = MTU_256;
        for (final Mtu mtu : values()) {
            if (mtu != UNKNOWN && mtu.bytes() <= bytes) {
                best = mtu;
            }
        }
        return best;
    }
}
