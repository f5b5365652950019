package io.vhca.rdp.engine;

/** What the engine asks of the connections. What takes time is answered later, by a call of {@link Nodes}. */
public interface Transport {
    /** Begins to connect to a node: {@link Nodes#onUp} or {@link Nodes#onDown} follows. */
    void connect(Peer peer);

    /** Ends all connections to a node. When it returns, no buffer of them is posted. {@code onDown} does not follow. */
    void disconnect(Peer peer);

    /**
     * Posts a send, with immediate data where the buffer has it; {@link Arrivals#onSent} follows here, there {@link
     * Arrivals#onReceived} or {@link Arrivals#onImmediate}.
     *
     * @return false where the connection has failed
     */
    boolean send(Peer peer, int lane, Buffer buffer, int messageBytes);

    /**
     * Posts a write of the bytes that the buffer gathers; {@link Arrivals#onSent} follows here, {@link
     * Arrivals#onPlaced} there.
     *
     * @param address where there
     * @param number  immediate data
     * @return false where the connection has failed
     */
    boolean write(Peer peer, int lane, Buffer buffer, long address, int rkey, int number);

    /**
     * Posts a receive; {@link Arrivals#onReceived}, {@code onImmediate} or {@code onPlaced} follows.
     *
     * @return false as for {@link #send}
     */
    boolean receive(Peer peer, int lane, Buffer buffer);
}
