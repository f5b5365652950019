package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.net.InetSocketAddress;

/** Listens for {@link RdmaConnection}s on a device's own address. One thread at a time. */
public final class RdmaListener implements AutoCloseable {
    private final Context device;
    private final CmEvents events;
    private final CmId id;
    private final InetSocketAddress address;

    private RdmaListener(final Context device, final CmEvents events, final CmId id, final InetSocketAddress address) {
        this.device = device;
        this.events = events;
        this.id = id;
        this.address = address;
    }

    /**
     * Listens on the device's address, {@link Context#ipGid} of port 1 ({@code rdma_listen}).
     *
     * @param port 0 picks one
     */
    public static RdmaListener listen(final Context device, final int port) {
        final CmEvents events = new CmEvents(device.createEventChannel());
        CmId id = null;
        boolean done = false;
        try {
            id = events.channel().createId(CmPortSpace.TCP, null);
            id.bindAddr(new InetSocketAddress(device.ipGid(1).address(), port));
            id.listen(16);
            final InetSocketAddress bound = id.localAddress();
            if (bound == null) {
                throw new IllegalStateException("a bound id has an address");
            }
            done = true;
            return new RdmaListener(device, events, id, bound);
        } finally {
            if (!done) {
                if (id != null) {
                    id.close();
                }
                events.channel().close();
            }
        }
    }

    /** Where a peer connects to. */
    public InetSocketAddress address() {
        return address;
    }

    /** Waits for a request and accepts it, messages up to {@link RdmaConnection#MESSAGE_BYTES}. */
    public RdmaConnection accept() {
        return accept(RdmaConnection.MESSAGE_BYTES, RdmaConnection.TIMEOUT_NS);
    }

    /**
     * Waits for a request and accepts it ({@code rdma_accept}). Does not wait for the handshake's end: the
     * connection's first send does.
     *
     * @throws io.vhca.api.VerbsException ETIMEDOUT when nobody called in that time
     */
    public RdmaConnection accept(final int messageBytes, final long timeoutNs) {
        final CmId child = events.await(id, CmEventType.CONNECT_REQUEST, "accept", timeoutNs)
                .id();
        return RdmaConnection.accept(device, events, child, messageBytes);
    }

    /** Stops listening; connections accepted are to be closed before. */
    @Override
    public void close() {
        id.close();
        events.channel().close();
    }
}
