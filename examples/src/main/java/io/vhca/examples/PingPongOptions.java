package io.vhca.examples;

/**
 * What both ends of a ping-pong agree on.
 *
 * @param sizeBytes  of a message
 * @param iterations messages each way
 * @param rxDepth    receives kept posted
 * @param mtuBytes   path MTU, 0 for the port's
 * @param events     sleep on completion events instead of polling
 * @param check      verify every byte
 * @param datagram   over UD instead of RC
 */
record PingPongOptions(int sizeBytes, int iterations, int rxDepth, int mtuBytes, boolean events, boolean check,
        boolean datagram) {}
