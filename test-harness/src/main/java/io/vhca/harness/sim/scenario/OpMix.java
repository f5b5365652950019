package io.vhca.harness.sim.scenario;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import java.util.SplittableRandom;

/** Which operations one direction of a connection is made of, a name as often as it is to be drawn. */
public enum OpMix {
    SENDS(WrOpcode.SEND),
    MESSAGES(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM),
    MESSAGES_AND_ONE_SIDED(
            WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE,
            WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.RDMA_READ),
    MOSTLY_ONE_SIDED(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.SEND),
    WITH_ATOMICS(
            WrOpcode.ATOMIC_FETCH_AND_ADD, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.RDMA_WRITE, WrOpcode.SEND,
            WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE_WITH_IMM);

    private final WrOpcode[] opcodes;

    OpMix(final WrOpcode... opcodes) {
        this.opcodes = opcodes;
    }

    static OpMix draw(final SplittableRandom random) {
        return values()[random.nextInt(values().length)];
    }

    WrOpcode opcode(final SplittableRandom random) {
        return opcodes[random.nextInt(opcodes.length)];
    }

    public static boolean addressesRegion(final WrOpcode opcode) {
        return opcode == WrOpcode.RDMA_WRITE || opcode == WrOpcode.RDMA_WRITE_WITH_IMM || opcode == WrOpcode.RDMA_READ;
    }

    public static boolean isAtomic(final WrOpcode opcode) {
        return opcode == WrOpcode.ATOMIC_FETCH_AND_ADD || opcode == WrOpcode.ATOMIC_CMP_AND_SWP;
    }

    static int flags(
            final SplittableRandom random, final WrOpcode opcode, final boolean isSignaled, final boolean mayInline) {
        final boolean isInline = random.nextBoolean() && mayInline && opcode != WrOpcode.RDMA_READ && !isAtomic(opcode);
        final boolean isFenced = random.nextInt(16) == 0;
        final boolean isSolicited = random.nextInt(8) == 0;
        return (isSignaled ? SendFlags.SIGNALED : 0)
                | (isInline ? SendFlags.INLINE : 0)
                | (isFenced ? SendFlags.FENCE : 0)
                | (isSolicited ? SendFlags.SOLICITED : 0);
    }
}
