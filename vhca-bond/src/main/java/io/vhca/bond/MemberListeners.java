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

    private final List<CmId> ids = new ArrayList<>();
    private int port;

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
            if (member.isAlive()) {
                final CmId id = member.cm().createId(CmPortSpace.TCP, target);
                ids.add(id);
                id.bindAddr(new InetSocketAddress(member.address(), port));
                final InetSocketAddress bound = id.localAddress();
                port = bound == null ? port : bound.getPort();
            }
        }
    }

    int port() {
        return port;
    }

    void listen(final int backlog) {
        for (final CmId id : ids) {
            id.listen(backlog);
        }
    }

    void close() {
        for (final CmId id : ids) {
            id.close();
        }
        ids.clear();
    }
}
