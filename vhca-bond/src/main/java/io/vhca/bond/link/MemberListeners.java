package io.vhca.bond.link;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One listener on every member, all on the same port. Control lock. */
public final class MemberListeners implements MemberPart {
    private static final int TRIES = 16;

    /** All that were created, and those of them that are as they should be: a device may die between the two. */
    private final List<Bound> ids = new ArrayList<>();

    private final List<Bound> bound = new ArrayList<>();
    private final BondCore core;
    private final Members members;
    private final Target target;
    private final CmPortSpace portSpace;
    private int port;
    private boolean isListening;
    private int backlog;

    private record Bound(Member member, InetAddress address, CmId id) {}

    /** Who is told of the REQs that arrive. */
    public interface Target {
        void onConnectRequest(PathLink link, byte[] privateData, ConnectParameters parameters, long nowNs);
    }

    private MemberListeners(
            final BondCore core, final Members members, final Target target, final CmPortSpace portSpace) {
        this.core = core;
        this.members = members;
        this.target = target;
        this.portSpace = portSpace;
    }

    /**
     * Binds the port on every living member; on one without an address once it has one.
     *
     * @param wanted 0 picks one that is free on all
     */
    public static MemberListeners bind(
            final BondCore core,
            final Members members,
            final Target target,
            final CmPortSpace portSpace,
            final int wanted) {
        assert core.holdsLock();
        VerbsException last = null;
        for (int i = 0; i < (wanted == 0 ? TRIES : 1); i++) {
            final MemberListeners listeners = new MemberListeners(core, members, target, portSpace);
            try {
                listeners.bindAll(wanted);
                members.addPart(listeners);
                return listeners;
            } catch (final VerbsException e) {
                listeners.close();
                last = e;
                if (e.errno() != Errno.EADDRINUSE) {
                    throw e;
                }
            }
        }
        throw java.util.Objects.requireNonNull(last);
    }

    private void bindAll(final int wanted) {
        port = wanted;
        final Map<Member, VerbsException> without = new LinkedHashMap<>();
        for (final Member member : members.all()) {
            try {
                final Integer bound = member.part(core.counters(), () -> bind(member));
                port = bound == null ? port : bound;
            } catch (final VerbsException e) {
                requireNoAddress(member, e);
                without.put(member, e);
            }
        }
        if (bound.isEmpty()) {
            throw without.values().stream()
                    .findFirst()
                    .orElseGet(() ->
                            new VerbsException("bindAddr", Errno.EIO, core.name(), "every member device is gone"));
        }
        without.forEach(this::skip);
    }

    /** Throws what a member answered to a bind unless that is because it has no address. */
    private static void requireNoAddress(final Member member, final VerbsException refused) {
        if (!member.mayLackAddress()
                || refused.errno() != Errno.EADDRNOTAVAIL && refused.errno() != Errno.EINVAL) {
            throw refused;
        }
    }

    /** It is down until it has an address, and bound when it comes up. */
    private void skip(final Member member, final VerbsException refused) {
        core.counters().ignored(refused);
        member.uselessAddress();
    }

    private int bind(final Member member) {
        assert core.holdsLock();
        final CmId id = member.cm().createId(portSpace, target);
        final Bound made = new Bound(member, member.address(), id);
        ids.add(made);
        id.bindAddr(new InetSocketAddress(made.address, port));
        if (isListening) {
            id.listen(backlog);
        }
        bound.add(made);
        final InetSocketAddress address = id.localAddress();
        return address == null ? port : address.getPort();
    }

    public int port() {
        return port;
    }

    /** Listens on every living member, or on none. */
    public void listen(final int wantedBacklog) {
        assert core.holdsLock();
        // A listen that failed may have left one behind that was not bound anew.
        members.all().stream().filter(Member::isAlive).forEach(this::cameUp);
        try {
            for (final Bound one : bound) {
                one.member.part(core.counters(), () -> {
                    one.id.listen(wantedBacklog);
                    return one;
                });
            }
        } catch (final RuntimeException | Error e) {
            // An id that listens neither stops nor listens again: each gives way to one that is only bound.
            List.copyOf(bound).forEach(one -> bindAnew(one.member));
            throw e;
        }
        isListening = true;
        backlog = wantedBacklog;
    }

    @Override
    public void drop(final Member member) {
        assert core.holdsLock();
        bound.removeIf(one -> one.member == member);
        for (final Bound one : List.copyOf(ids)) {
            if (one.member == member) {
                ids.remove(one);
                one.id.close();
            }
        }
    }

    /** The connection manager finds a listener by the address that a REQ came to. */
    @Override
    public void cameUp(final Member member) {
        assert core.holdsLock();
        if (bound.stream().anyMatch(one -> one.member == member && one.address.equals(member.address()))) {
            return;
        }
        bindAnew(member);
    }

    private void bindAnew(final Member member) {
        try {
            drop(member);
            bind(member);
        } catch (final VerbsException e) {
            // The port is another process's there, or the address is gone again: tried again when it is up again.
            core.counters().ignored(e);
        }
    }

    @Override
    public void rebuild(final Member member) {
        assert core.holdsLock();
        try {
            bind(member);
        } catch (final VerbsException e) {
            requireNoAddress(member, e);
            skip(member, e);
        }
    }

    public void close() {
        assert core.holdsLock();
        members.removePart(this);
        for (final Bound one : ids) {
            one.id.close();
        }
        ids.clear();
        bound.clear();
    }
}
