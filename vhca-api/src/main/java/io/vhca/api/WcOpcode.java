package io.vhca.api;

/** What a work completion completes ({@code enum ibv_wc_opcode}); receives have bit 7 set. */
public enum WcOpcode {
    /** A SEND, with or without immediate data. */
    SEND(0),
    /** An RDMA WRITE, with or without immediate data. */
    RDMA_WRITE(1),
    /** An RDMA READ. */
    RDMA_READ(2),
    /** An atomic compare and swap. */
    COMP_SWAP(3),
    /** An atomic fetch and add. */
    FETCH_ADD(4),
    /** A memory window bind. */
    BIND_MW(5),
    /** A local invalidation. */
    LOCAL_INV(6),
    /** A segmented send. */
    TSO(7),
    /** A message arrived in a receive buffer. */
    RECV(128),
    /** An RDMA WRITE with immediate consumed a receive. */
    RECV_RDMA_WITH_IMM(129),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final WcOpcode[] BY_CODE = new WcOpcode[129 + 1];

    static {
        for (final WcOpcode value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    WcOpcode(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static WcOpcode fromCode(final int code) {
        final WcOpcode value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }
}
