package io.vhca.api;

/** Flags of a send work request ({@code enum ibv_send_flags}, ibv_post_send(3)). */
public final class SendFlags {
    /** Wait for earlier READs and atomics. */
    public static final int FENCE = 1;

    /** Generate a completion. */
    public static final int SIGNALED = 1 << 1;

    /** Raise a solicited event at the receiver. */
    public static final int SOLICITED = 1 << 2;

    /** Copy the data at post: the buffers may be reused at once and need no lkey. */
    public static final int INLINE = 1 << 3;

    /** Offload the checksum. */
    public static final int IP_CSUM = 1 << 4;

    private SendFlags() {}
}
