package io.vhca.harness.sim.scenario;

import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Draws;
import java.util.SplittableRandom;

/** Draws single operations: which verb, how long, which flags. */
public final class OpMix {
    private static final WrOpcode[][] MIXES = {
        {WrOpcode.SEND},
        {WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM},
        {
            WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE,
            WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.RDMA_READ
        },
        {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.SEND},
        {
            WrOpcode.ATOMIC_FETCH_AND_ADD, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.RDMA_WRITE, WrOpcode.SEND,
            WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE_WITH_IMM
        }
    };
    private static final int LONGEST_IN_PACKETS = 4;

    private OpMix() {}

    /** How many mixes there are. */
    static int mixes() {
        return MIXES.length;
    }

    static WrOpcode opcode(final SplittableRandom random, final int mix) {
        return MIXES[mix][random.nextInt(MIXES[mix].length)];
    }

    public static boolean addressesRegion(final WrOpcode opcode) {
        return opcode == WrOpcode.RDMA_WRITE || opcode == WrOpcode.RDMA_WRITE_WITH_IMM || opcode == WrOpcode.RDMA_READ;
    }

    public static boolean isAtomic(final WrOpcode opcode) {
        return opcode == WrOpcode.ATOMIC_FETCH_AND_ADD || opcode == WrOpcode.ATOMIC_CMP_AND_SWP;
    }

    /**
     * A length in bytes.
     *
     * @param sizes 0 small, 1 around multiples of the MTU, 2 up to several MTU, 3 all of these
     */
    static int length(final SplittableRandom random, final int sizes, final int mtuBytes) {
        final int kind = sizes == 3 ? random.nextInt(3) : sizes;
        return switch (kind) {
            case 0 -> random.nextInt(65);
            case 1 -> random.nextInt(1, LONGEST_IN_PACKETS) * mtuBytes + random.nextInt(-2, 3);
            default -> random.nextInt(LONGEST_IN_PACKETS * mtuBytes + 1);
        };
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
