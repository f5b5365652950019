package io.vhca.rdp.engine;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.engine.RdpCounters.Counter;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of reliable datagrams: sockets' ports, flows between them, credits, stalls, nodes that come and die. It
 * has no input or output, thread or clock: time comes with {@link #doWork}, connections are a {@link Transport}, which
 * tells what happened by the methods that begin with {@code on}. One thread at a time.
 */
public final class RdpEngine {
    private static final int FIRST_EPHEMERAL = 49_152;
    private static final int PORTS = 1 << 16;

    private final Core core;
    private final InetAddress address;
    private final LocalDelivery local;
    private final List<Peer> peers = new ArrayList<>();
    private final Map<InetAddress, Peer> byAddress = new HashMap<>();
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);
    private int nextEphemeral = FIRST_EPHEMERAL;

    /** @param address by which other nodes know this one */
    public RdpEngine(
            final RdpConfig config, final InetAddress address, final Transport transport,
            final RegisteredMemory memory, final long nowNs) {
        core = new Core(config, transport, memory, nowNs);
        this.address = address;
        local = new LocalDelivery(core);
        core.onRelease(peer(address)::wakeAll);
    }

    public RdpConfig config() {
        return core.config;
    }

    public RdpCounters counters() {
        return core.counters;
    }

    public InetAddress address() {
        return address;
    }

    /** The nodes that were ever spoken to, in that order. */
    public List<Peer> peers() {
        return peers;
    }

    /** The open ports, in no order. */
    public List<Port> ports() {
        return new ArrayList<>(core.ports.values());
    }

    // Sockets.

    /**
     * Opens a port.
     *
     * @param number 0 picks a free one
     * @throws VerbsException EADDRINUSE, EINVAL
     */
    public Port bind(final int number, final PortListener listener) {
        if (number < 0 || number >= PORTS) {
            throw new VerbsException("bind", Errno.EINVAL, name(number), "a port is 0 .. " + (PORTS - 1));
        }
        final int chosen = number == 0 ? freePort() : number;
        if (core.ports.containsKey(chosen)) {
            throw new VerbsException(
                    "bind", Errno.EADDRINUSE, name(chosen), "another socket has this port; close it, or use port 0");
        }
        final Port port = new Port(core, chosen, listener);
        core.ports.put(chosen, port);
        return port;
    }

    private int freePort() {
        for (int tries = FIRST_EPHEMERAL; tries < PORTS; tries++) {
            final int candidate = nextEphemeral;
            nextEphemeral = candidate + 1 < PORTS ? candidate + 1 : FIRST_EPHEMERAL;
            if (!core.ports.containsKey(candidate)) {
                return candidate;
            }
        }
        throw new VerbsException("bind", Errno.EADDRINUSE, name(0), "all ports from " + FIRST_EPHEMERAL + " are used");
    }

    private String name(final int number) {
        return address.getHostAddress() + " port " + number;
    }

    /** Closes a port: what waits in it is dropped, who sends there is told. */
    public void close(final Port port) {
        if (port.isClosed()) {
            return;
        }
        core.ports.remove(port.number());
        while (!port.inFlows().isEmpty()) {
            final InFlow flow = port.inFlows().getLast();
            flow.peer().flows().closed(flow);
        }
        port.close();
        for (final OutFlow flow : port.outFlows().values()) {
            flow.peer().flows().close(flow);
        }
        port.outFlows().clear();
    }

    /**
     * The node with that address.
     *
     * @throws VerbsException ENOMEM where there are {@link RdpConfig#maxNodes()} already
     */
    public Peer peer(final InetAddress node) {
        final Peer known = byAddress.get(node);
        if (known != null) {
            return known;
        }
        if (peers.size() > core.config.maxNodes()) {
            throw new VerbsException(
                    "send", Errno.ENOMEM, node.getHostAddress(),
                    "there are " + peers.size() + " nodes already; raise MaxNodes");
        }
        final Peer peer = new Peer(core, peers.size(), node);
        peers.add(peer);
        byAddress.put(node, peer);
        return peer;
    }

    /** The handle by which a socket sends to one destination; the same each time. */
    public OutFlow flow(final Port port, final InetSocketAddress destination) {
        final Peer peer = peer(destination.getAddress());
        final long key = (long) peer.index() << 16 | destination.getPort();
        OutFlow flow = port.outFlows().get(key);
        if (flow == null) {
            flow = peer.flows().handle(port, destination.getPort());
            port.outFlows().put(key, flow);
        }
        return flow;
    }

    /** Sends a datagram, or says at once why not; the bytes are copied. */
    public SendResult send(
            final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Port port = flow.port();
        if (lengthBytes > core.config.longestMessage() || lengthBytes + Port.OVERHEAD > port.sendLimit()) {
            return refuse(SendResult.TOO_LONG);
        }
        final SendResult result = flow.peer().address().equals(address)
                ? local.send(flow, source, offset, lengthBytes)
                : flow.state() == OutFlow.State.OPEN ? post(flow, source, offset, lengthBytes) : open(flow);
        if (result != SendResult.SENT) {
            return refuse(result);
        }
        core.counters.increment(Counter.TX_PACKETS);
        core.counters.add(Counter.TX_BYTES, lengthBytes);
        return result;
    }

    private SendResult refuse(final SendResult why) {
        core.counters.increment(
                switch (why) {
                    case NO_BUFFERS -> Counter.ENOBUFS_RETURNED;
                    case WOULD_BLOCK -> Counter.EWOULDBLOCK_RETURNED;
                    case TOO_LONG -> Counter.EMSGSIZE_RETURNED;
                    default -> Counter.EFAULT_RETURNED;
                });
        return why;
    }

    private SendResult open(final OutFlow flow) {
        final Peer peer = flow.peer();
        if (peer.isBlocked() || flow.isRefused(core.nowNs())) {
            return SendResult.UNREACHABLE;
        }
        flow.wanted();
        if (peer.state() == PeerState.UP) {
            if (flow.state() == OutFlow.State.CLOSED) {
                peer.flows().open(flow);
            }
        } else {
            peer.connect();
        }
        return SendResult.WOULD_BLOCK;
    }

    private SendResult post(final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        final Port port = flow.port();
        final int laneIndex = core.config.laneOf(lengthBytes);
        final BufferPool pool = core.sendPool(laneIndex);
        final int most = pool.payloadBytes();
        final int messages = Math.max(1, (lengthBytes + most - 1) / most);
        final Peer peer = flow.peer();
        final Lane lane = peer.lane(laneIndex);
        if (flow.isStalled() || peer.isBroken()) {
            return SendResult.WOULD_BLOCK;
        }
        if (!port.mayHold(lengthBytes) || !pool.has(messages)) {
            return SendResult.NO_BUFFERS;
        }
        if (!flow.isWithinWindow(peer.lanes(), messages) || !lane.hasRoom(flow, messages)) {
            return SendResult.WOULD_BLOCK;
        }
        int done = 0;
        for (int i = 0; i < messages; i++) {
            final int bytes = Math.min(most, lengthBytes - done);
            segment(flow, lane, laneIndex, source, offset + done, bytes, i == messages - 1);
            done += bytes;
        }
        return SendResult.SENT;
    }

    private void segment(
            final OutFlow flow, final Lane lane, final int laneIndex, final DirectBuffer source, final int offset,
            final int lengthBytes, final boolean isLast) {
        final Buffer buffer = core.sendPool(laneIndex).take();
        if (buffer == null) {
            throw new AssertionError("the pool said that it has enough");
        }
        buffer.owner = flow.port();
        buffer.length = lengthBytes;
        flow.port().holds(lengthBytes);
        slot.wrap(Core.payload(buffer), lengthBytes);
        slot.putBytes(0, source, offset, lengthBytes);
        lane.posted();
        core.header
                .wrap(buffer.address())
                .write(
                        MessageDescriptor.DATA, isLast ? MessageDescriptor.LAST : 0, flow.port().number(), flow.id(),
                        lengthBytes, flow.takeSequence())
                .grants(lane.tell(), flow.peer().control().tell());
        // What is accepted and not delivered counts as lost when the next turn ends the session.
        flow.peer().send(laneIndex, buffer, MessageDescriptor.SIZE + lengthBytes);
    }

    /**
     * Receives a datagram.
     *
     * @return its length, which may be more than there was room for: the rest is gone then; -1 where there is none
     */
    public int receive(
            final Port port, final MutableDirectBuffer target, final int offset, final int roomBytes,
            final DatagramSource source) {
        final Buffer whole = port.take();
        if (whole == null) {
            return -1;
        }
        int length = 0;
        for (Buffer segment = whole; segment != null; segment = segment.nextSegment) {
            final int bytes = Math.min(segment.length, roomBytes - length);
            if (bytes > 0) {
                slot.wrap(Core.payload(segment), bytes);
                slot.getBytes(0, target, offset + length, bytes);
            }
            length += segment.length;
        }
        final InFlow flow = whole.flow;
        if (flow != null) {
            source.address(flow.source());
        }
        port.release(whole);
        return length;
    }

    // What the transport says.

    /** The other end connects: a session begins. Only where the node is {@link PeerState#IDLE}. */
    public void onConnecting(final Peer peer) {
        peer.begin();
    }

    /** What the other end of a connection said of itself. */
    public void onHello(final Peer peer, final int lane, final int dataReceives, final int controlReceives) {
        peer.credits(lane, dataReceives, controlReceives);
    }

    /** Posts the receives of a new connection; false where there is no memory. */
    public boolean fill(final Peer peer, final int lane) {
        final int count = core.config.dataRecvBuffers();
        for (int i = 0; i < count; i++) {
            final Buffer buffer = core.receivePool(lane).take();
            if (buffer == null || !peer.post(lane, buffer)) {
                return false;
            }
        }
        for (int i = 0; lane == 0 && i < core.config.ctrlRecvBuffers(); i++) {
            final Buffer buffer = core.receivePool(0).take();
            if (buffer == null || !peer.post(0, buffer)) {
                return false;
            }
        }
        return true;
    }

    /** All connections of the session stand. */
    public void onUp(final Peer peer) {
        if (peer.state() == PeerState.CONNECTING) {
            peer.up();
        }
    }

    /** A connection of the session failed or was closed by the other end. */
    public void onDown(final Peer peer) {
        if (peer.state() != PeerState.IDLE) {
            peer.broken();
        }
    }

    /** Ends a session that is being connected, because the other end's call is to go on instead. */
    public void onCollision(final Peer peer) {
        assert peer.state() == PeerState.CONNECTING;
        peer.end(false);
    }

    /** A send is done. */
    public void onSent(final Buffer buffer) {
        final Port owner = buffer.owner;
        final int length = buffer.length;
        buffer.pool().release(buffer);
        if (owner != null) {
            owner.sent(length);
        }
    }

    /** A message arrived. */
    public void onReceived(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        buffer.postedAt = Buffer.NOWHERE;
        peer.onHeard();
        core.header.wrap(buffer.address());
        if (!take(peer, laneIndex, buffer, messageBytes)) {
            // Who breaks the rules breaks the credits too: nothing of this session can be trusted.
            core.counters.increment(Counter.FOREIGN);
            peer.broken();
        }
    }

    private boolean take(final Peer peer, final int laneIndex, final Buffer buffer, final int messageBytes) {
        final MessageFlyweight header = core.header;
        final boolean isOurs = header.isOurs(messageBytes)
                && peer.lane(laneIndex).onGranted(header.laneGranted())
                && peer.control().onGranted(header.controlGranted());
        if (isOurs && header.kind() == MessageDescriptor.CONTROL && laneIndex == 0) {
            return peer.control().onMessage(buffer, header.length());
        }
        if (isOurs && header.kind() == MessageDescriptor.DATA && takeData(peer, buffer)) {
            peer.lane(laneIndex).refill();
            return true;
        }
        buffer.pool().release(buffer);
        return false;
    }

    private boolean takeData(final Peer peer, final Buffer buffer) {
        final InFlow flow = peer.flows().inFlow(core.header.flowId());
        if (flow == null) {
            return false;
        }
        buffer.length = core.header.length();
        buffer.isLast = (core.header.flags() & MessageDescriptor.LAST) != 0;
        if (!flow.onMessage(core.header.flowSequence(), buffer)) {
            return false;
        }
        peer.flows().onProgress(flow);
        return true;
    }

    // Turns.

    /** Lets everything happen that is due; how much that was. */
    public int doWork(final long nowNs) {
        core.nowNs(nowNs);
        int work = 0;
        do {
            for (int i = 0; i < peers.size(); i++) {
                work += peers.get(i).doWork(nowNs);
            }
        } while (core.takeBroken());
        return work;
    }

    public long nextDeadlineNs() {
        long next = Long.MAX_VALUE;
        for (int i = 0; i < peers.size(); i++) {
            next = Peer.earlier(next, peers.get(i).nextDeadlineNs());
        }
        return next;
    }

    /** Ends all sessions. */
    public void close() {
        for (final Port port : ports()) {
            close(port);
        }
        for (final Peer peer : peers) {
            if (peer.state() != PeerState.IDLE) {
                peer.end(false);
            }
        }
    }

    /** Buffers of all pools that are neither free nor posted nor held by a socket: none, unless one was lost. */
    public int missingBuffers() {
        int held = 0;
        for (final Port port : core.ports.values()) {
            held += port.heldBuffers();
        }
        return core.buffersInUse() - held;
    }
}
