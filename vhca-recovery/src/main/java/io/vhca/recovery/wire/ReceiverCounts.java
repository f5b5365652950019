package io.vhca.recovery.wire;

import org.jspecify.annotations.Nullable;

/**
 * What one end of a vQP has executed of the other end's sends.
 *
 * @param received messages consumed since the vQP was born, not negative
 * @param ledger   the ledger word: every WR with a sequence below it was executed; 0 where no mark was ever written
 */
public record ReceiverCounts(long received, long ledger) {
    /** {@link #received}, or -1 where counts are not known. */
    public static long received(final @Nullable ReceiverCounts counts) {
        return counts == null ? -1 : counts.received;
    }
}
