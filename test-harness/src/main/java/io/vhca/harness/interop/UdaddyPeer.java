package io.vhca.harness.interop;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcFlags;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Java side of udaddy(1): datagrams to a queue pair that the connection manager found, and as many back. The client
 * names its queue pair in the immediate. One thread.
 */
final class UdaddyPeer implements AutoCloseable {
    private static final int MESSAGE_BYTES = 100;
    private static final int TIMEOUT_MS = 2_000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(40);

    private final Context device;
    private final int count;
    private final Arena arena = Arena.ofShared();
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final MemoryRegion mr;
    private final CompletionQueue cq;
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
    private @Nullable CmId id;
    private @Nullable AddressHandle ah;

    /** @param count datagrams each way */
    UdaddyPeer(final Context device, final int count) {
        this.device = device;
        this.count = count;
        channel = device.createEventChannel();
        pd = device.allocPd();
        mr = pd.regMr(arena.allocate(WcFlags.GRH_BYTES + MESSAGE_BYTES, 64), AccessFlags.LOCAL_WRITE);
        cq = device.createCq(2 * count, null, null);
    }

    /** Sends to the server, and takes its answers. */
    void client(final InetSocketAddress server) throws IOException {
        final CmId own = channel.createId(CmPortSpace.UDP, null);
        id = own;
        own.resolveAddr(null, server, TIMEOUT_MS);
        await(CmEventType.ADDR_RESOLVED);
        own.resolveRoute(TIMEOUT_MS);
        await(CmEventType.ROUTE_RESOLVED);
        final QueuePair qp = queuePair(own);
        own.connect(ConnectParameters.of(new byte[0]));
        final CmEvent established = await(CmEventType.ESTABLISHED);
        final ConnectParameters peer = established.parameters();
        final AddressHandle handle = pd.createAh(Objects.requireNonNull(established.ahAttributes()));
        ah = handle;
        send(qp, handle, peer.qpNum(), peer.qkey());
        // Of the sends, and of the answers.
        complete(2 * count);
    }

    /** Listens and says so, takes a client's datagrams, and answers them. */
    void server(final int port, final Runnable listening) throws IOException {
        try (CmId listener = channel.createId(CmPortSpace.UDP, null)) {
            listener.bindAddr(new InetSocketAddress(device.ipGid(1).address(), port));
            listener.listen(1);
            listening.run();
            final CmId own = await(CmEventType.CONNECT_REQUEST).id();
            id = own;
            final QueuePair qp = queuePair(own);
            own.accept(new ConnectParameters(new byte[0], 0, 0, 0, 0, qp.qpNum(), 0));
            complete(count);
            final InetSocketAddress peer = Objects.requireNonNull(own.peerAddress());
            final AddressHandle handle =
                    pd.createAh(new AhAttributes(Gid.of(peer.getAddress()), device.ipGidIndex(1), 0, 0, 1));
            ah = handle;
            send(qp, handle, wc.srcQp(), ConnectParameters.UDP_QKEY);
            complete(count);
        }
    }

    private CmEvent await(final CmEventType wanted) throws IOException {
        final CmEvent event = channel.getEvent(PATIENCE_NS);
        if (event == null) {
            throw new IOException("no " + wanted);
        }
        event.ack();
        // A server hears that its answer went out, too.
        if (event.type() == CmEventType.ESTABLISHED && wanted != CmEventType.ESTABLISHED) {
            return await(wanted);
        }
        if (event.type() != wanted) {
            throw new IOException(event.type() + " (" + event.status() + ") instead of " + wanted);
        }
        return event;
    }

    private QueuePair queuePair(final CmId own) throws IOException {
        final QueuePair qp = own.createQp(
                pd, new QpInitAttributes(cq, cq, null, new QpCapabilities(count, count, 1, 1, 0), QpType.UD, true));
        final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
        for (int i = 0; i < count; i++) {
            posted(qp.postRecv(recv.wrId(i).sge(mr.addr(), WcFlags.GRH_BYTES + MESSAGE_BYTES, mr.lkey())));
        }
        return qp;
    }

    private void send(final QueuePair qp, final AddressHandle handle, final int qpNum, final int qkey)
            throws IOException {
        final SendWorkRequest send = SendWorkRequest.allocate(arena, 1)
                .opcode(WrOpcode.SEND_WITH_IMM)
                .sendFlags(SendFlags.SIGNALED)
                .immData(qp.qpNum())
                .sge(mr.addr(), MESSAGE_BYTES, mr.lkey())
                .ud(handle.handle(), qpNum, qkey);
        for (int i = 0; i < count; i++) {
            posted(qp.postSend(send.wrId(i)));
        }
    }

    private static void posted(final int result) throws IOException {
        if (result != 1) {
            throw new IOException("a work request was refused: " + result);
        }
    }

    private void complete(final int completions) throws IOException {
        final long startNs = System.nanoTime();
        for (int done = 0; done < completions; ) {
            final int polled = cq.poll(wc);
            if (polled < 0 || polled > 0 && wc.status() != 0) {
                throw new IOException("a completion with " + (polled < 0 ? "an error of its queue" : wc.statusName()));
            }
            done += polled;
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new IOException(done + " of " + completions + " completions came");
            }
            Thread.yield();
        }
    }

    @Override
    public void close() {
        if (ah != null) {
            ah.close();
        }
        if (id != null) {
            id.close();
        }
        cq.close();
        mr.close();
        pd.close();
        channel.close();
        arena.close();
    }
}
