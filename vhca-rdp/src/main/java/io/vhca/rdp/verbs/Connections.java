package io.vhca.rdp.verbs;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.Buffer;
import io.vhca.rdp.engine.Peer;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.engine.Transport;
import io.vhca.rdp.wire.Hello;
import io.vhca.rdp.wire.Reject;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The connections to other nodes, by the connection manager of a device. Where two nodes call each other at once, the
 * call of the lower address goes on. One thread at a time; nothing blocks.
 */
final class Connections implements Transport, AutoCloseable {
    private static final Logger LOGGER = System.getLogger(Connections.class.getName());

    private static final int RESOLVE_MS = 5_000;
    private static final int BACKLOG = 64;

    private final RdpConfig config;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final int mostCqe;
    private final CmEventChannel channel;
    private final CmId listener;
    private final SplittableRandom random;
    private final RdpEngine engine;
    private final List<@Nullable Session> sessions = new ArrayList<>();
    private final Arena arena;
    private final SendWorkRequest send;
    private final RecvWorkRequest receive;
    private int nextSerial;
    private int open;
    /** The device has less room for what a caller says of itself than most. */
    private boolean isBrief;

    private boolean isWarned;

    Connections(
            final Context context, final ProtectionDomain pd, final CompletionQueue cq, final EngineMaker maker,
            final RdpConfig config, final SplittableRandom random) {
        this.config = config;
        this.pd = pd;
        this.cq = cq;
        mostCqe = context.queryDevice().maxCqe();
        this.random = random;
        engine = maker.make(this);
        channel = context.createEventChannel();
        boolean isListening = false;
        try {
            listener = listen(channel, new InetSocketAddress(engine.address(), config.port()));
            isListening = true;
        } finally {
            if (!isListening) {
                channel.close();
            }
        }
        arena = Arena.ofShared();
        send = SendWorkRequest.allocate(arena, 2);
        receive = RecvWorkRequest.allocate(arena, 1);
    }

    /** An id that listens, or none is left. */
    private static CmId listen(final CmEventChannel channel, final InetSocketAddress address) {
        final CmId id = channel.createId(CmPortSpace.TCP, null);
        boolean isListening = false;
        try {
            id.bindAddr(address);
            id.listen(BACKLOG);
            isListening = true;
            return id;
        } finally {
            if (!isListening) {
                id.close();
            }
        }
    }

    /** Makes the engine that these connections are for. */
    interface EngineMaker {
        RdpEngine make(Transport transport);
    }

    RdpEngine engine() {
        return engine;
    }

    /** The session of a node that a completion belongs to, or null where that one is over. */
    @Nullable Session session(final int node, final int serial) {
        final Session session = node < sessions.size() ? sessions.get(node) : null;
        return session != null && (session.serial() & WrIdDescriptor.SESSION_MASK) == serial ? session : null;
    }

    private @Nullable Session session(final Peer peer) {
        return peer.index() < sessions.size() ? sessions.get(peer.index()) : null;
    }

    private Session begin(final Peer peer, final int number, final boolean isCaller) {
        while (sessions.size() <= peer.index()) {
            sessions.add(null);
        }
        final Session session = new Session(peer, number, nextSerial++, isCaller, config.lanes());
        sessions.set(peer.index(), session);
        open++;
        return session;
    }

    /** Lets the queue hold what can complete at once, and as much again where the device has room for that. */
    private void makeRoom(final Peer peer) {
        final int needed = (open + 1) * completionsOfSession(config);
        if (needed > cq.cqe()) {
            try {
                cq.resize((int) Math.max(needed, Math.min(mostCqe, 2L * needed)));
            } catch (final VerbsException e) {
                engine.nodes().onFull(peer);
                throw e;
            }
        }
    }

    /** How many completions can come of one node at once. */
    static int completionsOfSession(final RdpConfig config) {
        return 2 * (config.lanes() * config.dataRecvBuffers() + config.ctrlRecvBuffers());
    }

    // What the engine asks for.

    @Override
    public void connect(final Peer peer) {
        final Session session = begin(peer, random.nextInt(), true);
        try {
            makeRoom(peer);
            for (int lane = 0; lane < config.lanes(); lane++) {
                final CmId id = channel.createId(CmPortSpace.TCP, session);
                session.id(lane, id);
                id.resolveAddr(null, new InetSocketAddress(peer.address(), config.port()), RESOLVE_MS);
            }
        } catch (final VerbsException e) {
            // The device has no room for one more node, or is dead: who sends hears that there is no path.
            engine.nodes().onDown(peer);
        }
    }

    @Override
    public void disconnect(final Peer peer) {
        final Session session = session(peer);
        if (session != null) {
            final int before = session.queuePairs();
            try {
                session.close();
            } finally {
                engine.counters().add(Counter.QUEUE_PAIRS, session.queuePairs() - before);
            }
            sessions.set(peer.index(), null);
            open--;
        }
    }

    @Override
    public boolean send(final Peer peer, final int lane, final Buffer buffer, final int messageBytes) {
        final Session session = sessions.get(peer.index());
        final QueuePair qp = session == null ? null : session.qp(lane);
        if (session == null || qp == null) {
            return false;
        }
        send.wrId(WrIdDescriptor.encode(buffer.pool().id(), peer.index(), session.serial(), buffer.index()))
                .opcode(buffer.hasImmediate() ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND)
                .immData(buffer.immediate())
                .sendFlags(SendFlags.SIGNALED);
        if (buffer.gatherBytes() == messageBytes) {
            send.sge(buffer.gatherAddress(), messageBytes, buffer.gatherLkey());
        } else {
            send.sge(buffer.messageAddress(), messageBytes - buffer.gatherBytes(), buffer.lkey());
            if (buffer.gatherBytes() > 0) {
                send.sge(1, buffer.gatherAddress(), buffer.gatherBytes(), buffer.gatherLkey()).numSge(2);
            }
        }
        return qp.postSend(send.address()) == 1;
    }

    @Override
    public boolean write(
            final Peer peer, final int lane, final Buffer buffer, final long address, final int rkey,
            final int number) {
        final Session session = sessions.get(peer.index());
        final QueuePair qp = session == null ? null : session.qp(lane);
        if (session == null || qp == null) {
            return false;
        }
        send.wrId(WrIdDescriptor.encode(buffer.pool().id(), peer.index(), session.serial(), buffer.index()))
                .opcode(WrOpcode.RDMA_WRITE_WITH_IMM)
                .sendFlags(SendFlags.SIGNALED)
                .immData(number)
                .rdma(address, rkey)
                .sge(buffer.gatherAddress(), buffer.gatherBytes(), buffer.gatherLkey());
        return qp.postSend(send.address()) == 1;
    }

    @Override
    public boolean receive(final Peer peer, final int lane, final Buffer buffer) {
        final Session session = sessions.get(peer.index());
        final QueuePair qp = session == null ? null : session.qp(lane);
        if (session == null || qp == null) {
            return false;
        }
        receive.wrId(WrIdDescriptor.encode(buffer.pool().id(), peer.index(), session.serial(), buffer.index()))
                .sge(buffer.address(), buffer.pool().messageBytes(), buffer.lkey());
        return qp.postRecv(receive.address()) == 1;
    }

    // What the connection manager says.

    /**
     * Who is told once when it has something to say, in place of who was told before.
     *
     * @return false where nobody can be: it is to be asked
     */
    boolean onEvent(final Runnable told) {
        return channel.onEvent(told);
    }

    /** Takes what the connection manager has to say; how much that was. */
    int doWork() {
        int work = 0;
        CmEvent event = channel.getEvent(0);
        while (event != null) {
            work++;
            // Acknowledged first: an id cannot be closed before.
            event.ack();
            onEvent(event);
            event = channel.getEvent(0);
        }
        return work;
    }

    private void onEvent(final CmEvent event) {
        final CmId id = event.id();
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            onRequest(id, Hello.decode(event.privateData()));
            return;
        }
        final Session session = sessionOf(id);
        if (session == null) {
            return;
        }
        final int lane = session.laneOf(id);
        try {
            switch (event.type()) {
                case ADDR_RESOLVED -> id.resolveRoute(RESOLVE_MS);
                case ROUTE_RESOLVED -> {
                    if (!connect(session, lane, id)) {
                        engine.nodes().onDown(session.peer());
                    }
                }
                case ESTABLISHED -> onEstablished(session, lane, event.privateData());
                case REJECTED -> onRejected(session, Reject.decode(event.privateData()));
                case ADDR_CHANGE, TIMEWAIT_EXIT -> {
                    // Nothing of the connection changes.
                }
                default -> engine.nodes().onDown(session.peer());
            }
        } catch (final VerbsException e) {
            // The id is in no state for what its event asks for: the device died, or the connection did.
            engine.nodes().onDown(session.peer());
        }
    }

    private @Nullable Session sessionOf(final CmId id) {
        for (final Session session : sessions) {
            if (session != null && session.laneOf(id) >= 0) {
                return session;
            }
        }
        return null;
    }

    private boolean connect(final Session session, final int lane, final CmId id) {
        if (!prepare(session, lane, id)) {
            return false;
        }
        call(id, hello(session, lane));
        return true;
    }

    /** Says all that there is room for. */
    private void call(final CmId id, final Hello hello) {
        final byte[] brief = hello.encodeBriefly();
        if (isBrief && brief != null) {
            id.connect(ConnectParameters.of(brief));
            return;
        }
        try {
            id.connect(ConnectParameters.of(hello.encode()));
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EINVAL) {
                throw e;
            }
            if (brief == null) {
                warn(e);
                throw e;
            }
            // A bond with a key: if it is that, there is room for this.
            id.connect(ConnectParameters.of(brief));
            isBrief = true;
        }
    }

    private void warn(final VerbsException e) {
        if (!isWarned) {
            isWarned = true;
            LOGGER.log(
                    Logger.Level.WARNING,
                    "no node can be called: " + e.getMessage() + "; a bond with auth_key_file has room for the"
                            + " address of this node, " + engine.address().getHostAddress()
                            + ", only where it is one of IPv4");
        }
    }

    private boolean prepare(final Session session, final int lane, final CmId id) {
        final int depth = config.dataRecvBuffers() + (lane == 0 ? config.ctrlRecvBuffers() : 0);
        session.qp(lane, id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(depth, depth, 2, 1, 0))));
        engine.counters().increment(Counter.QUEUE_PAIRS);
        return engine.nodes().fill(session.peer(), lane);
    }

    private Hello hello(final Session session, final int lane) {
        return new Hello(
                lane, config.lanes(), config.sizeClasses().get(lane), config.dataRecvBuffers(),
                config.ctrlRecvBuffers(), session.number(), engine.address(), true, session.asksName());
    }

    private void onEstablished(final Session session, final int lane, final byte[] privateData) {
        final Peer peer = session.peer();
        if (session.isCaller()) {
            final Hello hello = Hello.decode(privateData);
            if (hello == null || hello.laneIndex() != lane) {
                engine.counters().increment(Counter.FOREIGN);
                engine.nodes().onDown(peer);
                return;
            }
            if (!hello.address().equals(peer.address())) {
                onNamed(session, hello.address());
                return;
            }
            engine.nodes().onHello(peer, lane, hello.credits(), hello.controlCredits(), hello.readsBatches());
        }
        if (session.established(lane)) {
            engine.nodes().onUp(peer);
        }
    }

    private void onRejected(final Session session, final Reject reject) {
        final Peer peer = session.peer();
        final InetAddress name = reject.name();
        final boolean isOther = name != null && !name.equals(peer.address());
        if (name != null && isOther
                && (reject.reason() == Reject.Reason.COLLISION || reject.reason() == Reject.Reason.NAMED)) {
            onNamed(session, name);
        } else if (reject.reason() == Reject.Reason.COLLISION) {
            engine.nodes().onReplaced(peer);
        } else if (reject.reason() == Reject.Reason.NAMED && name != null && session.asksName()) {
            engine.nodes().onConfirmed(peer);
        } else {
            engine.nodes().onDown(peer);
        }
    }

    /**
     * The other end has another name than it was called by. It has not where somebody said just before that this is it,
     * else two could send this end back and forth for ever; and it has not the name of this node, unless it is this
     * node.
     */
    private void onNamed(final Session session, final InetAddress name) {
        if (session.asksName() && (session.isOwn() || !name.equals(engine.address()))) {
            if (!session.isOwn()) {
                engine.nodes().isAnothers(name);
            }
            engine.nodes().onNamed(session.peer(), name);
        } else {
            engine.counters().increment(Counter.FOREIGN);
            engine.nodes().onDown(session.peer());
        }
    }

    private void onRequest(final CmId id, final @Nullable Hello hello) {
        final Reject.Reason wrong = hello == null ? Reject.Reason.FOREIGN : judge(hello);
        if (hello == null || wrong != Reject.Reason.UNKNOWN) {
            refuse(id, wrong);
            return;
        }
        final Peer peer = engine.nodes().peer(hello.address());
        Session session = session(peer);
        if (session != null && session.number() != hello.session()) {
            // The other end has given up what there was; or both called, and its call is the one that goes on.
            engine.nodes().onReplaced(peer);
            session = null;
        }
        if (session == null) {
            engine.nodes().onConnecting(peer);
            session = begin(peer, hello.session(), false);
        }
        final int lane = hello.laneIndex();
        session.id(lane, id);
        try {
            makeRoom(peer);
            engine.nodes().onHello(peer, lane, hello.credits(), hello.controlCredits(), hello.readsBatches());
            if (prepare(session, lane, id)) {
                id.accept(ConnectParameters.of(hello(session, lane).encode()));
                return;
            }
        } catch (final VerbsException e) {
            // With the session goes the id, so its caller hears of it.
            assert e.errno() > 0;
        }
        engine.nodes().onDown(peer);
    }

    /** Why a call is refused, UNKNOWN where it is not. */
    private Reject.Reason judge(final Hello hello) {
        if (hello.lanes() != config.lanes() || hello.payloadBytes() != config.sizeClasses().get(hello.laneIndex())) {
            return Reject.Reason.SIZES_DIFFER;
        }
        engine.nodes().isAnothers(hello.address());
        final Peer peer;
        try {
            peer = engine.nodes().peer(hello.address());
        } catch (final VerbsException e) {
            return Reject.Reason.FULL;
        }
        if (hello.address().equals(engine.address())) {
            return judgeOwn(hello);
        }
        final Session session = session(peer);
        if (session == null) {
            return Reject.Reason.UNKNOWN;
        }
        if (session.number() == hello.session()) {
            return session.isCaller() || session.has(hello.laneIndex())
                    ? Reject.Reason.FOREIGN
                    : Reject.Reason.UNKNOWN;
        }
        if (session.isCaller() && !session.isUp() && isLower(peer)) {
            return Reject.Reason.COLLISION;
        }
        // Who calls may have given up nothing, and not know who this is. Where both have just called he knows no other
        // session.
        return hello.asksName() && (!session.isCaller() || session.isAnswered())
                ? Reject.Reason.NAMED
                : Reject.Reason.UNKNOWN;
    }

    /** This node was called by itself, by another of its addresses; or there is another node of the same name. */
    private Reject.Reason judgeOwn(final Hello hello) {
        for (final Session session : sessions) {
            if (session != null && session.isCaller() && session.number() == hello.session()) {
                session.ofItself();
            }
        }
        return hello.asksName() ? Reject.Reason.NAMED : Reject.Reason.FOREIGN;
    }

    private boolean isLower(final Peer peer) {
        return Arrays.compareUnsigned(engine.address().getAddress(), peer.address().getAddress()) < 0;
    }

    private void refuse(final CmId id, final Reject.Reason reason) {
        if (reason != Reject.Reason.COLLISION && reason != Reject.Reason.NAMED) {
            engine.counters().increment(Counter.FOREIGN);
        }
        try {
            id.reject(new Reject(reason, engine.address()).encode());
        } catch (final VerbsException e) {
            // Who called is gone.
            assert e.errno() > 0;
        }
        id.close();
    }

    /** All sessions are ended before. */
    @Override
    public void close() {
        listener.close();
        channel.close();
        arena.close();
    }
}
