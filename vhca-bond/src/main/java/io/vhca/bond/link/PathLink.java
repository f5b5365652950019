package io.vhca.bond.link;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.member.Member;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection of a vQP, being made or in use: a CM id and a QP on one member. Control lock.
 *
 * <pre>
 *   active:   RESOLVING -> ROUTING -> CONNECTING -> ESTABLISHED -> CLOSED
 *   passive:  REQUESTED -> ACCEPTING ------------> ESTABLISHED -> CLOSED
 *   any step may end in FAILED
 * </pre>
 *
 * <p>{@link StandbyLink}: one that is made over another, which stands already. A failed link keeps its QP until the
 * owner closes it: completions may wait on it that count.
 */
public class PathLink {
    /** Reject reason of the CM when the application (here: the peer's bond) rejected. */
    public static final int REJECTED_BY_CONSUMER = 28;

    private static final int RESOLVE_TIMEOUT_MS = 2_000;
    /** So many times that of a path, while events wait. */
    private static final int MOST_GRACE = 4;

    private final BondCore core;
    private final Links links;
    private Owner owner;
    private final Member member;
    private final InetSocketAddress to;
    private final CmId id;
    private final byte[] request;
    private final LinkProof proof;
    private State state;
    private final LinkParts parts;
    private int remoteMember;
    private int remoteGeneration;
    private boolean hasCarried;
    private int reason;
    private long deadlineNs;
    private long confirmNs;

    public enum State {
        RESOLVING, ROUTING, CONNECTING, REQUESTED, ACCEPTING, ANSWERED, ESTABLISHED, FAILED, CLOSED
    }

    /** Who is told what becomes of the link. Called with the control lock held. */
    public interface Owner {
        /**
         * The route is there: create the QP by {@link #createQp} and post receives; then the REQ goes out. Over a
         * connection that stands the REP is there, and nothing comes before it was confirmed.
         */
        void onLinkReady(PathLink link);

        void onLinkEstablished(PathLink link, byte[] reply, ConnectParameters parameters, long nowNs);

        /** The peer said no; {@code privateData} is its bond's record, or empty where its CM said so by itself. */
        void onLinkRejected(PathLink link, byte[] privateData, long nowNs);

        /** Nobody answered, or a step failed. The owner closes the link when it has no more use for its QP. */
        void onLinkFailed(PathLink link, long nowNs);

        /** The CM says that an established connection ended. */
        void onLinkDisconnected(PathLink link, boolean deviceRemoval, long nowNs);

        ConnectParameters connectParameters();

        /**
         * The step under way has taken as long as it may: true where the owner waits on, having said how long
         * ({@link PathLink#waitUntil}); it may have begun another link meanwhile.
         */
        default boolean waitsOn(final PathLink link, final long nowNs) {
            return false;
        }

        /** Active: whether an answer may be that of a peer without the bond: never where a session could be lost. */
        default boolean takesPlain() {
            return false;
        }

        /** Active: says, before a route is looked for, what the packets of the queue pair will ask of the fabric. */
        default void prepare(final CmId physical) {}

        /** Active: the own port that the REQ shall show, 0 for any. */
        default int ownPort() {
            return 0;
        }
    }

    /** An owner whose link carries a question and its answer, and no queue pair. */
    public interface Question extends Owner {
        @Override
        default void onLinkReady(final PathLink link) {
            // The request is all there is to say.
        }

        @Override
        default void onLinkDisconnected(final PathLink link, final boolean deviceRemoval, final long nowNs) {
            onLinkFailed(link, nowNs);
        }

        @Override
        default ConnectParameters connectParameters() {
            return ConnectParameters.of(new byte[0]);
        }
    }

    /** The active side; {@link #start} makes the first step. */
    PathLink(
            final BondCore core, final Links links, final Owner owner, final Member member,
            final CmPortSpace portSpace, final InetSocketAddress destination, final byte[] request) {
        this.core = core;
        this.links = links;
        this.owner = owner;
        this.member = member;
        this.request = request;
        proof = new LinkProof(core);
        state = State.RESOLVING;
        deadlineNs = core.nowNs() + core.config().pathTimeoutNs();
        id = member.cm().createId(portSpace, this);
        parts = new LinkParts(core, id);
        to = destination;
        links.add(id, this);
    }

    /** Starts connecting; on an exception the link is closed. */
    PathLink start() {
        links.watch(this);
        try {
            owner.prepare(id);
            parts.resolve(member.address(), owner.ownPort(), to, RESOLVE_TIMEOUT_MS);
        } catch (final VerbsException e) {
            close();
            throw e;
        }
        return this;
    }

    /** The passive side: a REQ that arrived on a member. */
    PathLink(
            final BondCore core, final Links links, final Owner owner, final Member member, final CmId requestId) {
        this.core = core;
        this.links = links;
        this.owner = owner;
        this.member = member;
        id = requestId;
        parts = new LinkParts(core, id);
        request = new byte[0];
        proof = new LinkProof(core);
        final InetSocketAddress peer = requestId.peerAddress();
        to = peer == null ? new InetSocketAddress(member.address(), 0) : peer;
        state = State.REQUESTED;
        deadlineNs = core.nowNs() + core.config().pathTimeoutNs();
        links.add(id, this);
    }

    /** Either side, over a connection that stands: for {@link StandbyLink}, which says what {@code asks} is. */
    PathLink(final BondCore core, final Links links, final Owner owner, final PathLink standing, final byte[] asks) {
        this.core = core;
        this.links = links;
        this.owner = owner;
        member = standing.member;
        id = standing.id;
        parts = new LinkParts(core, id);
        request = asks;
        proof = new LinkProof(core);
        to = standing.to;
        remoteMember = standing.remoteMember;
        remoteGeneration = standing.remoteGeneration;
        state = isActive() ? State.CONNECTING : State.REQUESTED;
        deadlineNs = core.nowNs() + core.config().pathTimeoutNs();
    }

    /** From now on answers are signed by it, those that are sent and those that arrive. */
    public void seal(final @Nullable Seal signing) {
        proof.seal(signing);
    }

    /** The session that a REQ of that name over this link opens: the same without a key. */
    public SessionId sessionOf(final SessionId name) {
        return proof.sessionOf(name);
    }

    /** Passive: the own address that the REQ came to. */
    public InetAddress local() {
        final InetSocketAddress address = id.localAddress();
        return address == null || address.getAddress().isAnyLocalAddress() ? member.address() : address.getAddress();
    }

    /** Passive: what the REQ asks of the fabric, as far as the member tells. */
    public ServiceClass serviceClass() {
        return parts.serviceClass();
    }

    final boolean isActive() {
        return request.length > 0;
    }

    /** Passive: the REQ's private data says what its sender understands. */
    public void asked(final byte[] sent) {
        proof.asked(sent);
    }

    /** Passive: what both bonds can do, as far as the REQ tells. */
    public Agreement agreement() {
        return proof.agreement();
    }

    /** Hands the link over: from now on the other owner is told. */
    public void owner(final Owner next) {
        assert core.holdsLock();
        owner = next;
    }

    public Member member() {
        return member;
    }

    public InetAddress remote() {
        return to.getAddress();
    }

    /** Passive: the port that the REQ came from, 0 where the member does not tell. */
    public int remotePort() {
        return to.getPort();
    }

    public int remoteMember() {
        return remoteMember;
    }

    /** The generation of the peer's device that this link goes to. */
    public int remoteGeneration() {
        return remoteGeneration;
    }

    /** Takes what the peer says of the member that it speaks from. */
    public void speaksFrom(final MemberId sender) {
        remoteMember = sender.index();
        remoteGeneration = sender.generation();
    }

    public State state() {
        return state;
    }

    public @Nullable QueuePair qp() {
        return parts.qp();
    }

    /** False while nothing can have come over the QP: neither was the own REQ answered nor the peer's accepted. */
    public boolean hasCarried() {
        return hasCarried;
    }

    /**
     * Creates the physical queue pair of this link, which owns it from now on; over a connection that stands, takes
     * that one's.
     *
     * @throws VerbsException as the member says; EIO where the connection does not stand any more
     */
    public QueuePair createQp(final BiFunction<CmId, Member, CarriedQp> maker) {
        assert core.holdsLock();
        return parts.use(take(maker));
    }

    /** The queue pair that {@link #createQp} is asked for. */
    CarriedQp take(final BiFunction<CmId, Member, CarriedQp> maker) {
        return maker.apply(id, member);
    }

    /** Creates the physical queue pair for a link over this one, which takes it with everything else. */
    public void reserveQp(final BiFunction<CmId, Member, CarriedQp> maker) {
        assert core.holdsLock();
        parts.reserve(maker.apply(id, member));
    }

    /** Gives everything to a link over this one; EIO where there is nothing any more. */
    final CarriedQp handOver(final PathLink to) {
        final CarriedQp given = state == State.ESTABLISHED ? parts.give() : null;
        if (given == null) {
            throw new VerbsException("createQp", Errno.EIO, toString(), "the connection that stood by has ended");
        }
        links.pass(id, to);
        state = State.CLOSED;
        return given;
    }

    /** Passive: answers the REQ; the QP must have been created and its receives posted. */
    public void accept(final byte[] reply, final long nowNs) {
        acceptPlain(proof.signed(reply), nowNs);
    }

    /** The same with that data and nothing else, as to a peer without the bond. */
    public void acceptPlain(final byte[] data, final long nowNs) {
        assert core.holdsLock();
        assert qp() != null : "the queue pair comes before the answer";
        hasCarried = true;
        sendAnswer(data);
        state = State.ACCEPTING;
        links.watch(this);
        deadlineNs = nowNs + Math.max(confirmNs, core.config().pathTimeoutNs());
    }

    void sendAnswer(final byte[] data) {
        id.ackTimeout(core.config().ackTimeout());
        id.accept(parameters(data));
    }

    void sendRefusal(final byte[] data) {
        id.reject(data);
    }

    /** Passive: how long the answer may remain without a confirmation at least. */
    public void confirmWithin(final long leastNs) {
        confirmNs = leastNs;
    }

    /** Passive, for datagrams: answers with the number of a vQP and its Q_Key. */
    public void acceptDatagrams(final byte[] reply, final int qpNum, final int qkey) {
        assert core.holdsLock();
        if (state == State.REQUESTED) {
            id.accept(new ConnectParameters(proof.written(reply), 0, 0, 0, 0, qpNum, qkey));
            state = State.ANSWERED;
        }
    }

    /** Passive: says no, and is closed. */
    public void reject(final byte[] record) {
        rejectPlain(proof.signed(record));
    }

    /** The same with that data and nothing else, as to a peer without the bond. */
    public void rejectPlain(final byte[] data) {
        assert core.holdsLock();
        if (state == State.REQUESTED) {
            try {
                sendRefusal(data);
            } catch (final VerbsException e) {
                core.counters().ignored(e);
            }
        }
        close();
    }

    /** Passive: nobody here is to be connected to that peer now; it may ask again. */
    public void refuseUnknown(final SessionId session) {
        core.counters().add(Counter.REQ_UNKNOWN_SESSION, 1);
        reject(new RejectRecord(RejectCode.UNKNOWN_SESSION, session, 0).encode());
    }

    /** Passive: who asks is not whom it says. */
    public void refuseForged(final SessionId session) {
        core.counters().refused(Counter.REQ_FORGED, remote());
        reject(new RejectRecord(RejectCode.BAD_SESSION, session, 0).encode());
    }

    /** Passive: who asks shows what it must, and is not where the peer's members are; it may ask again, from there. */
    public void refuseNotNamed(final SessionId session) {
        core.counters().refused(Counter.REQ_NOT_NAMED, remote());
        reject(new RejectRecord(RejectCode.NO_RESOURCES, session, 0).encode());
    }

    public void onEvent(final CmEvent event, final long nowNs) {
        assert core.holdsLock();
        if (state == State.CLOSED || state == State.FAILED) {
            return;
        }
        try {
            switch (event.type()) {
                case ADDR_RESOLVED -> {
                    state = State.ROUTING;
                    id.resolveRoute(RESOLVE_TIMEOUT_MS);
                }
                case ROUTE_RESOLVED -> sendRequest();
                case ESTABLISHED -> established(event.privateData(), event.parameters(), nowNs);
                case REJECTED -> {
                    reason = event.status();
                    rejected(reason == REJECTED_BY_CONSUMER ? event.privateData() : new byte[0], nowNs);
                }
                case ADDR_ERROR, ROUTE_ERROR -> fail(nowNs);
                case UNREACHABLE -> {
                    if (event.status() > 0) {
                        // The status of a SIDR_REP: a service that is not there, or says no.
                        state = State.FAILED;
                        owner.onLinkRejected(this, event.privateData(), nowNs);
                    } else {
                        ended(false, nowNs);
                    }
                }
                // On a connection that stands these tell its end, as when the other side's word is not answered.
                case CONNECT_ERROR, DISCONNECTED -> ended(false, nowNs);
                case DEVICE_REMOVAL -> ended(true, nowNs);
                default -> {
                    // TIMEWAIT_EXIT and the like concern the member, not the vQP.
                }
            }
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            fail(nowNs);
        }
    }

    /** Both ends have said yes; a passive end may know that by what the other one asks, before the CM says it. */
    public final void established(final byte[] sent, final ConnectParameters parameters, final long nowNs) {
        if (state == State.ESTABLISHED || state == State.ANSWERED) {
            return;
        }
        final byte[] reply = isActive() ? proof.opened(sent, owner.takesPlain(), remote()) : sent;
        if (reply == null) {
            fail(nowNs);
            return;
        }
        beforeEstablished();
        state = State.ESTABLISHED;
        hasCarried = true;
        owner.onLinkEstablished(this, reply, parameters, nowNs);
    }

    final void rejected(final byte[] data, final long nowNs) {
        final byte[] opened = isActive() ? proof.opened(data, owner.takesPlain(), remote()) : data;
        if (opened == null) {
            fail(nowNs);
        } else {
            state = State.FAILED;
            owner.onLinkRejected(this, opened, nowNs);
        }
    }

    /** The other end has said yes. */
    void beforeEstablished() {
        // The CM says the rest by itself.
    }

    private void sendRequest() {
        owner.onLinkReady(this);
        if (state != State.ROUTING) {
            return;
        }
        id.ackTimeout(core.config().ackTimeout());
        state = State.CONNECTING;
        id.connect(parameters(request));
    }

    private ConnectParameters parameters(final byte[] data) {
        final ConnectParameters from = owner.connectParameters();
        return new ConnectParameters(
                data, from.responderResources(), from.initiatorDepth(), core.config().retryCnt(), from.rnrRetryCount(),
                0, 0);
    }

    private void ended(final boolean deviceRemoval, final long nowNs) {
        if (state == State.ESTABLISHED) {
            owner.onLinkDisconnected(this, deviceRemoval, nowNs);
        } else {
            fail(nowNs);
        }
    }

    /** A step failed; the owner hears of it. */
    public final void fail(final long nowNs) {
        state = State.FAILED;
        owner.onLinkFailed(this, nowNs);
    }

    /** True while something is awaited from the network. */
    public boolean isPending() {
        return state == State.RESOLVING || state == State.ROUTING
                || state == State.CONNECTING || state == State.ACCEPTING;
    }

    public long deadlineNs() {
        return deadlineNs;
    }

    /** How long the step under way may take, where that is another time than the path's. */
    public void waitUntil(final long untilNs) {
        deadlineNs = untilNs;
    }

    /**
     * Ends an attempt that takes too long; the CM's own retries may go on far longer than a path is worth. What has
     * arrived comes first: the answer may be among the events that nobody has looked at yet. But a flood of them, which
     * anybody can make, holds it up for so long only.
     */
    public boolean checkDeadline(final long nowNs) {
        assert core.holdsLock();
        final long graceNs = member.hasEventsLeft() ? MOST_GRACE * core.config().pathTimeoutNs() : 0;
        if (!isPending() || nowNs - deadlineNs < graceNs) {
            return false;
        }
        if (!owner.waitsOn(this, nowNs)) {
            fail(nowNs);
        }
        return true;
    }

    /**
     * Moves the QP to ERR (never straight to RESET, which swallows completions) and posts a marker behind everything on
     * both queues. True when the markers will come back; false when the QP can only be destroyed.
     */
    public boolean fence(final long sendMarker, final long recvMarker, final long scratchWr) {
        assert core.holdsLock();
        return member.isAlive() && parts.fence(sendMarker, recvMarker, scratchWr);
    }

    /**
     * The member's device is dead: the owner hears that the connection is over, and the QP and the id are destroyed,
     * whoever still holds the link. What had arrived on the QP is kept first.
     */
    void bury(final long nowNs) {
        assert core.holdsLock();
        if (state == State.REQUESTED && !isGuest()) {
            sendElsewhere();
        }
        if (state != State.CLOSED && state != State.FAILED) {
            ended(true, nowNs);
        }
        if (state != State.CLOSED) {
            state = State.FAILED;
            final CarriedQp carried = parts.carried();
            if (carried != null) {
                carried.letGo(this);
            }
            release();
        }
    }

    /** Rejects the REQ, so that its sender asks over another member at once; a dead device cannot send that. */
    private void sendElsewhere() {
        try {
            id.reject(proof.written(new RejectRecord(RejectCode.NO_RESOURCES, SessionId.NONE, 0).encode()));
        } catch (final VerbsException e) {
            core.counters().ignored(e);
        }
    }

    /** Active: the reason of the REJ, where one came; {@link #REJECTED_BY_CONSUMER} or one of the CM's own. */
    public int reason() {
        return reason;
    }

    /** Whether the id is another's. */
    boolean isGuest() {
        return false;
    }

    final Owner owner() {
        return owner;
    }

    /** Destroys the QP alone: the connection stands, and its end is told. Idempotent. */
    public void destroyQp() {
        parts.destroyQp();
    }

    /** Destroys the QP and the id. Idempotent. */
    public void close() {
        assert core.holdsLock();
        if (state != State.CLOSED) {
            state = State.CLOSED;
            release();
        }
    }

    private void release() {
        if (isGuest()) {
            links.removeGuest(this);
        } else if (!parts.isGone()) {
            links.remove(id);
            parts.destroy();
        }
    }

    @Override
    public String toString() {
        return member.name() + " -> " + remote().getHostAddress() + " " + state + " " + Arrays.hashCode(request);
    }
}
