package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.ControlFlyweight;
import io.vhca.rdp.wire.ControlWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** The flows to and from one node, and what that node must be told of them. */
final class PeerFlows {
    /** How long a port that was missing counts as missing. */
    private static final long REFUSED_NS = 100_000_000;
    /** So many handles are kept whatever they are for. */
    private static final int FEW_HANDLES = 64;

    private final Core core;
    private final Peer peer;
    /** All handles that sockets have for this node. */
    private final List<OutFlow> handles = new ArrayList<>();
    /** With so many it is looked for some that nobody needs: twice as many as there were needed the last time. */
    private int manyHandles = FEW_HANDLES;
    private final List<@Nullable OutFlow> out = new ArrayList<>();
    private final ArrayDeque<Integer> freeIds = new ArrayDeque<>();
    /** Flows that are to be opened when there is an id for them, in the order they asked. */
    private final LinkedHashSet<OutFlow> awaitId = new LinkedHashSet<>();
    private final List<@Nullable InFlow> in = new ArrayList<>();
    private final Int2ObjectHashMap<RemotePort> remotePorts = new Int2ObjectHashMap<>();
    private final ArrayDeque<OutFlow> dirtyOut = new ArrayDeque<>();
    private final ArrayDeque<InFlow> dirtyIn = new ArrayDeque<>();
    /** What the window refused, each once. */
    private final List<OutFlow> awaitGrant = new ArrayList<>();
    private final PeerOffers offers;
    private final ArrayDeque<TalkedPort> dirtyPorts = new ArrayDeque<>();
    private final Int2ObjectHashMap<TalkedPort> talkedPorts = new Int2ObjectHashMap<>();

    /** A port here that the node sends to, and what it was told of it. */
    private static final class TalkedPort {
        private final Port port;
        private int flows;
        private boolean isDirty;
        /** STALL, UNSTALL, or 0 where it was told nothing. */
        private int told;

        private TalkedPort(final Port port) {
            this.port = port;
        }
    }

    PeerFlows(final Core core, final Peer peer) {
        this.core = core;
        this.peer = peer;
        offers = new PeerOffers(this);
    }

    PeerOffers offers() {
        return offers;
    }

    // What is sent.

    OutFlow handle(final Port port, final int destinationPort) {
        if (handles.size() >= manyHandles) {
            forgetIdle();
            manyHandles = Math.max(FEW_HANDLES, 2 * handles.size());
        }
        final OutFlow flow = new OutFlow(port, peer, destinationPort, core.lanes());
        handles.add(flow);
        return flow;
    }

    /** Who answers others, each at a port that is soon closed, would keep a handle for each for ever. */
    private void forgetIdle() {
        handles.removeIf(flow -> {
            // To a port of this node nothing is opened: as long as it is there somebody may wait for it.
            final boolean isIdle = core.isHere(peer.address())
                    ? core.ports.get(flow.destinationPort()) == null
                    : flow.isIdle(core.nowNs());
            if (isIdle) {
                flow.forgotten();
            }
            return isIdle;
        });
    }

    /** The node gives its place to another one. */
    void forgetAll() {
        handles.forEach(OutFlow::forgotten);
        handles.clear();
    }

    /** The node is one that is known by another name: what is sent here goes there from now on. */
    void moveTo(final Peer other) {
        for (final OutFlow flow : List.copyOf(handles)) {
            flow.becomes(flow.port().moved(flow, other));
            flow.port().listener().onWritable();
        }
        handles.clear();
    }

    /** Begins to open a flow; later, where there are as many as the node can tell apart. */
    void open(final OutFlow flow) {
        Integer id = freeIds.poll();
        if (id == null) {
            if (out.size() == BareDescriptor.MOST_FLOWS) {
                awaitId.add(flow);
                return;
            }
            id = out.size();
            out.add(null);
        }
        out.set(id, flow);
        final RemotePort remote = remotePorts.computeIfAbsent(flow.destinationPort(), RemotePort::new);
        remote.add(flow);
        flow.opening(id, remote, peer.lanes());
        markDirty(flow);
    }

    /** The socket of the flow is closed. */
    void close(final OutFlow flow) {
        flow.closed(peer.lanes());
        if (flow.state() == OutFlow.State.OPEN) {
            flow.ending(false);
            markDirty(flow);
        } else if (flow.id() < 0) {
            awaitId.remove(flow);
            handles.remove(flow);
        }
    }

    private void markDirty(final OutFlow flow) {
        if (flow.markDirty()) {
            dirtyOut.add(flow);
        }
    }

    /** The node says something of a flow to it. */
    boolean onAnswer(final int kind, final int id) {
        final OutFlow flow = outFlow(id);
        if (flow == null) {
            return false;
        }
        switch (kind) {
            case ControlDescriptor.FLOW_OPENED -> {
                if (flow.state() != OutFlow.State.OPENING) {
                    return false;
                }
                flow.opened();
                if (flow.isClosed()) {
                    close(flow);
                } else {
                    flow.port().listener().onWritable();
                }
            }
            case ControlDescriptor.FLOW_REFUSED -> {
                if (flow.state() != OutFlow.State.OPENING) {
                    return false;
                }
                release(flow);
                flow.refused(core.nowNs() + REFUSED_NS);
                afterEnd(flow);
            }
            case ControlDescriptor.FLOW_CLOSED -> {
                if (flow.state() == OutFlow.State.OPEN) {
                    flow.ending(true);
                    markDirty(flow);
                    flow.port().listener().onWritable();
                }
            }
            default -> {
                if (flow.state() != OutFlow.State.ENDING) {
                    return false;
                }
                release(flow);
                flow.ended(core.nowNs() + REFUSED_NS);
                afterEnd(flow);
            }
        }
        return true;
    }

    private void release(final OutFlow flow) {
        offers.forget(flow);
        out.set(flow.id(), null);
        freeIds.add(flow.id());
        final RemotePort remote = flow.remote();
        if (remote != null && remote.remove(flow)) {
            remotePorts.remove(remote.number());
        }
        if (!awaitId.isEmpty()) {
            open(awaitId.removeFirst());
        }
    }

    /** Its window is full until the node has taken more. */
    void awaitGrant(final OutFlow flow) {
        awaitGrant.add(flow);
    }

    /** The node has taken more: whom a window refused tries again. */
    void granted() {
        for (int i = 0; i < awaitGrant.size(); i++) {
            awaitGrant.get(i).granted();
        }
        awaitGrant.clear();
    }

    private void afterEnd(final OutFlow flow) {
        if (flow.isClosed()) {
            handles.remove(flow);
        } else {
            flow.port().listener().onWritable();
        }
    }

    void onStall(final int port, final boolean isStalled) {
        final RemotePort remote = remotePorts.get(port);
        if (remote == null) {
            core.counters.increment(Counter.STALLS_IGNORED);
            return;
        }
        core.counters.increment(isStalled ? Counter.STALLS_RECEIVED : Counter.UNSTALLS_RECEIVED);
        remote.stalled(isStalled);
    }

    /** The connections stand: flows that are waited for are opened, and who waits tries again. */
    void onUp() {
        for (int i = 0; i < handles.size(); i++) {
            final OutFlow flow = handles.get(i);
            if (flow.isWanted() && flow.state() == OutFlow.State.CLOSED) {
                open(flow);
            }
            flow.port().listener().onWritable();
        }
    }

    // What arrives.

    @Nullable OutFlow outFlow(final int id) {
        return id >= 0 && id < out.size() ? out.get(id) : null;
    }

    @Nullable InFlow inFlow(final int id) {
        return id >= 0 && id < in.size() ? in.get(id) : null;
    }

    boolean onOpen(final int id, final int sourcePort, final int destinationPort) {
        if (id < 0 || id >= BareDescriptor.MOST_FLOWS || inFlow(id) != null) {
            return false;
        }
        while (in.size() <= id) {
            in.add(null);
        }
        final Port port = core.ports.get(destinationPort);
        final InFlow flow = new InFlow(core, peer, id, sourcePort, port);
        in.set(id, flow);
        if (port == null) {
            answer(flow, ControlDescriptor.FLOW_REFUSED);
            return true;
        }
        port.add(flow);
        answer(flow, ControlDescriptor.FLOW_OPENED);
        offers.opened(port, flow);
        final TalkedPort talked = talkedPorts.computeIfAbsent(destinationPort, key -> new TalkedPort(port));
        talked.flows++;
        // Whoever comes new is told, whatever was told before: the peer forgets a port that it has no flow to.
        talked.told = 0;
        markDirty(talked);
        return true;
    }

    /** Something was written into memory that this node offered; false where it cannot have been. */
    boolean onPlaced(final Buffer buffer, final int lengthBytes, final int number) {
        final InFlow flow = offers.onPlaced(buffer, lengthBytes, number);
        if (flow == null) {
            return false;
        }
        onProgress(flow);
        return true;
    }

    /** A datagram that was written into memory is next in its order. */
    void placed(final Buffer buffer) {
        offers.placed(buffer);
    }

    /** The node says something of memory; false where it breaks a rule. */
    boolean onMemory(final ControlFlyweight record) {
        return offers.onRecord(record);
    }

    boolean onEnd(final int id, final long sequence) {
        final InFlow flow = inFlow(id);
        if (flow == null || !flow.end(sequence)) {
            return false;
        }
        onProgress(flow);
        return true;
    }

    /** Something of a flow arrived in order; when it was the last, the flow ends. */
    void onProgress(final InFlow flow) {
        if (flow.isEnded()) {
            offers.ended(flow);
            leavePort(flow);
            answer(flow, ControlDescriptor.FLOW_ENDED);
        }
    }

    /** The port that a flow leads to is closed. */
    void closed(final InFlow flow) {
        leavePort(flow);
        if (flow.answer() == ControlDescriptor.FLOW_OPENED) {
            offers.ended(flow);
            answer(flow, ControlDescriptor.FLOW_REFUSED);
        } else if (flow.answer() == 0) {
            answer(flow, ControlDescriptor.FLOW_CLOSED);
        }
    }

    private void leavePort(final InFlow flow) {
        final Port port = flow.port();
        if (port != null) {
            port.remove(flow);
            flow.closePort();
            final TalkedPort talked = talkedPorts.get(port.number());
            if (talked != null && --talked.flows == 0) {
                talkedPorts.remove(port.number());
            }
        }
    }

    private void answer(final InFlow flow, final int kind) {
        if (flow.answer() == 0) {
            dirtyIn.add(flow);
        }
        flow.answer(kind);
    }

    /** A port was stalled or released. */
    void markChanged(final Port port) {
        final TalkedPort talked = talkedPorts.get(port.number());
        if (talked != null) {
            markDirty(talked);
        }
    }

    private void markDirty(final TalkedPort talked) {
        if (!talked.isDirty) {
            talked.isDirty = true;
            dirtyPorts.add(talked);
        }
    }

    boolean hasNews() {
        return !dirtyOut.isEmpty() || !dirtyIn.isEmpty() || !dirtyPorts.isEmpty() || offers.hasNews();
    }

    /** The node is to hear of a stall or a release. */
    boolean hasStalls() {
        return !dirtyPorts.isEmpty();
    }

    /** Writes what is new of flows, as long as there is room. */
    void write(final ControlWriter writer) {
        while (!dirtyOut.isEmpty() && writer.hasRoom()) {
            final OutFlow flow = dirtyOut.remove();
            flow.clean();
            if (flow.state() == OutFlow.State.OPENING) {
                writer.write(ControlDescriptor.FLOW_OPEN, flow.port().number(), flow.destinationPort(), flow.id(), 0);
            } else if (flow.state() == OutFlow.State.ENDING) {
                writer.write(ControlDescriptor.FLOW_END, 0, 0, flow.id(), flow.sequence());
            }
        }
        while (!dirtyIn.isEmpty() && writer.hasRoom()) {
            final InFlow flow = dirtyIn.remove();
            final int kind = flow.answer();
            flow.answer(0);
            writer.write(kind, 0, 0, flow.id(), 0);
            if (kind == ControlDescriptor.FLOW_REFUSED || kind == ControlDescriptor.FLOW_ENDED) {
                in.set(flow.id(), null);
                // A node may have sent what it was not asked for: to a port that is missing here.
                flow.lost();
            }
        }
        // Behind the answers: the other end knows the flow before it hears of memory, and not after it.
        offers.write(writer);
    }

    /** Writes stalls and releases, as long as there is room. */
    void writeStalls(final ControlWriter writer) {
        while (!dirtyPorts.isEmpty() && writer.hasRoom()) {
            final TalkedPort talked = dirtyPorts.remove();
            talked.isDirty = false;
            final int kind = talked.port.isStalled() ? ControlDescriptor.STALL : ControlDescriptor.UNSTALL;
            if (talked.flows > 0 && kind != talked.told) {
                talked.told = kind;
                core.counters.increment(
                        talked.port.isStalled() ? Counter.STALLS_SENT : Counter.UNSTALLS_SENT);
                writer.write(kind, 0, talked.port.number(), 0, 0);
            }
        }
    }

    /** The connections are gone: all flows are. Who waits for one tries again, and is told. */
    void lost() {
        offers.lost();
        dirtyOut.clear();
        dirtyIn.clear();
        dirtyPorts.clear();
        for (final InFlow flow : in) {
            if (flow != null) {
                leavePort(flow);
                flow.lost();
            }
        }
        in.clear();
        out.clear();
        freeIds.clear();
        awaitId.clear();
        talkedPorts.clear();
        remotePorts.clear();
        granted();
        for (int i = handles.size() - 1; i >= 0; i--) {
            final OutFlow flow = handles.get(i);
            flow.lost();
            if (flow.isClosed()) {
                handles.remove(i);
            }
        }
        wakeAll();
    }

    /** Everybody who sends to this node tries again. */
    void wakeAll() {
        for (int i = 0; i < handles.size(); i++) {
            handles.get(i).port().listener().onWritable();
        }
    }
}
