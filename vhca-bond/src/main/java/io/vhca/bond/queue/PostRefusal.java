package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;
import java.util.Locale;

/**
 * Says which field of a request that was refused is wrong and what to do about it: read from the request once more, so
 * that posting has nothing to remember. Inside the queue's gate.
 */
final class PostRefusal {
    private PostRefusal() {}

    /** Of a request that was refused with EINVAL or EOPNOTSUPP while sends are taken. */
    static String ofSend(final long wr, final int error, final int maxSge, final int maxInline) {
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final int flags = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        if (error == -Errno.EOPNOTSUPP) {
            return "opcode is " + WrOpcode.fromCode(opcode) + " (" + opcode + "), which this queue pair does not"
                    + " carry; post another, or where it is an atomic take members that all execute atomics";
        }
        if (Integer.compareUnsigned(numSge, maxSge) > 0) {
            return elements(numSge, maxSge, "max_send_sge");
        }
        if (SendOpcodes.isAtomic(opcode) && numSge != 1) {
            return "num_sge is " + numSge + ", an atomic brings its result back into exactly 1 element; give it one";
        }
        if ((flags & SendFlags.INLINE) != 0 && opcode == WrOpcode.RDMA_READ.code()) {
            return "send_flags has INLINE, and an RDMA_READ brings bytes into registered memory; post it without";
        }
        if ((flags & SendFlags.INLINE) != 0 && inlineBytes(wr, numSge) > maxInline) {
            return "send_flags has INLINE and the elements have " + inlineBytes(wr, numSge) + " bytes, the queue pair"
                    + " holds " + maxInline + " (max_inline_data); post it without INLINE, or create the queue pair"
                    + " with more";
        }
        return String.format(
                Locale.ROOT,
                "ud.ah is 0x%x, which is no open address handle of the queue pair's protection domain; create one",
                NativeMemory.getLong(wr + SendWrDescriptor.UD_AH_OFFSET));
    }

    /** Of a receive that was refused with EINVAL while receives are taken. */
    static String ofRecv(final long wr, final int maxSge) {
        return elements(NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET), maxSge, "max_recv_sge");
    }

    private static String elements(final int numSge, final int maxSge, final String limit) {
        return "num_sge is " + numSge + ", the queue was created for 0 .. " + maxSge + " (" + limit
                + "); use fewer elements, or create it with more";
    }

    private static long inlineBytes(final long wr, final int numSge) {
        final long sges = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        long total = 0;
        for (int i = 0; i < numSge; i++) {
            total += Integer.toUnsignedLong(SgeDescriptor.length(sges + (long) i * SgeDescriptor.SIZE));
        }
        return total;
    }
}
