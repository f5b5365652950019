package io.vhca.physical.soft.fabric;

import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;

/**
 * One port of a {@link SimFabric}. The fabric's thread; nothing allocates after {@link #route}.
 *
 * <p>A port that is down takes no packet and loses what reaches it, what waited in it included; a killed port stays so.
 * A port that is paused sends nothing of the priorities that are held: those packets wait, each in a slot of the
 * fabric, and go on in order afterwards.
 */
public final class FabricPort implements Carrier {
    /** All eight priorities, as {@link #pause} takes them. */
    public static final int ALL_PRIORITIES = 0xff;

    private static final int FIRST_SOURCE_PORT = 0xc000;

    private final SimFabric fabric;
    private final int index;
    private final Gid address;
    private final int maxPacketBytes;
    private final int[] ring;
    private int ringHead;
    private int ringCount;
    private long transmitterFreeNs;
    private boolean isTransmitting;
    private boolean isPlugged = true;
    private boolean isUp = true;
    private boolean isDead;
    private boolean hasRoutes = true;
    /** The priorities that are held: a bit each. */
    private int held;

    private long pauses;
    /** The packets that wait for a priority, as {@link SimFabric} links them; -1 where there are none. */
    int firstWaiting = SimFabric.NO_SLOT;

    int lastWaiting = SimFabric.NO_SLOT;

    FabricPort(
            final SimFabric fabric, final int index, final Gid address, final int maxPacketBytes,
            final int ringCapacity) {
        this.fabric = fabric;
        this.index = index;
        this.address = address;
        this.maxPacketBytes = maxPacketBytes;
        ring = new int[ringCapacity];
    }

    /** Index in the fabric, as a {@link FaultModel} sees it. */
    public int index() {
        return index;
    }

    /** Plugs or unplugs the cable. A dead port stays down. */
    public void up(final boolean plugged) {
        isPlugged = plugged;
        look();
    }

    /** Whether addresses can be resolved over it. Without routes it stays up, and takes and sends as before. */
    public void routes(final boolean areThere) {
        hasRoutes = areThere;
    }

    private void look() {
        isUp = isPlugged && !isDead;
        if (!isUp) {
            discardReceived();
            fabric.discardWaiting(this);
        }
    }

    /**
     * The link's other end pauses these priorities, a bit each (IEEE 802.1Qbb): their packets wait. Without effect on
     * what has left.
     */
    public void pause(final int priorities) {
        if ((priorities & ~held) != 0) {
            held |= priorities & ALL_PRIORITIES;
            pauses++;
        }
    }

    /** These priorities go on with the fabric's next {@link SimFabric#doWork}, what waited first. */
    public void resume(final int priorities) {
        held &= ~priorities;
        fabric.resumed();
    }

    /** True while packets of that priority wait. */
    boolean isHeld(final int priority) {
        return (held >>> priority & 1) != 0;
    }

    @Override
    public long pauses() {
        return pauses;
    }

    /** The port is dead, as that of a device that was pulled out or of a process that ended. */
    public void kill() {
        isDead = true;
        look();
    }

    /** A dead port is there again, with its cable in or out as it is now. */
    public void revive() {
        isDead = false;
        look();
    }

    boolean isDead() {
        return isDead;
    }

    /** Packets that wait to be received. */
    public int pending() {
        return ringCount;
    }

    @Override
    public Gid address() {
        return address;
    }

    @Override
    public int sourcePort() {
        return FIRST_SOURCE_PORT + index;
    }

    @Override
    public int maxPacketBytes() {
        return maxPacketBytes;
    }

    @Override
    public boolean isUp() {
        return isUp;
    }

    @Override
    public boolean reaches(final Gid destination) {
        return hasRoutes;
    }

    @Override
    public int route(final Destination destination) {
        return fabric.route(destination);
    }

    @Override
    public void release(final int route) {
        fabric.release(this, route);
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        return isUp && lengthBytes <= maxPacketBytes && fabric.send(this, address, route, packetAddress, lengthBytes);
    }

    /**
     * Sends a packet that says it comes from another address: what is answered goes there. As {@link #send} otherwise.
     */
    public boolean sendAs(final Gid source, final int route, final long packetAddress, final int lengthBytes) {
        return isUp && lengthBytes <= maxPacketBytes
                && fabric.send(this, source, route, packetAddress, lengthBytes);
    }

    @Override
    public void flush() {
        // Packets leave at once.
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        int count = 0;
        while (count < limit && ringCount > 0) {
            final int slot = ring[ringHead];
            ringHead = ringHead + 1 == ring.length ? 0 : ringHead + 1;
            ringCount--;
            count++;
            try {
                handler.onPacket(
                        fabric.sourceHigh(slot),
                        fabric.sourceLow(slot),
                        fabric.sourcePort(slot),
                        fabric.trafficClass(slot),
                        fabric.slotAddress(slot),
                        fabric.slotLength(slot));
            } finally {
                fabric.freeSlot(slot);
            }
        }
        return count;
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        return "fabric port " + index + " (" + address + ", " + (isDead ? "dead" : isUp ? "up" : "down") + ")";
    }

    /** Takes a packet that arrives; false when the port is down. */
    boolean offer(final int slot) {
        if (!isUp) {
            return false;
        }
        final int tail = ringHead + ringCount;
        ring[tail < ring.length ? tail : tail - ring.length] = slot;
        ringCount++;
        return true;
    }

    /** When the last byte of a packet that is sent now has left. */
    long transmit(final long nowNs, final int lengthBytes, final int bytesPerUs) {
        if (bytesPerUs == 0) {
            return nowNs;
        }
        final boolean isBusy = isTransmitting && transmitterFreeNs - nowNs > 0;
        transmitterFreeNs = (isBusy ? transmitterFreeNs : nowNs) + lengthBytes * 1_000L / bytesPerUs;
        isTransmitting = true;
        return transmitterFreeNs;
    }

    private void discardReceived() {
        while (ringCount > 0) {
            fabric.freeSlot(ring[ringHead]);
            ringHead = ringHead + 1 == ring.length ? 0 : ringHead + 1;
            ringCount--;
        }
    }
}
