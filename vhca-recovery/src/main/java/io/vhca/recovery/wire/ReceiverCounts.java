package io.vhca.recovery.wire;

/**
 * What one end of a vQP has executed of the other end's sends.
 *
 * @param received messages consumed since the vQP was born, not negative
 * @param ledger   the ledger word: every WR with a sequence below it was executed; 0 where no mark was ever written
 */
public record ReceiverCounts(long received, long ledger) {}
