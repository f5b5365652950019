package io.vhca.api;

/** Flags of a work completion ({@code enum ibv_wc_flags}). */
public final class WcFlags {
    /** A GRH is present in the first {@link #GRH_BYTES} bytes of the buffer (UD). */
    public static final int GRH = 1;

    /** What UD writes before a message that was received, filled or not ({@code sizeof(struct ibv_grh)}). */
    public static final int GRH_BYTES = 40;

    /** {@code imm_data} is valid. */
    public static final int WITH_IMM = 1 << 1;

    /** The checksum was verified. */
    public static final int IP_CSUM_OK = 1 << 2;

    /** {@code invalidated_rkey} is valid. */
    public static final int WITH_INV = 1 << 3;

    private WcFlags() {}
}
