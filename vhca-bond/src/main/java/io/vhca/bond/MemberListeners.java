package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** One listener on every member, all on the same port. Control lock. */
final class MemberListeners {
    private static final int TRIES = 16;

    /** All that were created, and those of them that have their port: a device may die between the two. */
    private final List<CmId> ids = new ArrayList<>();

    private final List<Bound> bound = new ArrayList<>();
    private int port;

    private record Bound(Member member, CmId id) {}

    /** Who is told of the REQs that arrive. */
    interface Target {
        void onConnectRequest(PathLink link, byte[] privateData, ConnectParameters parameters, long nowNs);
    }

    private MemberListeners() {}

    /**
     * Binds the port on every living member.
     *
     * @param wanted 0 picks one that is free on all
     */
    static MemberListeners bind(final BondContext context, final Target target, final int wanted) {
        VerbsException last = null;
        for (int i = 0; i < (wanted == 0 ? TRIES : 1); i++) {
            final MemberListeners listeners = new MemberListeners();
            try {
                listeners.bindAll(context, target, wanted);
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

    private void bindAll(final BondContext context, final Target target, final int wanted) {
        port = wanted;
        for (final Member member : context.members()) {
            final Integer bound = member.part(context.counters(), () -> bind(member, target));
            port = bound == null ? port : bound;
        }
        if (bound.isEmpty()) {
            throw new VerbsException("bindAddr", Errno.EIO, context.name(), "every member device is gone");
        }
    }

    private int bind(final Member member, final Target target) {
        final CmId id = member.cm().createId(CmPortSpace.TCP, target);
        ids.add(id);
        id.bindAddr(new InetSocketAddress(member.address(), port));
        bound.add(new Bound(member, id));
        final InetSocketAddress address = id.localAddress();
        return address == null ? port : address.getPort();
    }

    int port() {
        return port;
    }

    void listen(final BondCounters counters, final int backlog) {
        for (final Bound one : bound) {
            one.member.part(counters, () -> {
                one.id.listen(backlog);
                return one;
            });
        }
    }

    void close() {
        for (final CmId id : ids) {
            id.close();
        }
        ids.clear();
    }
}
