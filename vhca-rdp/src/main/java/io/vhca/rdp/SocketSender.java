package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.engine.OutFlow;
import io.vhca.rdp.engine.Port;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.memory.SendMemory;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one socket sends: its flows by destination, the last one at once. Flows that are gone are looked for when there
 * are twice as many as were left the last time. Inside the driver.
 */
final class SocketSender {
    private static final int FEW_FLOWS = 64;

    private final RdpEngine engine;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final Map<InetSocketAddress, OutFlow> flows = new HashMap<>();
    private @Nullable InetSocketAddress lastDestination;
    private @Nullable OutFlow lastFlow;
    private int manyFlows = FEW_FLOWS;

    SocketSender(final RdpEngine engine) {
        this.engine = engine;
    }

    SendResult send(final Port port, final ByteBuffer datagram, final InetSocketAddress destination) {
        final int length = datagram.remaining();
        view.wrap(datagram, datagram.position(), length);
        final SendResult result = send(port, view, 0, length, destination);
        if (result == SendResult.SENT) {
            datagram.position(datagram.limit());
        }
        return result;
    }

    SendResult send(
            final Port port, final DirectBuffer buffer, final int offset, final int lengthBytes,
            final InetSocketAddress destination) {
        return engine.sender().send(flow(port, destination), buffer, offset, lengthBytes);
    }

    SendResult sendInPlace(
            final Port port, final MemorySegment datagram, final InetSocketAddress destination, final long token) {
        SendMemory.check(datagram, engine.address());
        return engine.sender()
                .sendInPlace(flow(port, destination), datagram.address(), (int) datagram.byteSize(), token);
    }

    boolean isOpening(final Port port, final InetSocketAddress destination) {
        return flow(port, destination).latest().isOpening();
    }

    InetSocketAddress nameOf(final InetSocketAddress destination) {
        return new InetSocketAddress(engine.nodes().nameOf(destination.getAddress()), destination.getPort());
    }

    OutFlow flow(final Port port, final InetSocketAddress destination) {
        final OutFlow last = lastFlow;
        if (last != null
                && (destination == lastDestination || destination.equals(lastDestination))
                && !last.isGone()) {
            return last;
        }
        return otherFlow(port, destination);
    }

    private OutFlow otherFlow(final Port port, final InetSocketAddress destination) {
        if (destination.isUnresolved() || destination.getPort() == 0 || destination.getAddress().isMulticastAddress()) {
            throw new VerbsException(
                    "send", Errno.EINVAL, engine.address() + " port " + port.number(),
                    "no datagram can go to " + destination
                            + ": a destination is the address of one node and a port from 1 on");
        }
        final OutFlow known = flows.get(destination);
        final OutFlow flow = known == null || known.isGone() ? newFlow(port, destination) : known;
        lastDestination = destination;
        lastFlow = flow;
        return flow;
    }

    private OutFlow newFlow(final Port port, final InetSocketAddress destination) {
        if (flows.size() >= manyFlows) {
            flows.values().removeIf(OutFlow::isGone);
            manyFlows = Math.max(FEW_FLOWS, 2 * flows.size());
        }
        final OutFlow flow = engine.ports().flow(port, destination);
        flows.put(destination, flow);
        return flow;
    }

    void close() {
        lastFlow = null;
        flows.clear();
    }
}
