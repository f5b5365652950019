package io.vhca.api;

/** How atomic a device's atomics are ({@code enum ibv_atomic_cap}). */
public enum AtomicCapability {
    /** No atomics. */
    NONE(0),
    /** Atomic among the QPs of this device. */
    HCA(1),
    /** Atomic also against the CPU and other devices. */
    GLOB(2),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final AtomicCapability[] BY_CODE = new AtomicCapability[2 + 1];

    static {
        for (final AtomicCapability value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    AtomicCapability(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static AtomicCapability fromCode(final int code) {
        final AtomicCapability value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
