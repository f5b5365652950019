package io.vhca.physical.soft.engine.queue;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WrOpcode;

/** The send queue of a queue pair; its slots are laid out by {@link SendWqeDescriptor}. */
public final class SendQueue extends WorkQueue {
    private static final int RC_OPCODES = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code()
            | 1 << WrOpcode.ATOMIC_CMP_AND_SWP.code()
            | 1 << WrOpcode.ATOMIC_FETCH_AND_ADD.code();
    private static final int UD_OPCODES = 1 << WrOpcode.SEND.code() | 1 << WrOpcode.SEND_WITH_IMM.code();
    private static final int NOT_INLINE = 1 << WrOpcode.RDMA_READ.code()
            | 1 << WrOpcode.ATOMIC_CMP_AND_SWP.code()
            | 1 << WrOpcode.ATOMIC_FETCH_AND_ADD.code();

    private final int maxInline;
    private final int opcodes;
    private final boolean isAllSignaled;

    /** An empty queue for a queue pair with these capabilities. */
    public SendQueue(final QpCapabilities cap, final boolean isDatagram, final boolean isAllSignaled) {
        super(cap.maxSendWr(), cap.maxSendSge(), SendWqeDescriptor.bytes(cap.maxSendSge(), cap.maxInlineData()));
        maxInline = cap.maxInlineData();
        opcodes = isDatagram ? UD_OPCODES : RC_OPCODES;
        this.isAllSignaled = isAllSignaled;
    }

    /** True when the request completes even where it succeeds. */
    public boolean isSignaled(final long wqe) {
        return isAllSignaled || SendWqeDescriptor.hasFlag(wqe, SendFlags.SIGNALED);
    }

    @Override
    int write(final long wr, final long wqe) {
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        if (opcode < 0 || opcode >= Integer.SIZE) {
            return -Errno.EINVAL;
        }
        if ((opcodes & 1 << opcode) == 0) {
            return -Errno.EOPNOTSUPP;
        }
        final int numSge = NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET);
        final boolean isInline =
                (NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET) & SendFlags.INLINE) != 0;
        if (numSge < 0 || !isInline && numSge > maxSge() || isInline && (NOT_INLINE & 1 << opcode) != 0) {
            return -Errno.EINVAL;
        }
        final long list = NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET);
        final long length = length(list, numSge);
        if (isInline) {
            if (length > maxInline) {
                return -Errno.EINVAL;
            }
            copyInline(wqe, list, numSge);
        } else if (numSge > 0) {
            NativeMemory.copy(list, wqe + SendWqeDescriptor.DATA_OFFSET, (long) numSge * SgeDescriptor.SIZE);
        }
        NativeMemory.copy(wr, wqe, SendWqeDescriptor.WR_BYTES);
        SendWqeDescriptor.length(wqe, length);
        return 0;
    }

    private static void copyInline(final long wqe, final long list, final int numSge) {
        long to = wqe + SendWqeDescriptor.DATA_OFFSET;
        for (int i = 0; i < numSge; i++) {
            final long sge = list + (long) i * SgeDescriptor.SIZE;
            final int lengthBytes = SgeDescriptor.length(sge);
            NativeMemory.copy(SgeDescriptor.addr(sge), to, lengthBytes);
            to += lengthBytes;
        }
    }
}
