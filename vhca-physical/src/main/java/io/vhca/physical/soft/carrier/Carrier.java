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

    /**
     * How often the link's other end has paused this one (priority pause, IEEE 802.1Qbb), as far as the carrier hears
     * of it: what is sent waits then, and nothing is lost.
     */
    default long pauses() {
        return 0;
    }

    /** True when the carrier can send there at all; says nothing about whether somebody is there. Any thread. */
    boolean reaches(Gid destination);

    /**
     * Takes a token for {@link #send}, dense and small; the same destination gives the same token. It leads there until
     * it is given back by {@link #release} as often as it was taken. Control path.
     *
     * @return the token, or -ENETUNREACH for a destination that cannot be sent to, or -ENOMEM when all are in use
     */
    int route(Destination destination);

    /** The same for packets without special wishes. */
    default int route(final Gid destination) {
        return route(Destination.of(destination));
    }

    /** Gives a token back. What was sent by it before still goes where it led. */
    void release(int route);

    /**
     * The device at that destination is known to be one that sends from that UDP port: a packet of a connection was
     * accepted that came from there.
     *
     * @param takesFilled that packet says so ({@link io.vhca.physical.soft.wire.FillDescriptor})
     */
    default void heard(final int route, final int sourcePort, final boolean takesFilled) {}

    /**
     * Where the next packet may be built, so that {@link #send} need not copy it: {@link #maxPacketBytes} bytes, the
     * caller's until its next call of this carrier, or 0 where there is no such place.
     */
    default long place() {
        return 0;
    }

    /**
     * Sends a copy of the packet, or the packet itself where it lies at {@link #place}, possibly only at
     * {@link #flush}.
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
         * @param sourceHigh   high half of the sender's GID
         * @param sourceLow    low half of the sender's GID
         * @param sourcePort   UDP source port
         * @param trafficClass of the IP header, 0 where the carrier was not asked to look
         */
        void onPacket(
                long sourceHigh, long sourceLow, int sourcePort, int trafficClass, long packetAddress,
                int lengthBytes);
    }
}
