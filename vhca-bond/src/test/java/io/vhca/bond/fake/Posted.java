package io.vhca.bond.fake;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import java.util.ArrayList;
import java.util.List;

/**
 * A work request that a fake device was given, by value. Inline data is copied when it is posted, all else when it is
 * executed.
 */
public record Posted(long wrId, int opcode, int flags, int immData, Target target, List<Part> parts) {
    /** What a request names at the peer; the words of the union of {@code ibv_send_wr} that its opcode uses. */
    public record Target(long address, int rkey, long compareAdd, long swap, long ah, int qpNum, int qkey) {}

    /** A scatter/gather element, or inline data. */
    public record Part(long address, int length, int lkey, byte[] inline) {}

    private static final byte[] NONE = new byte[0];

    static Posted send(final long wr) {
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        final int flags = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        final boolean isAtomic = opcode == WrOpcode.ATOMIC_CMP_AND_SWP.code()
                || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code();
        return new Posted(
                NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET),
                opcode,
                flags,
                NativeMemory.getInt(wr + SendWrDescriptor.IMM_DATA_OFFSET),
                new Target(
                        NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET),
                        NativeMemory.getInt(wr + (isAtomic
                                ? SendWrDescriptor.ATOMIC_RKEY_OFFSET
                                : SendWrDescriptor.RDMA_RKEY_OFFSET)),
                        NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_COMPARE_ADD_OFFSET),
                        NativeMemory.getLong(wr + SendWrDescriptor.ATOMIC_SWAP_OFFSET),
                        NativeMemory.getLong(wr + SendWrDescriptor.UD_AH_OFFSET),
                        NativeMemory.getInt(wr + SendWrDescriptor.UD_REMOTE_QPN_OFFSET),
                        NativeMemory.getInt(wr + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET)),
                parts(
                        NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET),
                        NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET),
                        (flags & SendFlags.INLINE) != 0));
    }

    static Posted receive(final long wr) {
        return new Posted(
                NativeMemory.getLong(wr + RecvWrDescriptor.WR_ID_OFFSET), 0, 0, 0, new Target(0, 0, 0, 0, 0, 0, 0),
                parts(
                        NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET),
                        NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET),
                        false));
    }

    private static List<Part> parts(final long sges, final int count, final boolean isInline) {
        final List<Part> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long at = sges + (long) i * SgeDescriptor.SIZE;
            final long address = SgeDescriptor.addr(at);
            final int length = SgeDescriptor.length(at);
            parts.add(new Part(address, length, SgeDescriptor.lkey(at), isInline ? bytes(address, length) : NONE));
        }
        return parts;
    }

    boolean isSignaled() {
        return (flags & SendFlags.SIGNALED) != 0;
    }

    boolean isSolicited() {
        return (flags & SendFlags.SOLICITED) != 0;
    }

    boolean isInline() {
        return (flags & SendFlags.INLINE) != 0;
    }

    int length() {
        return parts.stream().mapToInt(Part::length).sum();
    }

    /** The bytes that it sends. */
    byte[] gather() {
        final byte[] all = new byte[length()];
        int at = 0;
        for (final Part part : parts) {
            final byte[] from = isInline() ? part.inline : bytes(part.address, part.length);
            System.arraycopy(from, 0, all, at, from.length);
            at += from.length;
        }
        return all;
    }

    /** Puts bytes where it says. */
    void scatter(final byte[] bytes) {
        int at = 0;
        for (final Part part : parts) {
            for (int i = 0; i < part.length && at < bytes.length; i++) {
                NativeMemory.putByte(part.address + i, bytes[at++]);
            }
        }
    }

    static byte[] bytes(final long address, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = NativeMemory.getByte(address + i);
        }
        return bytes;
    }
}
