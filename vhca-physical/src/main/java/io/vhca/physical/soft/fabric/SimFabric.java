package io.vhca.physical.soft.fabric;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.ServiceClass;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.RouteTable;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A switched network on virtual time whose ports are {@link io.vhca.physical.soft.carrier.Carrier}s.
 *
 * <p>Every port reaches every other through one switch with a constant latency; a {@link FaultModel} judges each packet
 * on entry. A port can be taken down or paused, one direction between two ports blocked, a port killed. Packets live
 * in slots allocated once; equal times keep the order of sending, so the same calls give the same history.
 *
 * <p>One thread. Limits: {@link #MAX_PORTS} ports, {@link FabricConfig#packetSlots()} packets on their way.
 *
 * <pre>
 *   FabricPort.send -- judge --> slot in the heap -- doWork(now) --> receive ring --> FabricPort.receive
 *        '-- its priority is held --> waits in a slot -- resumed, doWork(now) --> judge --> ...
 * </pre>
 */
public final class SimFabric implements AutoCloseable {
    /** Most ports that a fabric has. */
    public static final int MAX_PORTS = 16;

    /** No slot. */
    static final int NO_SLOT = -1;

    /** The addresses of its ports, as many that no port has, and each of them with a traffic class besides. */
    private static final int MAX_ROUTES = MAX_PORTS * 4;

    /** Slots are this much apart at least, so that no two share a cache line. */
    private static final int SLOT_ALIGNMENT = 64;

    private final FabricConfig config;
    private final Arena arena = Arena.ofShared();
    private final long slotBytes;
    private final long slotsAddress;
    private final int[] slotLength;
    /** Whom each packet says that it comes from: the halves of a GID, and a UDP port. */
    private final long[] slotSourceHigh;

    private final long[] slotSourceLow;
    private final int[] slotSourcePort;
    private final int[] slotClass;
    private final int[] slotTo;
    /** Links the packets that wait in a paused port, by slot. */
    private final int[] nextWaiting;

    private final int[] freeSlots;
    private final PacketHeap heap;
    private final FabricPort[] ports = new FabricPort[MAX_PORTS];
    private final RouteTable routes = new RouteTable(MAX_ROUTES, this::lead);
    private final @Nullable Destination[] routeTo = new Destination[MAX_ROUTES];
    private final int[] routePort = new int[MAX_ROUTES];
    private final boolean[] blocked = new boolean[MAX_PORTS * MAX_PORTS];
    private FaultModel faults = FaultModel.NONE;
    private int freeCount;
    private int portCount;
    private long nowNs;
    private long latencyNs;
    private int bytesPerUs;
    private long sent;
    private long delivered;
    private long lost;
    private long overflows;
    /** A port was resumed, and what waited in it is still there. */
    private boolean hasResumed;

    /** Packets on their way to each port. */
    private final int[] underWay = new int[MAX_PORTS];

    /** How many packets to one port a queue holds before it marks those that come; 0 for one that never does. */
    private int marksBeyond;

    public SimFabric(final FabricConfig config) {
        this.config = config;
        final int slots = config.packetSlots();
        slotBytes = (config.maxPacketBytes() + SLOT_ALIGNMENT - 1L) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
        slotsAddress = arena.allocate(slotBytes * slots, SLOT_ALIGNMENT).address();
        slotLength = new int[slots];
        slotSourceHigh = new long[slots];
        slotSourceLow = new long[slots];
        slotSourcePort = new int[slots];
        slotClass = new int[slots];
        slotTo = new int[slots];
        nextWaiting = new int[slots];
        freeSlots = new int[slots];
        heap = new PacketHeap(slots);
        reset(0, config.latencyNs(), config.bytesPerUs());
    }

    /**
     * Removes every port, packet, block and count, and sets the time and the speed; the memory is kept for the next
     * run.
     *
     * @param portLatencyNs  as {@link FabricConfig#latencyNs()}
     * @param portBytesPerUs as {@link FabricConfig#bytesPerUs()}
     */
    public void reset(final long startNs, final long portLatencyNs, final int portBytesPerUs) {
        for (int i = 0; i < portCount; i++) {
            ports[i].kill();
        }
        heap.clear();
        freeCount = freeSlots.length;
        for (int i = 0; i < freeCount; i++) {
            freeSlots[i] = freeCount - 1 - i;
        }
        Arrays.fill(blocked, false);
        faults = FaultModel.NONE;
        portCount = 0;
        routes.clear();
        Arrays.fill(routeTo, null);
        nowNs = startNs;
        latencyNs = portLatencyNs;
        bytesPerUs = portBytesPerUs;
        sent = 0;
        delivered = 0;
        lost = 0;
        overflows = 0;
        hasResumed = false;
        marksBeyond = 0;
        Arrays.fill(underWay, 0);
    }

    public FabricConfig config() {
        return config;
    }

    /**
     * The queue in front of each port marks a packet that allows it (ECN) while so many, or more, wait for that port;
     * 0 for never.
     */
    public void marksBeyond(final int packets) {
        marksBeyond = packets;
    }

    /** Who judges the packets from now on. */
    public void faults(final FaultModel model) {
        faults = model;
    }

    /**
     * A new port, up. It takes over the address of a port that was killed.
     *
     * @param maxPacketBytes largest packet of this port, at most the fabric's
     * @throws IllegalStateException when there are {@link #MAX_PORTS} already, or one that lives has that address, or
     *     no route is free
     */
    public FabricPort addPort(final Gid address, final int maxPacketBytes) {
        if (portCount == MAX_PORTS) {
            throw new IllegalStateException("a fabric has at most " + MAX_PORTS + " ports");
        }
        final int route = route(Destination.of(address));
        if (route < 0) {
            throw new IllegalStateException("all " + MAX_ROUTES + " routes are in use");
        }
        if (routePort[route] >= 0 && !ports[routePort[route]].isDead()) {
            throw new IllegalStateException("two ports cannot have the address " + address);
        }
        final FabricPort port = new FabricPort(
                this, portCount, address, Math.min(maxPacketBytes, config.maxPacketBytes()), slotLength.length);
        ports[portCount] = port;
        for (int i = 0; i < MAX_ROUTES; i++) {
            final Destination to = routeTo[i];
            if (to != null && to.gid().equals(address)) {
                routePort[i] = portCount;
            }
        }
        portCount++;
        return port;
    }

    public int portCount() {
        return portCount;
    }

    /** The port with that index, 0 .. {@link #portCount()} - 1. */
    public FabricPort port(final int index) {
        if (index >= portCount) {
            throw new IndexOutOfBoundsException("port " + index + " of " + portCount);
        }
        return ports[index];
    }

    /** Blocks or opens one direction; packets already on their way still arrive. */
    public void block(final int from, final int to, final boolean isBlocked) {
        blocked[from * MAX_PORTS + to] = isBlocked;
    }

    /** Blocks or opens both directions between two sets of ports, given as bit masks of their indexes. */
    public void partition(final int leftPorts, final int rightPorts, final boolean isBlocked) {
        for (int left = 0; left < portCount; left++) {
            for (int right = 0; right < portCount; right++) {
                if ((leftPorts >>> left & rightPorts >>> right & 1) != 0) {
                    block(left, right, isBlocked);
                    block(right, left, isBlocked);
                }
            }
        }
    }

    /**
     * Moves the time on and hands packets that are due to their ports.
     *
     * @return how many were handed over
     */
    public int doWork(final long timeNs) {
        nowNs = timeNs;
        if (hasResumed) {
            hasResumed = false;
            for (int i = 0; i < portCount; i++) {
                sendWaiting(ports[i]);
            }
        }
        int work = 0;
        while (heap.size() > 0 && heap.firstAtNs() - timeNs <= 0) {
            final int slot = heap.pop();
            underWay[slotTo[slot]]--;
            if (ports[slotTo[slot]].offer(slot)) {
                delivered++;
                work++;
            } else {
                lost++;
                freeSlot(slot);
            }
        }
        return work;
    }

    /** When the next packet is due; {@link Long#MAX_VALUE} when none is on its way. */
    public long nextDeadlineNs() {
        if (hasResumed) {
            return nowNs;
        }
        return heap.size() == 0 ? Long.MAX_VALUE : heap.firstAtNs();
    }

    /** Packets that ports were given to send. */
    public long sent() {
        return sent;
    }

    /** Packets handed to ports, copies included. */
    public long delivered() {
        return delivered;
    }

    /** Packets that never arrived: judged so, blocked, without such a port, or into a port that was down. */
    public long lost() {
        return lost;
    }

    /** Packets lost because no slot was free. */
    public long overflows() {
        return overflows;
    }

    /** Packets on their way, or waiting in a port to be received or to be sent. */
    public int inFlight() {
        return freeSlots.length - freeCount;
    }

    /** Frees the packet memory; no port may be used afterwards. Idempotent. */
    @Override
    public void close() {
        reset(nowNs, latencyNs, bytesPerUs);
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** Takes a token for an address; a port that is added later gets the packets from then on. */
    int route(final Destination destination) {
        return routes.take(destination);
    }

    /** Gives a token back; nothing happens for a port of the time before {@link #reset}. */
    void release(final FabricPort by, final int route) {
        if (by.index() < portCount && ports[by.index()] == by) {
            routes.release(route);
        }
    }

    private void lead(final int token, final Destination destination) {
        routeTo[token] = destination;
        int port = portCount - 1;
        while (port >= 0 && !ports[port].address().equals(destination.gid())) {
            port--;
        }
        routePort[token] = port;
    }

    /** @param source whom the packet says that it comes from: the port itself, unless it lies */
    boolean send(
            final FabricPort from, final Gid source, final int route, final long packetAddress,
            final int lengthBytes) {
        sent++;
        final int to = routePort[route];
        if (to < 0) {
            from.transmit(nowNs, lengthBytes, bytesPerUs);
            lost++;
            return true;
        }
        final int trafficClass = Objects.requireNonNull(routeTo[route]).trafficClass();
        if (freeCount == 0) {
            overflows++;
            return false;
        }
        final int slot = freeSlots[--freeCount];
        NativeMemory.copy(packetAddress, slotAddress(slot), lengthBytes);
        slotLength[slot] = lengthBytes;
        slotSourceHigh[slot] = source.subnetPrefix();
        slotSourceLow[slot] = source.interfaceId();
        slotSourcePort[slot] = from.sourcePort();
        slotClass[slot] = trafficClass;
        slotTo[slot] = to;
        final int priority = ServiceClass.priority(trafficClass);
        if (from.isHeld(priority) || hasResumed && hasWaiting(from, priority)) {
            append(from, slot);
        } else {
            enter(from, slot);
        }
        return true;
    }

    /** A packet leaves its port and enters the switch. */
    private void enter(final FabricPort from, final int slot) {
        final int to = slotTo[slot];
        final int lengthBytes = slotLength[slot];
        final long onWireNs = from.transmit(nowNs, lengthBytes, bytesPerUs) + latencyNs;
        final long verdict = blocked[from.index() * MAX_PORTS + to]
                ? Verdict.DROP
                : faults.judge(from.index(), to, slotClass[slot], slotAddress(slot), lengthBytes, nowNs);
        if (Verdict.isDrop(verdict)) {
            lost++;
            freeSlot(slot);
            return;
        }
        if (Verdict.isCorrupt(verdict)) {
            final long at = slotAddress(slot) + Verdict.corruptOffset(verdict) % lengthBytes;
            final int bit = Verdict.corruptOffset(verdict) % lengthBytes & 7;
            NativeMemory.putByte(at, (byte) (NativeMemory.getByte(at) ^ 1 << bit));
        }
        final long atNs = onWireNs + Verdict.extraDelayNs(verdict);
        if (marksBeyond > 0
                && ServiceClass.isMarkable(slotClass[slot])
                && underWay[to] + ports[to].pending() >= marksBeyond) {
            slotClass[slot] |= ServiceClass.CONGESTED;
        }
        push(atNs, slot);
        if (Verdict.isDuplicate(verdict)) {
            duplicate(slot, atNs + Verdict.copyDelayNs(verdict));
        }
    }

    private void duplicate(final int slot, final long atNs) {
        if (freeCount == 0) {
            overflows++;
            return;
        }
        final int copy = freeSlots[--freeCount];
        NativeMemory.copy(slotAddress(slot), slotAddress(copy), slotLength[slot]);
        slotLength[copy] = slotLength[slot];
        slotSourceHigh[copy] = slotSourceHigh[slot];
        slotSourceLow[copy] = slotSourceLow[slot];
        slotSourcePort[copy] = slotSourcePort[slot];
        slotClass[copy] = slotClass[slot];
        slotTo[copy] = slotTo[slot];
        push(atNs, copy);
    }

    private void push(final long atNs, final int slot) {
        underWay[slotTo[slot]]++;
        heap.push(atNs, slot);
    }

    // Packets that wait in paused ports.

    private void append(final FabricPort port, final int slot) {
        nextWaiting[slot] = NO_SLOT;
        if (port.lastWaiting == NO_SLOT) {
            port.firstWaiting = slot;
        } else {
            nextWaiting[port.lastWaiting] = slot;
        }
        port.lastWaiting = slot;
    }

    /** A packet of that priority waits in the port: none overtakes it. */
    private boolean hasWaiting(final FabricPort port, final int priority) {
        int slot = port.firstWaiting;
        while (slot != NO_SLOT && ServiceClass.priority(slotClass[slot]) != priority) {
            slot = nextWaiting[slot];
        }
        return slot != NO_SLOT;
    }

    /** A port was resumed. */
    void resumed() {
        hasResumed = true;
    }

    /** Sends what waits in a port and is not held any more, in order; the rest waits on. */
    private void sendWaiting(final FabricPort port) {
        int slot = port.firstWaiting;
        port.firstWaiting = NO_SLOT;
        port.lastWaiting = NO_SLOT;
        while (slot != NO_SLOT) {
            final int next = nextWaiting[slot];
            if (port.isHeld(ServiceClass.priority(slotClass[slot]))) {
                append(port, slot);
            } else {
                enter(port, slot);
            }
            slot = next;
        }
    }

    /** A port went down: what waited in it is lost. */
    void discardWaiting(final FabricPort port) {
        for (int slot = port.firstWaiting; slot != NO_SLOT; slot = nextWaiting[slot]) {
            lost++;
            freeSlot(slot);
        }
        port.firstWaiting = NO_SLOT;
        port.lastWaiting = NO_SLOT;
    }

    long slotAddress(final int slot) {
        return slotsAddress + slot * slotBytes;
    }

    int slotLength(final int slot) {
        return slotLength[slot];
    }

    long sourceHigh(final int slot) {
        return slotSourceHigh[slot];
    }

    long sourceLow(final int slot) {
        return slotSourceLow[slot];
    }

    int sourcePort(final int slot) {
        return slotSourcePort[slot];
    }

    int trafficClass(final int slot) {
        return slotClass[slot];
    }

    void freeSlot(final int slot) {
        freeSlots[freeCount++] = slot;
    }
}
