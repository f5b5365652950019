package io.vhca.recovery;

/**
 * What the peer says of the sends of a vQP, frozen after its fence.
 *
 * @param received messages consumed since the vQP was born
 * @param ledger   the ledger word: every WR with a sequence below it was executed; 0 where no mark was ever written
 */
public record PeerCounts(long received, long ledger) {}
