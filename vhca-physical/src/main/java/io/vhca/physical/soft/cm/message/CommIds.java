package io.vhca.physical.soft.cm.message;

/**
 * What a message names its connection by.
 *
 * @param local       the sender's communication id
 * @param remote      the receiver's communication id, 0 while the sender does not know it
 * @param transaction the transaction id, which an answer repeats
 */
public record CommIds(int local, int remote, long transaction) {}
