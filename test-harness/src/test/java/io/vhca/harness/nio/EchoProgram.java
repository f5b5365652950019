package io.vhca.harness.nio;

import java.net.InetSocketAddress;
import java.util.function.IntConsumer;

/** A server that sends back what it gets, and a client that numbers what it sends, by a library that knows only UDP. */
interface EchoProgram {
    /** Datagrams that are on their way at once. */
    int WINDOW = 16;

    /**
     * Ends when all have come back.
     *
     * @param onEcho hears the number of each datagram that comes back, in the order in which they do
     */
    void run(InetSocketAddress server, InetSocketAddress client, int count, IntConsumer onEcho) throws Exception;
}
