package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.RdpCounters;
import io.vhca.rdp.memory.RegisteredMemory;
import io.vhca.rdp.memory.Registrar;
import io.vhca.rdp.memory.RegistrationCache;
import io.vhca.rdp.wire.MessageFlyweight;
import java.net.InetAddress;
import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** What all parts of one engine share: its options, pools, ports, counters and the time of its turn. */
final class Core {
    /** How often those look whether there is memory who were refused for want of it. */
    private static final long RETRY_NS = 100_000_000;
    /** So many are kept for the flows that need one next. */
    private static final int FEW_WINDOWS = 64;

    RdpConfig config;
    /** By which other nodes know this one. */
    final InetAddress address;
    final RdpCounters counters = new RdpCounters();
    final Transport transport;
    final Int2ObjectHashMap<Port> ports = new Int2ObjectHashMap<>();
    final MessageFlyweight header = new MessageFlyweight();
    private final RegisteredMemory memory;
    private final BufferPool[] sendPools;
    private final BufferPool[] receivePools;
    private final BufferPool controlPool;
    /** Headers of messages whose payload is the application's memory. */
    private final BufferPool headerPool;
    final RegistrationCache registrations;
    /** Of memory that other nodes write to. */
    final RegistrationCache offered;
    private @Nullable InPlaceSend freeSend;
    private final ArrayDeque<@Nullable Buffer[]> freeWindows = new ArrayDeque<>(FEW_WINDOWS);
    private long nowNs;
    private long toldToNs;
    private long retriedNs;
    private int borrowed;
    private boolean hasBroken;
    private Runnable released = () -> {};

    Core(
            final RdpConfig config, final InetAddress address, final Transport transport,
            final RegisteredMemory memory, final Registrar registrar, final long nowNs) {
        this.config = config;
        this.address = address;
        this.transport = transport;
        this.memory = memory;
        this.nowNs = nowNs;
        toldToNs = nowNs;
        retriedNs = nowNs;
        final int lanes = config.lanes();
        sendPools = new BufferPool[lanes];
        receivePools = new BufferPool[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            final int payload = config.sizeClasses().get(lane);
            sendPools[lane] = new BufferPool(lanes + lane, memory, payload, config.dataSendBuffers());
            receivePools[lane] = new BufferPool(lane, this::receiveMemory, payload, Integer.MAX_VALUE);
        }
        controlPool = new BufferPool(2 * lanes, memory, config.sizeClasses().getFirst(), Integer.MAX_VALUE);
        headerPool = new BufferPool(2 * lanes + 1, memory, 0, config.dataSendBuffers());
        registrations = new RegistrationCache(registrar, counters, config.maxRegisteredMemory());
        offered = registrations.writable();
    }

    private RegisteredMemory.@Nullable Chunk receiveMemory(final long lengthBytes) {
        if (counters.get(Counter.RECV_MEMORY) + lengthBytes > config.maxRecvMemory()) {
            return null;
        }
        final RegisteredMemory.Chunk chunk = memory.allocate(lengthBytes);
        if (chunk != null) {
            counters.add(Counter.RECV_MEMORY, lengthBytes);
            counters.increment(Counter.CACHE_MISSES);
        }
        return chunk;
    }

    /** From now on other options hold; those that connections are made with are the same. */
    void change(final RdpConfig next) {
        assert next.sizeClasses().equals(config.sizeClasses()) : "size classes changed";
        config = next;
        headerPool.mostBuffers(next.dataSendBuffers());
        registrations.mostBytes(next.maxRegisteredMemory());
        for (int lane = 0; lane < sendPools.length; lane++) {
            sendPools[lane].mostBuffers(next.dataSendBuffers());
            receivePools[lane].retry();
        }
        for (final Port port : ports.values()) {
            port.mark();
            port.listener().onWritable();
        }
    }

    /** Now and then those try again who lack a buffer because there was no memory for one; how many. */
    int retry() {
        if (nowNs - retriedNs < RETRY_NS) {
            return 0;
        }
        retriedNs = nowNs;
        int count = 0;
        for (int id = 0; id < pools(); id++) {
            count += pool(id).isShortOfMemory() ? pool(id).retry() : 0;
        }
        return count;
    }

    /** When {@link #retry} is due; never where nobody waits for memory. */
    long nextRetryNs() {
        for (int id = 0; id < pools(); id++) {
            if (pool(id).isShortOfMemory()) {
                return retriedNs + RETRY_NS;
            }
        }
        return Long.MAX_VALUE;
    }

    private int pools() {
        return headerPool.id() + 1;
    }

    int lanes() {
        return sendPools.length;
    }

    BufferPool sendPool(final int lane) {
        return sendPools[lane];
    }

    BufferPool receivePool(final int lane) {
        return receivePools[lane];
    }

    BufferPool headerPool() {
        return headerPool;
    }

    /** A datagram that is to be sent in place; null where its memory cannot be registered. */
    @Nullable InPlaceSend takeSend(
            final Port port, final long address, final int lengthBytes, final int messages, final long token) {
        final RegistrationCache.Entry memory = registrations.acquire(address, lengthBytes);
        if (memory == null) {
            return null;
        }
        InPlaceSend send = freeSend;
        if (send == null) {
            send = new InPlaceSend(registrations);
        } else {
            freeSend = send.nextFree;
            send.nextFree = null;
        }
        send.begin(port, memory, messages, token);
        return send;
    }

    /** It was not sent after all. */
    void giveBack(final InPlaceSend send) {
        send.cancel();
        send.nextFree = freeSend;
        freeSend = send;
    }

    /** A message of a datagram in place was sent, or lost with its connection. */
    void over(final InPlaceSend send, final boolean isLost) {
        if (send.over(isLost)) {
            send.nextFree = freeSend;
            freeSend = send;
        }
    }

    /** Room for messages that came to a flow before those they follow; all of it is free. */
    @Nullable Buffer[] takeWindow() {
        final @Nullable Buffer @Nullable [] free = freeWindows.poll();
        return free != null ? free : new Buffer[OutFlow.WINDOW];
    }

    /** All of it is free again. */
    void giveBack(final @Nullable Buffer[] window) {
        if (freeWindows.size() < FEW_WINDOWS) {
            freeWindows.push(window);
        }
    }

    BufferPool controlPool() {
        return controlPool;
    }

    BufferPool pool(final int id) {
        if (id < receivePools.length) {
            return receivePools[id];
        }
        if (id < 2 * receivePools.length) {
            return sendPools[id - receivePools.length];
        }
        return id == controlPool.id() ? controlPool : headerPool;
    }

    long nowNs() {
        return nowNs;
    }

    /** A turn that was to begin earlier, and had to wait for another one, happens after that. */
    void nowNs(final long timeNs) {
        nowNs = timeNs - nowNs > 0 ? timeNs : nowNs;
    }

    /** All that came by then was told. */
    long toldToNs() {
        return toldToNs;
    }

    void toldToNs(final long timeNs) {
        toldToNs = timeNs;
    }

    /** Who is told when any port takes datagrams again. */
    void onRelease(final Runnable listener) {
        released = listener;
    }

    /** A port takes datagrams again: senders of this node try again. */
    void released() {
        released.run();
    }

    /** A connection failed under a call that cannot end it: the next turn does. */
    void noteBroken() {
        hasBroken = true;
    }

    /** Whether {@link #noteBroken} was called since this was asked last. */
    boolean takeBroken() {
        final boolean was = hasBroken;
        hasBroken = false;
        return was;
    }

    /** Takes every buffer back that was posted on connections to a node, which are gone. */
    void reclaim(final int node) {
        for (int lane = 0; lane < sendPools.length; lane++) {
            reclaim(receivePools[lane], node);
            reclaim(sendPools[lane], node);
        }
        reclaim(controlPool, node);
        reclaim(headerPool, node);
    }

    /** So many buffers more are lent to applications. */
    void borrowed(final int more) {
        borrowed += more;
        assert borrowed >= 0 : "more was released than was borrowed";
    }

    int borrowed() {
        return borrowed;
    }

    /** Buffers of all pools that are neither free nor posted. */
    int buffersInUse() {
        int count = controlPool.inUse() + headerPool.inUse();
        for (int lane = 0; lane < sendPools.length; lane++) {
            count += sendPools[lane].inUse() + receivePools[lane].inUse();
        }
        return count;
    }

    private void reclaim(final BufferPool pool, final int node) {
        for (Buffer buffer = pool.postedAt(node); buffer != null; buffer = pool.postedAt(node)) {
            buffer.sent();
            final InPlaceSend inPlace = buffer.inPlace;
            pool.release(buffer);
            if (inPlace != null) {
                over(inPlace, true);
            }
        }
    }

    /** Whether that is an address of this node. */
    boolean isHere(final InetAddress of) {
        return address.equals(of);
    }

    /** Memory of the application is to go; false where a datagram uses it, or may, and nothing has changed then. */
    boolean forget(final long address, final long lengthBytes) {
        if (registrations.isUsed(address, lengthBytes) || offered.isUsed(address, lengthBytes)) {
            return false;
        }
        registrations.forget(address, lengthBytes);
        offered.forget(address, lengthBytes);
        return true;
    }

    /** All connections are gone. */
    void close() {
        registrations.close();
        offered.close();
    }
}
