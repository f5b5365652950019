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

/** What one socket sends: its flows by destination, the last one at once. Inside the driver. */
final class SocketSender {
    private final RdpEngine engine;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final Map<InetSocketAddress, OutFlow> flows = new HashMap<>();
    private @Nullable InetSocketAddress lastDestination;
    private @Nullable OutFlow lastFlow;

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

    OutFlow flow(final Port port, final InetSocketAddress destination) {
        final OutFlow last = lastFlow;
        if (last != null && (destination == lastDestination || destination.equals(lastDestination))) {
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
        final OutFlow flow = flows.computeIfAbsent(destination, to -> engine.ports().flow(port, to));
        lastDestination = destination;
        lastFlow = flow;
        return flow;
    }

    void close() {
        lastFlow = null;
        flows.clear();
    }
}
