package io.vhca.recovery.wire;

/** What became of reading foreign bytes; all but {@link #OK} is counted by the caller and answered with a REJ. */
public enum DecodeResult {
    /** The record is valid and may be decoded. */
    OK,
    /** Shorter than the record, or a length inside points outside. */
    BAD_LENGTH,
    /** The magic is missing: not a vHCA peer, or garbage. */
    NOT_VHCA,
    /** A vHCA record of another version. */
    BAD_VERSION,
    /** A vHCA record of a type that does not belong here. */
    BAD_TYPE,
    /** A field holds a value that no vHCA peer writes. */
    BAD_FIELD
}
