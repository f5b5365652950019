package io.vhca.harness.bench.wire;

/** Unreliable datagrams to and from one peer, each of which begins with a number. One thread. */
interface Datagrams extends AutoCloseable {
    /** Sends one, at the latest by {@link #flush}; false when it is not taken now. */
    boolean send(long number, int bytes);

    /** Nothing that was sent is waiting here any more. */
    void flush();

    /**
     * Hands on what has come.
     *
     * @return how many there were; 0 where there was none
     */
    int receive(Taker taker);

    @Override
    void close();

    /** Takes a datagram; may send. */
    interface Taker {
        void take(long number, int bytes);
    }
}
