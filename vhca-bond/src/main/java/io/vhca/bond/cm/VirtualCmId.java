package io.vhca.bond.cm;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.MemberListeners;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.VirtualQueuePair;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the virtual CM ids of both port spaces have in common: addresses, the state, the queue pair, listening on every
 * member, and what each call asks for before it does anything. Nothing is resolved before the connect, for only then a
 * path is chosen. Control lock.
 *
 * @param <Q> its queue pairs
 */
public abstract class VirtualCmId<Q extends VirtualQueuePair> implements CmId, MemberListeners.Target {
    private final BondEventChannel channel;
    private final CmScope scope;
    private final BondCore core;
    private final @Nullable Object idContext;
    private final CmPortSpace portSpace;
    private final PrivateDataLimits limits;
    private State state = State.IDLE;
    private @Nullable Q qp;
    private @Nullable InetSocketAddress local;
    private @Nullable InetSocketAddress peer;
    private @Nullable MemberListeners listeners;
    private ServiceClass serviceClass = ServiceClass.NONE;
    /** What this id shows and no other may. */
    private AddressBook.@Nullable Claim claim;

    /** Where an id stands; each port space knows some of them. */
    protected enum State {
        IDLE,
        BOUND,
        RESOLVED,
        ROUTED,
        CONNECTING,
        REQUESTED,
        ANSWERED,
        ACCEPTING,
        CONNECTED,
        DISCONNECTED,
        LISTENING,
        CLOSED
    }

    /** How many bytes of private data an application may give with each call, beside the bond's own record. */
    public record PrivateDataLimits(int connect, int accept, int reject) {}

    protected VirtualCmId(
            final BondEventChannel channel,
            final @Nullable Object idContext,
            final CmPortSpace portSpace,
            final PrivateDataLimits limits) {
        this.channel = channel;
        this.idContext = idContext;
        this.portSpace = portSpace;
        this.limits = limits;
        scope = channel.scope();
        core = scope.core();
    }

    /** What it is made of. */
    public final CmScope scope() {
        return scope;
    }

    protected final BondEventChannel events() {
        return channel;
    }

    protected final State state() {
        return state;
    }

    protected final void state(final State next) {
        assert core.holdsLock();
        assert state != State.CLOSED : "a closed id came to be " + next;
        if (state == State.REQUESTED) {
            channel.decided(this);
        }
        state = next;
        if (next == State.CLOSED || next == State.DISCONNECTED) {
            final AddressBook.Claim over = claim;
            claim = null;
            if (over != null) {
                scope.addresses().release(over);
            }
        }
    }

    /** A request that the application was not told of is refused as one that may come again. */
    protected abstract void giveWay();

    /** The listener of a request is closed before the application took the request. */
    final void untaken() {
        if (state == State.REQUESTED) {
            giveWay();
        } else {
            close(); // the peer has withdrawn it
        }
    }

    /** Moves to a state, and the application is told why. */
    protected final void state(final State next, final BondCmEvent told) {
        state(next);
        channel.offer(told);
    }

    /** The queue pair of this id, or null; also where the application has destroyed it by itself. */
    protected final @Nullable Q ownQp() {
        return qp == null || qp.isClosed() ? null : qp;
    }

    /** Creates the queue pair of this id, which may have one now. */
    protected abstract Q create(ProtectionDomain pd, QpInitAttributes attributes);

    protected final Q createOwnQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        assert core.holdsLock();
        final Q created = create(pd, attributes);
        qp = created;
        return created;
    }

    /** Begins to connect, with parameters that are this id's; the id is CONNECTING once this returns. */
    protected abstract void begin(ConnectParameters parameters);

    /** Answers a request, with parameters that are this id's: the answer may have to be given again. */
    protected abstract void answer(ConnectParameters parameters);

    /** Refuses a request, with data that is this id's. */
    protected abstract void refuse(byte[] privateData);

    /** Gives up what is under way: the id is being closed. */
    protected abstract void giveUp();

    /** This id is that of a request which came from there to a listener, which may be the bond's own. */
    protected final void requestedAt(final @Nullable VirtualCmId<?> listener, final PathLink link) {
        assert core.holdsLock();
        state = State.REQUESTED;
        final InetSocketAddress at = listener == null ? null : listener.local;
        local = at != null && at.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(link.member().address(), at.getPort())
                : at;
        peer = new InetSocketAddress(link.remote(), listener == null ? link.remotePort() : claimPeerPort(link));
        channel.add(this);
    }

    /**
     * The port that the request came from. Another one where a live connection shows that: two programs may share a
     * device, and a port of a member is free again once its connection has moved to another member.
     */
    private int claimPeerPort(final PathLink link) {
        if (portSpace == CmPortSpace.UDP) {
            return link.remotePort(); // a question may be asked again, and is no connection
        }
        final AddressBook book = scope.addresses();
        claim = link.remotePort() == 0 ? null : book.exact(portSpace, link.remote(), link.remotePort());
        if (claim == null) {
            claim = book.any(portSpace, link.remote());
        }
        return claim == null ? link.remotePort() : claim.port();
    }

    protected final VerbsException wrong(final String verb, final String detail) {
        return new VerbsException(verb, Errno.EINVAL, toString(), detail);
    }

    /** Throws EINVAL unless the id is in one of those states. */
    protected final void check(final String verb, final State... allowed) {
        if (!Arrays.asList(allowed).contains(state)) {
            throw wrong(verb, "it is " + state + ", the call needs " + Arrays.toString(allowed));
        }
    }

    private void checkLength(final String verb, final byte[] data, final int most) {
        if (data.length > most) {
            throw wrong(
                    verb,
                    "private data is " + data.length + " bytes long, beside the bond's own record " + most + " fit");
        }
    }

    /** Throws EINVAL where this id cannot get such a queue pair now. */
    private void checkCreation(final ProtectionDomain pd, final QpInitAttributes attributes) {
        check("createQp", State.RESOLVED, State.ROUTED, State.REQUESTED);
        if (ownQp() != null) {
            throw wrong("createQp", "it has a queue pair already");
        }
        if (pd.context() != scope.context()) {
            throw wrong("createQp", "the protection domain belongs to another context");
        }
        final QpType type = portSpace == CmPortSpace.UDP ? QpType.UD : QpType.RC;
        if (attributes.qpType() != type) {
            throw wrong("createQp", "an id of RDMA_PS_" + portSpace + " takes a QP of type " + type);
        }
    }

    /** Active: the port that the peer is shown; 0 for any. */
    public final int ownPort() {
        final InetSocketAddress own = local;
        return own == null ? 0 : own.getPort();
    }

    /** Port of the peer, once its address was given. */
    protected final int peerPort() {
        return Objects.requireNonNull(peer).getPort();
    }

    /** Where the peer is: as configured, or as its bond said; else the address that was given. */
    protected final List<InetAddress> peerAddresses() {
        final InetAddress to = Objects.requireNonNull(peer).getAddress();
        final List<InetAddress> configured = core.config().peers().get(to);
        return configured != null ? configured : scope.peers().heldAddressesOf(to);
    }

    /** Where it was besides, as a bond said that nothing is connected to any more: another host may be there now. */
    protected final List<InetAddress> pastAddresses() {
        final InetSocketAddress to = peer;
        if (to == null || core.config().peers().containsKey(to.getAddress())) {
            return List.of();
        }
        final List<InetAddress> all = scope.peers().addressesOf(to.getAddress());
        all.removeAll(peerAddresses());
        return all;
    }

    /** Whether the bond that answers from one of {@link #pastAddresses} has the address that was given, or had it. */
    protected final boolean isPeer(final long instance, final List<MemberAddress> members) {
        final InetSocketAddress to = Objects.requireNonNull(peer);
        return members.stream().anyMatch(member -> member.inetAddress().equals(to.getAddress()))
                || scope.peers().isMetAt(instance, to.getAddress());
    }

    @Override
    public final CmEventChannel channel() {
        return channel;
    }

    @Override
    public final Context context() {
        return scope.context();
    }

    @Override
    public final @Nullable Object idContext() {
        return idContext;
    }

    @Override
    public final CmPortSpace portSpace() {
        return portSpace;
    }

    @Override
    public final @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public final @Nullable InetSocketAddress peerAddress() {
        return peer;
    }

    @Override
    public final void bindAddr(final InetSocketAddress address) {
        core.lock();
        try {
            check("bindAddr", State.IDLE);
            checkOwn("bindAddr", address);
            listeners = MemberListeners.bind(core, scope.members(), this, portSpace, address.getPort());
            local = new InetSocketAddress(address.getAddress(), listeners.port());
            state = State.BOUND;
        } finally {
            core.unlock();
        }
    }

    private void checkOwn(final String verb, final InetSocketAddress at) {
        if (at.isUnresolved()) {
            throw wrong(verb, "the host name " + at.getHostString() + " could not be resolved");
        }
        final InetAddress address = at.getAddress();
        if (!address.isAnyLocalAddress() && !scope.members().isOwnAddress(address)) {
            throw new VerbsException(
                    verb,
                    Errno.EADDRNOTAVAIL,
                    toString(),
                    address.getHostAddress() + " is neither the bond's alias nor a member's address");
        }
    }

    @Override
    public final void listen(final int backlog) {
        core.lock();
        try {
            check("listen", State.BOUND);
            Objects.requireNonNull(listeners).listen(backlog);
            state = State.LISTENING;
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void resolveAddr(
            final @Nullable InetSocketAddress source, final InetSocketAddress to, final int timeoutMs) {
        core.lock();
        try {
            check("resolveAddr", State.IDLE, State.BOUND);
            if (to.isUnresolved()) {
                throw wrong("resolveAddr", "the host name " + to.getHostString() + " could not be resolved");
            }
            if (to.getPort() == 0) {
                throw wrong("resolveAddr", "the destination " + to + " needs a port");
            }
            final InetSocketAddress bound = local;
            final InetSocketAddress wanted = bound != null ? bound : source;
            final InetSocketAddress own = claimOwn(wanted == null ? new InetSocketAddress(0) : wanted);
            local = own;
            if (listeners != null) {
                // The port is for the connection now.
                listeners.close();
                listeners = null;
            }
            peer = to.getAddress().isAnyLocalAddress() ? new InetSocketAddress(own.getAddress(), to.getPort()) : to;
            state = State.RESOLVED;
            channel.offer(BondCmEvent.of(CmEventType.ADDR_RESOLVED, this, 0));
        } finally {
            core.unlock();
        }
    }

    /** The address that an active id shows, whatever member carries its connection, and a port that no other has. */
    private InetSocketAddress claimOwn(final InetSocketAddress wanted) {
        checkOwn("resolveAddr", wanted);
        final AddressBook book = scope.addresses();
        final AddressBook.Claim own =
                wanted.getPort() == 0 ? book.any(portSpace, null) : book.exact(portSpace, null, wanted.getPort());
        if (own == null) {
            throw new VerbsException(
                    "resolveAddr",
                    Errno.EADDRINUSE,
                    toString(),
                    wanted.getPort() == 0
                            ? "all ports for active ids are in use; close some ids"
                            : "port " + wanted.getPort() + " has another id; choose another");
        }
        claim = own;
        return new InetSocketAddress(
                wanted.getAddress().isAnyLocalAddress() ? scope.members().ownAddress() : wanted.getAddress(),
                own.port());
    }

    @Override
    public final void resolveRoute(final int timeoutMs) {
        core.lock();
        try {
            check("resolveRoute", State.RESOLVED);
            state = State.ROUTED;
            channel.offer(BondCmEvent.of(CmEventType.ROUTE_RESOLVED, this, 0));
        } finally {
            core.unlock();
        }
    }

    @Override
    public final @Nullable QueuePair qp() {
        return qp;
    }

    @Override
    public final QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        core.lock();
        try {
            checkCreation(pd, attributes);
            return createOwnQp(pd, attributes);
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void destroyQp() {
        core.lock();
        try {
            final Q gone = qp;
            qp = null;
            if (gone != null) {
                gone.close();
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void connect(final ConnectParameters parameters) {
        core.lock();
        try {
            check("connect", State.ROUTED);
            checkLength("connect", parameters.privateData(), limits.connect());
            begin(parameters.copy());
            state(State.CONNECTING);
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void accept(final ConnectParameters parameters) {
        core.lock();
        try {
            check("accept", State.REQUESTED);
            checkLength("accept", parameters.privateData(), limits.accept());
            answer(parameters.copy());
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void reject(final byte[] privateData) {
        core.lock();
        try {
            check("reject", State.REQUESTED);
            checkLength("reject", privateData, limits.reject());
            refuse(privateData.clone());
        } finally {
            core.unlock();
        }
    }

    @Override
    public final void close() {
        core.lock();
        try {
            if (state == State.CLOSED) {
                return;
            }
            giveUp();
            state(State.CLOSED);
            if (listeners != null) {
                listeners.close();
                channel.listenerClosed(this);
            }
            destroyQp();
            channel.remove(this);
        } finally {
            core.unlock();
        }
    }

    /** Only checked: a connection's path has the bond's own ack_timeout, and datagrams are not acknowledged. */
    @Override
    public final void ackTimeout(final int timeout) {
        if (timeout < 0 || timeout > 31) {
            throw wrong("ackTimeout", "timeout is " + timeout + ", allowed is 0 to 31");
        }
    }

    @Override
    public final void rnrRetry(final int count) {
        if (count < 0 || count > ConnectParameters.ENDLESS_RNR_RETRY) {
            throw wrong("rnrRetry", "rnr_retry is " + count + ", allowed is 0 to 7");
        }
        core.lock();
        try {
            ownRnrRetry(count);
        } finally {
            core.unlock();
        }
    }

    /** An id of datagrams has it to no end: each address handle has a class of its own. */
    @Override
    public final void serviceClass(final ServiceClass wanted) {
        core.lock();
        try {
            serviceClass = wanted;
            ownServiceClass(wanted);
        } finally {
            core.unlock();
        }
    }

    @Override
    public final ServiceClass serviceClass() {
        core.lock();
        try {
            return knownServiceClass();
        } finally {
            core.unlock();
        }
    }

    /** What {@link #serviceClass(ServiceClass)} was given. */
    protected void ownServiceClass(final ServiceClass wanted) {}

    protected ServiceClass knownServiceClass() {
        return serviceClass;
    }

    /** What {@link #rnrRetry} was given; nothing to datagrams, which are not acknowledged. */
    protected void ownRnrRetry(final int count) {}

    @Override
    public final String toString() {
        return core.name() + " cm id" + (local == null ? "" : " " + local) + (peer == null ? "" : " to " + peer);
    }
}
