package io.vhca.recovery;

/**
 * What the recovery machine puts into the answer to a REQ; the bond adds its instance id, its members and whatever else
 * a {@link ReplyRecord} holds.
 *
 * @param session the session answered for
 * @param vQpNum our vQPN
 * @param epoch the epoch answered
 * @param received messages consumed from our vRQ since the vQP was born, frozen
 * @param ledger our ledger word, frozen
 */
public record ReplyFacts(SessionId session, int vQpNum, int epoch, long received, long ledger) {}
