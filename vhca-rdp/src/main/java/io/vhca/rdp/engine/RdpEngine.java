package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters;
import io.vhca.rdp.memory.RegisteredMemory;
import io.vhca.rdp.memory.Registrar;
import java.net.InetAddress;

/**
 * The protocol of reliable datagrams: sockets' ports, flows between them, credits, stalls, nodes that come and die. It
 * has no input or output, thread or clock: time comes with {@link #doWork}, connections are a {@link Transport}, which
 * tells what happened by the methods of {@link Nodes} and {@link Arrivals} that begin with {@code on}. One thread at a
 * time.
 */
public final class RdpEngine {
    private final Core core;
    private final Nodes nodes;
    private final PortTable ports;
    private final DatagramSender sender;
    private final DirectedSender directedSender;
    private final Arrivals arrivals;

    /**
     * @param address   by which other nodes know this one
     * @param memory    where buffers come from
     * @param registrar registers memory of the application
     */
    public RdpEngine(
            final RdpConfig config, final InetAddress address, final Transport transport,
            final RegisteredMemory memory, final Registrar registrar, final long nowNs) {
        core = new Core(config, address, transport, memory, registrar, nowNs);
        nodes = new Nodes(core);
        core.onRelease(nodes.peer(address)::wakeAll);
        ports = new PortTable(core, nodes);
        sender = new DatagramSender(core);
        directedSender = new DirectedSender(core);
        arrivals = new Arrivals(core, nodes);
    }

    public RdpConfig config() {
        return core.config;
    }

    /** From now on these options hold; only those that are live differ. */
    public void change(final RdpConfig next) {
        core.change(next);
    }

    public RdpCounters counters() {
        return core.counters;
    }

    public InetAddress address() {
        return core.address;
    }

    public Nodes nodes() {
        return nodes;
    }

    public PortTable ports() {
        return ports;
    }

    public DatagramSender sender() {
        return sender;
    }

    public DirectedSender directedSender() {
        return directedSender;
    }

    public Arrivals arrivals() {
        return arrivals;
    }

    /**
     * A turn begins: what is told from now on happens now. Who had no processor for a while would else date what has
     * come meanwhile back to before that.
     */
    public void begin(final long nowNs) {
        core.nowNs(nowNs);
    }

    /** Lets everything happen that is due; how much that was. All that came was told. */
    public int doWork(final long nowNs) {
        return doWork(nowNs, nowNs);
    }

    /**
     * The same where more may have come.
     *
     * @param toldToNs all that came by then was told: who was silent is judged by that
     */
    public int doWork(final long nowNs, final long toldToNs) {
        core.toldToNs(toldToNs);
        return nodes.doWork(nowNs);
    }

    public long nextDeadlineNs() {
        return nodes.nextDeadlineNs();
    }

    /** Memory that was sent from, or offered, is to go; false where that is not over, and nothing has changed then. */
    public boolean forget(final long address, final long lengthBytes) {
        return core.forget(address, lengthBytes);
    }

    /** Closes all ports and ends all sessions. */
    public void close() {
        ports.all().forEach(ports::close);
        nodes.close();
        core.close();
    }

    /** Buffers that are neither free nor posted, nor held by a socket or a batch: none, unless one was lost. */
    public int missingBuffers() {
        return core.buffersInUse() - ports.heldBuffers() - nodes.heldBuffers();
    }
}
