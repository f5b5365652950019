package io.vhca.api;

/** Opcode of a send work request ({@code enum ibv_wr_opcode}, ibv_post_send(3)). */
public enum WrOpcode {
    /** RDMA WRITE. */
    RDMA_WRITE(0),
    /** RDMA WRITE that consumes a receive and carries immediate data. */
    RDMA_WRITE_WITH_IMM(1),
    /** SEND. */
    SEND(2),
    /** SEND with immediate data. */
    SEND_WITH_IMM(3),
    /** RDMA READ. */
    RDMA_READ(4),
    /** Atomic compare and swap of 8 bytes. */
    ATOMIC_CMP_AND_SWP(5),
    /** Atomic fetch and add of 8 bytes. */
    ATOMIC_FETCH_AND_ADD(6),
    /** Invalidate a local key. */
    LOCAL_INV(7),
    /** Bind a memory window. */
    BIND_MW(8),
    /** SEND that invalidates a remote key. */
    SEND_WITH_INV(9),
    /** Segmented send (UD, raw). */
    TSO(10),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private static final WrOpcode[] BY_CODE = new WrOpcode[10 + 1];

    static {
        for (final WrOpcode value : values()) {
            if (value.code >= 0) {
                if (BY_CODE[value.code] != null) {
                    throw new ExceptionInInitializerError("code used twice: " + value);
                }
                BY_CODE[value.code] = value;
            }
        }
    }

    private final int code;

    WrOpcode(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static WrOpcode fromCode(final int code) {
        final WrOpcode value = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return value != null ? value : UNKNOWN;
    }

    /**
     * True for the opcodes that consume a receive at the responder: SEND, SEND_WITH_IMM, SEND_WITH_INV, WRITE_WITH_IMM.
     */
    public static boolean consumesReceive(final int code) {
        return code == 2 || code == 3 || code == 9 || code == 1;
    }
}
