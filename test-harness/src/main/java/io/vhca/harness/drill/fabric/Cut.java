package io.vhca.harness.drill.fabric;

/**
 * One planned cut of the link in use.
 *
 * @param index      0 and up
 * @param atBytes    when so many bytes of the file were acknowledged
 * @param healBytes  heal when so many more were acknowledged after the failover
 * @param atReceiver on the receiver's side, else on the sender's
 */
public record Cut(int index, long atBytes, long healBytes, boolean atReceiver) {}
