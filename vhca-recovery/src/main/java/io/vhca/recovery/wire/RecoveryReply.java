package io.vhca.recovery.wire;

/**
 * What the answer to a REQ says to the recovery that asked; a {@link ReplyRecord} carries it.
 *
 * @param session the session answered for
 * @param vQpNum the responder's vQPN
 * @param epoch the epoch answered, unsigned
 * @param counts the responder's, frozen
 */
public record RecoveryReply(SessionId session, int vQpNum, int epoch, ReceiverCounts counts) {}
