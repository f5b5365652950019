package io.vhca.harness.sim.fault;

import io.vhca.api.NativeMemory;

/**
 * What a RoCEv2 packet is, as far as faults care. Source: InfiniBand Architecture Specification vol. 1, sections 9.2
 * and 13.4.
 *
 * <pre>
 *   BTH:  0 opcode   1 flags   2 pkey   4 reserved   5 destination QP   8 ack request   9 PSN   12
 *   UD:   12 DETH   20 MAD (base version, class, ...)   36 attribute id
 * </pre>
 */
public enum PacketKind {
    ACK,
    DATA,
    CM_REQ,
    CM_REP,
    CM_RTU,
    CM_OTHER;

    private static final int OPCODE_OFFSET = 0;
    private static final int DEST_QP_OFFSET = 4;
    private static final int DEST_QP_MASK = 0x00ff_ffff;
    private static final int MAD_OFFSET = 20;
    private static final int ATTRIBUTE_ID_OFFSET = MAD_OFFSET + 16;
    private static final int RC_ACKNOWLEDGE = 0x11;
    private static final int RC_ATOMIC_ACKNOWLEDGE = 0x12;
    private static final int CM_REQ_ATTRIBUTE = 0x0010;
    private static final int CM_REP_ATTRIBUTE = 0x0013;
    private static final int CM_RTU_ATTRIBUTE = 0x0014;

    /** True for messages of the connection manager. */
    public boolean isManagement() {
        return this != ACK && this != DATA;
    }

    static PacketKind of(final long address, final int lengthBytes) {
        final int opcode = NativeMemory.getByte(address + OPCODE_OFFSET) & 0xff;
        if (opcode == RC_ACKNOWLEDGE || opcode == RC_ATOMIC_ACKNOWLEDGE) {
            return ACK;
        }
        final int destQp = Integer.reverseBytes(NativeMemory.getInt(address + DEST_QP_OFFSET)) & DEST_QP_MASK;
        if (destQp != 1 || lengthBytes < ATTRIBUTE_ID_OFFSET + Short.BYTES) {
            return DATA;
        }
        return switch (Short.reverseBytes(NativeMemory.getShort(address + ATTRIBUTE_ID_OFFSET))) {
            case CM_REQ_ATTRIBUTE -> CM_REQ;
            case CM_REP_ATTRIBUTE -> CM_REP;
            case CM_RTU_ATTRIBUTE -> CM_RTU;
            default -> CM_OTHER;
        };
    }
}
