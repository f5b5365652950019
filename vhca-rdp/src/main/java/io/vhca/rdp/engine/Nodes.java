package io.vhca.rdp.engine;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that were spoken to, this one among them, and what the transport says of their connections. Where there are
 * as many as may be, one that is neither connected nor blocked gives its place to a new one.
 */
public final class Nodes {
    private final Core core;
    private final List<Peer> peers = new ArrayList<>();
    private final Map<InetAddress, Peer> byAddress = new HashMap<>();
    /** The last place that was given to another node. */
    private int forgotten;

    Nodes(final Core core) {
        this.core = core;
    }

    /** All of them, each at its {@link Peer#index}. */
    public List<Peer> all() {
        return peers;
    }

    /**
     * The node with that address.
     *
     * @throws VerbsException ENOMEM where there are {@link RdpConfig#maxNodes()} already, and all of them are
     *     connected, being called, or blocked
     */
    public Peer peer(final InetAddress node) {
        final Peer known = byAddress.get(node);
        if (known != null) {
            return known;
        }
        final boolean isFull = peers.size() > core.config.maxNodes();
        final Peer unused = isFull ? unused() : null;
        if (isFull && unused == null) {
            throw new VerbsException(
                    "send", Errno.ENOMEM, node.getHostAddress(),
                    "there are " + peers.size() + " nodes already; raise MaxNodes, and MaxRecvMemory with it");
        }
        final Peer peer = new Peer(core, unused == null ? peers.size() : unused.index(), node);
        // The first is this one.
        core.counters.add(Counter.END_NODES, peers.isEmpty() ? 0 : 1);
        if (unused == null) {
            peers.add(peer);
        } else {
            forget(unused);
            peers.set(peer.index(), peer);
        }
        byAddress.put(node, peer);
        return peer;
    }

    /** One that nothing here needs any more, null for none: each in its turn, never this node, which is the first. */
    private @Nullable Peer unused() {
        final int others = peers.size() - 1;
        for (int i = 0; i < others; i++) {
            final Peer peer = peers.get(1 + (forgotten + i) % others);
            if (peer.isUnused()) {
                forgotten = peer.index();
                return peer;
            }
        }
        return null;
    }

    /** With all its names: whoever speaks to it again begins anew. */
    private void forget(final Peer peer) {
        peer.flows().forgetAll();
        byAddress.values().removeIf(named -> named == peer);
        core.counters.add(Counter.END_NODES, peer.isAlias() ? 0 : -1);
    }

    /** The other end connects: a session begins. Only where the node is {@link PeerState#IDLE}. */
    public void onConnecting(final Peer peer) {
        peer.begin();
    }

    /** What the other end of a connection said of itself. */
    public void onHello(
            final Peer peer, final int lane, final int dataReceives, final int controlReceives,
            final boolean readsBatches) {
        peer.credits(lane, dataReceives, controlReceives, readsBatches);
    }

    /** Posts the receives of a new connection; false where there is no memory. */
    public boolean fill(final Peer peer, final int lane) {
        final int count = core.config.dataRecvBuffers();
        for (int i = 0; i < count; i++) {
            if (!postOne(peer, lane)) {
                return false;
            }
        }
        for (int i = 0; lane == 0 && i < core.config.ctrlRecvBuffers(); i++) {
            if (!postOne(peer, 0)) {
                return false;
            }
        }
        // Who reads batches copies their datagrams: where all buffers were posted, one that came would wait for ever.
        return lane > 0 || core.lanes() <= Batches.LANE || core.receivePool(0).has(1) || lacksMemory(peer);
    }

    private boolean postOne(final Peer peer, final int lane) {
        final Buffer buffer = core.receivePool(lane).take();
        return buffer == null ? lacksMemory(peer) : peer.post(lane, buffer);
    }

    /** It is said of the session before it is down for that. */
    private static boolean lacksMemory(final Peer peer) {
        peer.broken(SessionEnd.NO_RECV_MEMORY);
        return false;
    }

    /** The device has no room for what completes of one session more: the session is down for that. */
    public void onFull(final Peer peer) {
        peer.broken(SessionEnd.NO_COMPLETIONS);
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
            peer.broken(
                    peer.state() == PeerState.CONNECTING ? SessionEnd.NOT_CONNECTED : SessionEnd.DISCONNECTED);
        }
    }

    /** Ends a session at once, because another call of the same node takes its place. */
    public void onReplaced(final Peer peer) {
        if (peer.state() != PeerState.IDLE) {
            peer.end(SessionEnd.REPLACED, false);
        }
    }

    /**
     * Who was called by one address says that he has another: both are one node from now on, and what is sent to either
     * goes over one session, in one order. So do all other names he had: a node may change which one is its own.
     */
    public void onNamed(final Peer called, final InetAddress name) {
        assert !called.address().equals(name) : name + " is the name it was called by";
        byAddress.remove(name, called);
        // First: as long as it is being called it gives its place to nobody.
        final Peer node = peer(name);
        onReplaced(called);
        byAddress.replaceAll((address, known) -> known == called ? node : known);
        called.alias();
        core.counters.add(Counter.END_NODES, -1);
        called.flows().moveTo(node);
        if (node.address().equals(name)) {
            node.named();
        } // else it is known by that name as another one's, and asked for its own
    }

    /** Another node says that this is its name: it is none of this node any more, where it was. */
    public void isAnothers(final InetAddress name) {
        final Peer known = byAddress.get(name);
        if (known == peers.getFirst() && !name.equals(known.address())) {
            byAddress.remove(name);
        }
    }

    /**
     * Who was called says that this is its name, and that there is a session: one that this end has given up, so the
     * next call takes its place.
     */
    public void onConfirmed(final Peer called) {
        onReplaced(called);
        called.named();
    }

    /** The address that a node calls its own; the one given, as long as it is not known to be another. */
    public InetAddress nameOf(final InetAddress node) {
        final Peer known = byAddress.get(node);
        return known == null ? node : known.address();
    }

    /** Lets everything happen that is due; how much that was. */
    public int doWork(final long turnNs) {
        core.nowNs(turnNs);
        final long nowNs = core.nowNs();
        int work = core.retry();
        do {
            for (int i = 0; i < peers.size(); i++) {
                work += peers.get(i).doWork(nowNs);
            }
        } while (core.takeBroken());
        return work;
    }

    public long nextDeadlineNs() {
        long next = core.nextRetryNs();
        for (int i = 0; i < peers.size(); i++) {
            next = Peer.earlier(next, peers.get(i).nextDeadlineNs());
        }
        return next;
    }

    /** Buffers of batches that are not posted, or not read to their end. */
    int heldBuffers() {
        int held = 0;
        for (final Peer peer : peers) {
            held += peer.batches().held();
        }
        return held;
    }

    void close() {
        for (final Peer peer : peers) {
            if (peer.state() != PeerState.IDLE) {
                peer.batches().flush();
                peer.end(SessionEnd.CLOSED, false);
            }
        }
    }
}
