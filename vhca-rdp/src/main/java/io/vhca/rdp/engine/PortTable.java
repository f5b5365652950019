package io.vhca.rdp.engine;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.completion.DatagramSource;
import io.vhca.rdp.lane.PortListener;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The open ports of a node, and what they receive. */
public final class PortTable {
    private static final int FIRST_EPHEMERAL = 49_152;
    private static final int PORTS = 1 << 16;

    private final Core core;
    private final Nodes nodes;
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);
    private int nextEphemeral = FIRST_EPHEMERAL;

    PortTable(final Core core, final Nodes nodes) {
        this.core = core;
        this.nodes = nodes;
    }

    /** The open ports, in no order. */
    public List<Port> all() {
        return new ArrayList<>(core.ports.values());
    }

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
        return core.address.getHostAddress() + " port " + number;
    }

    /** Closes a port: what waits in it is dropped, who sends there is told. */
    public void close(final Port port) {
        if (port.isClosed()) {
            return;
        }
        core.ports.remove(port.number());
        port.offers().close();
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

    /** The handle by which a socket sends to one destination; the same each time until it {@link OutFlow#isGone}. */
    public OutFlow flow(final Port port, final InetSocketAddress destination) {
        return port.flow(nodes.peer(destination.getAddress()), destination.getPort());
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
                slot.wrap(segment.payloadAddress(), bytes);
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

    /**
     * Lends a datagram to the application where it is; {@link #release} gives it back.
     *
     * @param target holds none; unchanged where there is no datagram
     * @return whether there was one
     */
    public boolean borrow(final Port port, final BorrowedDatagram target) {
        if (target.isBorrowed()) {
            throw new IllegalStateException("it holds a datagram already: release that one, or use another object");
        }
        final Buffer whole = port.take();
        if (whole == null) {
            return false;
        }
        target.set(port, whole);
        core.borrowed(target.segments());
        return true;
    }

    /** Takes a lent datagram back, also after its socket was closed. Nothing where none is lent. */
    public void release(final BorrowedDatagram datagram) {
        datagram.release(core);
    }

    int heldBuffers() {
        int held = core.borrowed();
        for (final Port port : core.ports.values()) {
            held += port.heldBuffers();
        }
        return held;
    }
}
