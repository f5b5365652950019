package io.vhca.physical.soft.carrier;

import io.vhca.api.Gid;

/**
 * What carries the packets of one soft port: UDP on an interface's address, or the simulated fabric.
 *
 * <p>A packet here is the UDP payload of RoCEv2: BTH up to and including the ICRC, in native memory. Packets may be
 * lost, doubled or reordered; nothing is reported. One thread at a time (the engine's owner); nothing allocates after
 * {@link #route}.
 */
public interface Carrier extends AutoCloseable {
    /** The port's address as a GID. */
    Gid address();

    /** UDP source port of outgoing packets; the ICRC covers it. */
    int sourcePort();

    /** Largest packet in bytes, BTH to ICRC. */
    int maxPacketBytes();

    /** True while the link underneath is up (interface up and running, address still there, port plugged). */
    boolean isUp();

    /** True when the carrier can send there at all; says nothing about whether somebody is there. Any thread. */
    boolean reaches(Gid destination);

    /**
     * Takes a token for {@link #send}, dense and small; the same destination gives the same token. It leads there until
     * it is given back by {@link #release} as often as it was taken. Control path.
     *
     * @return the token, or -ENETUNREACH for a destination that cannot be sent to, or -ENOMEM when all are in use
     */
    int route(Gid destination);

    /** Gives a token back. What was sent by it before still goes where it led. */
    void release(int route);

    /**
     * Sends a copy of the packet, possibly only at {@link #flush}.
     *
     * @return false when it was not taken (link down, buffer full): to the transport a lost packet
     */
    boolean send(int route, long packetAddress, int lengthBytes);

    /** Pushes out what {@link #send} gathered. */
    void flush();

    /**
     * Hands at most {@code limit} received packets to the handler.
     *
     * @return how many there were
     */
    int receive(PacketHandler handler, int limit);

    /** Releases what the carrier holds. Idempotent. */
    @Override
    void close();

    /** Takes a received packet; the memory is valid until the call returns. */
    interface PacketHandler {
        /**
         * @param sourceHigh high half of the sender's GID
         * @param sourceLow  low half of the sender's GID
         * @param sourcePort UDP source port
         */
        void onPacket(long sourceHigh, long sourceLow, int sourcePort, long packetAddress, int lengthBytes);
    }
}
