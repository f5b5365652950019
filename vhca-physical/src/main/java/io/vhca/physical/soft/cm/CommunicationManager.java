package io.vhca.physical.soft.cm;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.RejectReason;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager of one soft device: ids and event channels for its users, CM messages to its peers.
 *
 * <p>No thread, no clock, no randomness of its own: {@link #doWork} runs it, time comes from its host, numbers from the
 * generator handed in. One lock guards everything; calls of any thread take it. {@link #onMad} and {@link
 * #onEstablished} alone are called by the owner of the engine, in the middle of its work, and only hand over.
 */
public final class CommunicationManager {
    /** A flood that comes as fast as it is handled must not keep timers, packets and callers of the lock waiting. */
    static final int MOST_A_TURN = 64;

    private final CmHost host;
    private final ReentrantLock lock = new ReentrantLock();
    private final CmCounters counters;
    private final MadInbox inbox;
    private final PortTable ports;
    private final CmProtocol protocol;
    private final InetAddress inetAddress;
    /** Open ids, oldest first. */
    private final Set<SoftCmId> ids = new LinkedHashSet<>();
    /** Open channels. */
    private final Set<SoftEventChannel> channels = new LinkedHashSet<>();

    /** @param random draws communication ids, PSNs and ephemeral ports; used under the manager's lock alone */
    public CommunicationManager(final CmHost host, final CmConfig config, final RandomGenerator random) {
        this.host = host;
        counters = new CmCounters(host.name());
        ports = new PortTable(random);
        inetAddress = host.address().address();
        protocol = new CmProtocol(this, host, config, random, counters);
        inbox = new MadInbox(counters, protocol::isConnected);
    }

    /** A new event channel whose ids belong to {@code context}. */
    public CmEventChannel createChannel(final Context context) {
        final SoftEventChannel channel = new SoftEventChannel(this, context);
        lock.lock();
        try {
            channels.add(channel);
        } finally {
            lock.unlock();
        }
        return channel;
    }

    /** That context is closed, and its event channels with it; EBUSY while ids use one. Any thread. */
    public void closeChannels(final Context context) {
        lock.lock();
        try {
            for (final SoftEventChannel channel : List.copyOf(channels)) {
                if (channel.context() == context) {
                    closeChannel(channel);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * A management datagram arrived at QP1. The engine's owner.
     *
     * @param madAddress 256 bytes, copied
     */
    public void onMad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
        inbox.offerMad(sourceHigh, sourceLow, sourceQp, madAddress);
        host.wake();
    }

    /** The first request of the peer arrived at a QP. The engine's owner. */
    public void onEstablished(final int qpNum) {
        inbox.offerEstablished(qpNum);
        host.wake();
    }

    /**
     * Handles what is due and some of what arrived; returns how much. Whatever a message makes the manager throw costs
     * that message. Any thread; not from inside the engine.
     */
    public int doWork(final long nowNs) {
        if (inbox.isEmpty() && !isDue(nowNs) || !lock.tryLock()) {
            return 0;
        }
        int work = 0;
        try {
            MadInbox.Entry entry = inbox.take();
            while (entry != null && work < MOST_A_TURN) {
                handle(entry);
                inbox.release();
                work++;
                entry = inbox.take();
            }
            work += protocol.onTime(nowNs);
        } finally {
            lock.unlock();
        }
        return work;
    }

    private void handle(final MadInbox.Entry entry) {
        try {
            if (entry.isMad) {
                protocol.onMessage(new Gid(entry.sourceHigh, entry.sourceLow), entry.mad);
            } else {
                protocol.onEstablished(entry.qpNum);
            }
        } catch (final RuntimeException | Error e) {
            counters.fault(e);
        }
    }

    private boolean isDue(final long nowNs) {
        final long earliest = protocol.earliestNs();
        return earliest != Long.MAX_VALUE && earliest - nowNs <= 0;
    }

    /**
     * When {@link #doWork} must be called next though nothing arrives; {@link Long#MAX_VALUE} for never. Any thread.
     */
    public long nextDeadlineNs() {
        return protocol.earliestNs();
    }

    /** True when messages wait for {@link #doWork}. Any thread. */
    public boolean hasWork() {
        return !inbox.isEmpty();
    }

    /** How many ids of that context are open. Any thread. */
    public int openIds(final Context context) {
        lock.lock();
        try {
            return (int) ids.stream().filter(id -> id.context() == context).count();
        } finally {
            lock.unlock();
        }
    }

    /** Passive connections not established, or refused and still answering a repeated request. Any thread. */
    public int halfOpen() {
        lock.lock();
        try {
            return protocol.halfOpen();
        } finally {
            lock.unlock();
        }
    }

    /** What was counted. Any thread. */
    public CmCounters counters() {
        return counters;
    }

    /** The device died: each id gets DEVICE_REMOVAL. Any thread; not from inside the engine. */
    public void deviceRemoved() {
        lock.lock();
        try {
            for (final SoftCmId id : List.copyOf(ids)) {
                raise(id, CmEventType.DEVICE_REMOVAL, 0);
            }
            protocol.forgetAll();
        } finally {
            lock.unlock();
        }
    }

    /** The process ends: tells every peer so. Any thread; not from inside the engine. */
    public void sayGoodbye() {
        lock.lock();
        try {
            protocol.sayGoodbye();
        } finally {
            lock.unlock();
        }
    }

    /** True while a peer has not confirmed that its connection is over. Any thread. */
    public boolean isSayingGoodbye() {
        lock.lock();
        try {
            return protocol.isSayingGoodbye();
        } finally {
            lock.unlock();
        }
    }

    // For the ids and channels.

    String name() {
        return host.name();
    }

    InetAddress inetAddress() {
        return inetAddress;
    }

    PortTable ports() {
        return ports;
    }

    int maxRdAtomic() {
        return host.maxRdAtomic();
    }

    CmHost host() {
        return host;
    }

    boolean canReach(final InetAddress destination) {
        return host.isPortUp() && host.isReachable(Gid.of(destination));
    }

    boolean holdsLock() {
        return lock.isHeldByCurrentThread();
    }

    void lockAnyway() {
        lock.lock();
    }

    /** Locks for a call that a live id of a live device is needed for. */
    void lock(final String verb, final SoftCmId id) {
        lock.lock();
        if (host.isDead() || id.state == CmIdState.CLOSED) {
            lock.unlock();
            if (host.isDead()) {
                throw new VerbsException(verb, Errno.EIO, id.toString(), "the device is dead: close the id");
            }
            throw new VerbsException(verb, Errno.EINVAL, id.toString(), "the id is closed");
        }
    }

    void unlock() {
        lock.unlock();
    }

    CmId createId(final SoftEventChannel channel, final CmPortSpace space, final @Nullable Object idContext) {
        lock.lock();
        try {
            if (host.isDead()) {
                throw new VerbsException(
                        "createId", Errno.EIO, host.name(), "the device is dead: close it and open it again");
            }
            channel.requireOpen("createId");
            return register(new SoftCmId(this, channel, space, idContext));
        } finally {
            lock.unlock();
        }
    }

    SoftCmId register(final SoftCmId id) {
        assert holdsLock() : "ids are kept under the lock";
        ids.add(id);
        id.channel.ids++;
        return id;
    }

    void closeChannel(final SoftEventChannel channel) {
        lock.lock();
        try {
            channel.closeLocked();
            channels.remove(channel);
        } finally {
            lock.unlock();
        }
    }

    void raise(final SoftCmId id, final CmEventType type, final int status) {
        raise(id, SoftCmEvent.of(type, id, status));
    }

    void raise(final SoftCmId id, final CmEventType type, final int status, final byte[] privateData) {
        raise(id, SoftCmEvent.of(type, id, status, privateData));
    }

    private static void raise(final SoftCmId id, final SoftCmEvent event) {
        if (event.type() == CmEventType.REJECTED || event.type() == CmEventType.UNREACHABLE) {
            id.failQp();
        }
        id.channel.put(event);
    }

    void raise(
            final SoftCmId id, final CmEventType type, final byte[] privateData, final ConnectParameters parameters) {
        id.channel.put(new SoftCmEvent(type, id, null, 0, privateData, parameters));
    }

    void startConnect(final SoftCmId id) {
        protocol.connect(id);
        host.wake();
    }

    void accept(final SoftCmId id) {
        protocol.accept(id);
        host.wake();
    }

    /** The owner of an active id takes the answer to its request; gives what it is told. */
    CmEvent take(final SoftCmEvent response) {
        final SoftCmId id = (SoftCmId) response.id();
        lock.lock();
        try {
            final QueuePair qp = id.qp;
            if (qp == null) {
                return response;
            }
            final int status = protocol.takeAnswer(id, qp);
            if (status == 0) {
                return new SoftCmEvent(
                        CmEventType.ESTABLISHED, id, null, 0, response.privateData(), response.parameters());
            }
            id.failQp();
            return SoftCmEvent.of(CmEventType.CONNECT_ERROR, id, status);
        } finally {
            lock.unlock();
            host.wake();
        }
    }

    /** The owner of a listener takes a request: it makes room for another one, as in the kernel. */
    void requestTaken(final SoftCmId id) {
        lock.lock();
        try {
            id.leaveBacklog();
        } finally {
            lock.unlock();
        }
    }

    void reject(final SoftCmId id, final byte[] privateData) {
        id.leaveBacklog();
        id.state = CmIdState.REJECTED;
        final Connection connection = id.connection;
        // A peer that withdrew waits for no answer.
        if (connection != null && connection.isUndecided()) {
            protocol.reject(connection, RejectReason.CONSUMER_DEFINED, privateData);
            host.wake();
        }
    }

    void disconnect(final SoftCmId id) {
        if (!protocol.disconnect(id)) {
            throw id.invalid("disconnect", "the id is not connected");
        }
        host.wake();
    }

    /**
     * Closes an id: sends its peer what ends the connection, frees its port, drops its events. With a listener go the
     * requests that nobody has taken; those that were taken are their takers', as with librdmacm.
     */
    void closeId(final SoftCmId id) {
        assert holdsLock() : "ids are kept under the lock";
        if (id.state == CmIdState.LISTENING) {
            for (final SoftCmId waiting : requestsOf(id)) {
                if (waiting.channel.forgetRequest(waiting)) {
                    closeId(waiting);
                }
            }
        }
        id.leaveBacklog();
        id.state = CmIdState.CLOSED;
        ports.release(id, id.port());
        id.channel.forget(id);
        if (ids.remove(id)) {
            id.channel.ids--;
        }
        final Connection connection = id.connection;
        id.connection = null;
        if (connection != null) {
            protocol.abandon(connection);
            host.wake();
        }
    }

    /** Requests to a listener that its owner has not decided. */
    private List<SoftCmId> requestsOf(final SoftCmId listener) {
        final List<SoftCmId> waiting = new ArrayList<>();
        for (final SoftCmId id : ids) {
            if (id.listener == listener && id.state == CmIdState.REQUESTED) {
                waiting.add(id);
            }
        }
        return waiting;
    }

    /** What an active QP is brought up with, for messages of the protocol. */
    static int qpNum(final SoftCmId id) {
        final QueuePair qp = id.qp;
        final ConnectParameters parameters = id.parameters;
        return qp != null ? qp.qpNum() : parameters.qpNum();
    }
}
