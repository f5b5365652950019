package io.vhca.bond.queue;

import io.vhca.api.Errno;
import io.vhca.api.WrOpcode;

/** What a virtual send queue knows of opcodes: sets of them, a bit each at the place of the opcode's code. */
public final class SendOpcodes {
    /** Carried at all; what is missing is refused at the post. */
    static final int SUPPORTED = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code();

    /** Carried where the members, or the peer's bond, execute them. */
    static final int ATOMICS = 1 << WrOpcode.ATOMIC_CMP_AND_SWP.code() | 1 << WrOpcode.ATOMIC_FETCH_AND_ADD.code();

    /** Those that bring something back: only the answer proves them done. */
    static final int ANSWERED = ATOMICS | 1 << WrOpcode.RDMA_READ.code();

    /** Those that name memory of the peer's. */
    static final int RDMA = 1 << WrOpcode.RDMA_WRITE.code()
            | 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.RDMA_READ.code();

    /** Those that consume a receive of the peer's. */
    static final int MESSAGES = 1 << WrOpcode.RDMA_WRITE_WITH_IMM.code()
            | 1 << WrOpcode.SEND.code()
            | 1 << WrOpcode.SEND_WITH_IMM.code();

    /** Those that change the peer's memory and consume no receive: only a mark tells whether they were executed. */
    static final int LEDGERED = ATOMICS | 1 << WrOpcode.RDMA_WRITE.code();

    /** num_sge and opcode, as the 64-bit word that they are in a request: a SEND of one element. */
    static final long SEND_OF_ONE = (long) WrOpcode.SEND.code() << Integer.SIZE | 1;

    /** What a SEND_WITH_IMM has there besides. */
    static final long WITH_IMM = (long) (WrOpcode.SEND.code() ^ WrOpcode.SEND_WITH_IMM.code()) << Integer.SIZE;

    private SendOpcodes() {}

    public static boolean isAtomic(final int opcode) {
        return (opcode & ~31) == 0 && (ATOMICS & 1 << opcode) != 0;
    }

    /** Why a request is not taken that could be posted now; the order is that of what the caller can do about it. */
    static int refusal(final int opcode, final int numSge, final int maxSge) {
        if ((opcode & ~31) != 0 || (SUPPORTED & 1 << opcode) == 0) {
            return -Errno.EOPNOTSUPP;
        }
        return Integer.compareUnsigned(numSge, maxSge) > 0 ? -Errno.EINVAL : -Errno.ENOMEM;
    }
}
