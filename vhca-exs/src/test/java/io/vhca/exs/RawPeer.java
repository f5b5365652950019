package io.vhca.exs;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.GreetingDescriptor;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A peer that speaks verbs and says to a socket whatever the test wants. */
final class RawPeer implements AutoCloseable {
    private static final int BYTES = 4_096;
    private static final int RECEIVES = 64;
    /** What one that is well says of itself. */
    static final byte[] GREETING = GreetingDescriptor.encode(new Greeting(1, 1, 1, 1, 32, 16, 512));

    private final ExsWorld world;
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    final MemoryRegion region;
    private final CmId id;
    private @Nullable CmId accepted;
    private final SendWorkRequest send;

    RawPeer(final ExsWorld world) {
        this.world = world;
        channel = world.left.context.createEventChannel();
        pd = world.left.context.allocPd();
        cq = world.left.context.createCq(256, null, null);
        final MemorySegment memory = world.arena.allocate((RECEIVES + 1L) * BYTES, 64);
        region = pd.regMr(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE);
        send = SendWorkRequest.allocate(world.arena, 1);
        id = channel.createId(CmPortSpace.TCP, null);
    }

    /** Waits until the other end has left. */
    void awaitDisconnect() {
        await(CmEventType.DISCONNECTED);
    }

    /** Connects, saying that of itself; the event that it ends in. */
    CmEvent connect(final InetSocketAddress address, final byte[] greeting) {
        id.resolveAddr(null, address, 2_000);
        await(CmEventType.ADDR_RESOLVED);
        id.resolveRoute(2_000);
        await(CmEventType.ROUTE_RESOLVED);
        open(id);
        id.connect(ConnectParameters.of(greeting));
        return await(CmEventType.ESTABLISHED, CmEventType.REJECTED);
    }

    /** Asks, saying that of itself, and is answered; without a queue pair nobody confirms the answer. */
    void ask(final InetSocketAddress address, final byte[] greeting) {
        id.resolveAddr(null, address, 2_000);
        await(CmEventType.ADDR_RESOLVED);
        id.resolveRoute(2_000);
        await(CmEventType.ROUTE_RESOLVED);
        id.connect(new ConnectParameters(greeting, 0, 0, 0, 0, 0x77, 0));
        await(CmEventType.CONNECT_RESPONSE);
    }

    void listen(final InetSocketAddress address) {
        id.bindAddr(address);
        id.listen(1);
    }

    /** Accepts who connects, saying that of itself. */
    void accept(final byte[] greeting) {
        final CmId child = await(CmEventType.CONNECT_REQUEST).id();
        accepted = child;
        open(child);
        child.accept(ConnectParameters.of(greeting));
    }

    private void open(final CmId end) {
        final QueuePair qp =
                end.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(64, RECEIVES, 1, 1, 0)));
        final RecvWorkRequest recv = RecvWorkRequest.allocate(world.arena, 1);
        for (int i = 1; i <= RECEIVES; i++) {
            qp.postRecv(recv.wrId(i).sge(region.addr() + (long) i * BYTES, BYTES, region.lkey()));
        }
    }

    private CmEvent await(final CmEventType... wanted) {
        final long beganNs = System.nanoTime();
        while (System.nanoTime() - beganNs < ExsWorld.PATIENCE_NS) {
            world.right.turn();
            final CmEvent event = channel.getEvent(0);
            if (event != null) {
                event.ack();
                for (final CmEventType type : wanted) {
                    if (event.type() == type) {
                        return event;
                    }
                }
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("none of " + Arrays.toString(wanted));
    }

    void send(final byte[] message) {
        MemorySegment.copy(
                MemorySegment.ofArray(message), 0,
                NativeMemory.segment(region.addr(), message.length), 0, message.length);
        final QueuePair qp = Objects.requireNonNull(id.qp());
        qp.postSend(send.opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED)
                .sge(region.addr(), message.length, region.lkey()));
    }

    /** Writes where it may not: the queue pair there fails, and nothing completes but what is flushed. */
    void write(final long address, final int rkey) {
        final QueuePair qp = Objects.requireNonNull(id.qp());
        qp.postSend(send.opcode(WrOpcode.RDMA_WRITE)
                .sendFlags(SendFlags.SIGNALED)
                .sge(region.addr(), 1, region.lkey())
                .rdma(address, rkey));
    }

    /** Memory that was registered and is not any more; its key is what is left. */
    int keyOfDeregisteredMemory() {
        final MemoryRegion gone = pd.regMr(
                NativeMemory.segment(region.addr(), BYTES), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
        final int key = gone.rkey();
        gone.close();
        return key;
    }

    /** Waits until what was sent has arrived. */
    void awaitSent() {
        final WorkCompletion wc = WorkCompletion.allocate(world.arena, 1);
        for (final long beganNs = System.nanoTime(); System.nanoTime() - beganNs < ExsWorld.PATIENCE_NS; ) {
            world.right.turn();
            if (cq.poll(wc) == 1 && (wc.status() != 0 || wc.opcode() == WcOpcode.SEND.code())) {
                return;
            }
        }
        throw new AssertionError("not sent");
    }

    @Override
    public void close() {
        if (accepted != null) {
            accepted.close();
        }
        id.close();
        channel.close();
        cq.close();
        region.close();
        pd.close();
    }
}
