package io.vhca.recovery;

import org.jspecify.annotations.Nullable;

/** Verdict on foreign bytes; everything but {@link #OK} is counted by the caller and answered with a REJ. */
public enum DecodeResult {
    /** The record is valid and may be decoded. */
    OK(0),
    /** Shorter than the record, or a length inside points outside. */
    BAD_LENGTH(1),
    /** The magic is missing: not a vHCA peer, or garbage. */
    NOT_VHCA(2),
    /** A vHCA record of another version. */
    BAD_VERSION(3),
    /** A vHCA record of a type that does not belong here. */
    BAD_TYPE(4),
    /** A field holds a value that no vHCA peer writes. */
    BAD_FIELD(5);

    private static final @Nullable DecodeResult[] BY_CODE = new DecodeResult[5 + 1];

    static {
        for (final DecodeResult value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;

    DecodeResult(final int code) {
        this.code = code;
    }

    /** The stable code, as it stands on the wire and in the journal. */
    public int code() {
        return code;
    }

    /** The constant for a code, or null where this version knows none. */
    public static @Nullable DecodeResult fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
