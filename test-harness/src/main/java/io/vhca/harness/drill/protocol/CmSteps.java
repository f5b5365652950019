package io.vhca.harness.drill.protocol;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.net.InetSocketAddress;

/** Steps of the connection manager, each waited for five minutes at most. One thread a channel. */
public final class CmSteps {
    private static final int TIMEOUT_MS = 5_000;
    /** Requests that wait to be looked at: those beyond it are lost, and repeated only after seconds. */
    private static final int BACKLOG = 1_024;

    /** Longer than whoever controls the process waits: a machine where all takes long is no failure of the step. */
    private static final long TIMEOUT_NS = 300_000_000_000L;


    private CmSteps() {}

    /** Binds a listener to the device's own address, on a port of its choice. */
    public static CmId listen(final Context context, final CmEventChannel channel, final CmPortSpace space) {
        final CmId listener = channel.createId(space, null);
        listener.bindAddr(new InetSocketAddress(context.ipGid(1).address(), 0));
        listener.listen(BACKLOG);
        return listener;
    }

    /** A new id, ready for a queue pair and to connect. */
    public static CmId resolve(final CmEventChannel channel, final CmPortSpace space, final InetSocketAddress peer) {
        final CmId id = channel.createId(space, null);
        id.resolveAddr(null, peer, TIMEOUT_MS);
        await(channel, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(TIMEOUT_MS);
        await(channel, CmEventType.ROUTE_RESOLVED);
        return id;
    }

    /** The next event, acknowledged, whatever it is. */
    public static CmEvent next(final CmEventChannel channel, final CmEventType wanted) {
        final CmEvent event = channel.getEvent(TIMEOUT_NS);
        if (event == null) {
            throw new VerbsException("getEvent", Errno.ETIMEDOUT, "drill", "no " + wanted + " within five minutes");
        }
        event.ack();
        return event;
    }

    /** The next event, acknowledged; another one than that is an error. */
    public static CmEvent await(final CmEventChannel channel, final CmEventType wanted) {
        final CmEvent event = next(channel, wanted);
        if (event.type() != wanted) {
            throw unexpected(event, wanted);
        }
        return event;
    }

    static VerbsException unexpected(final CmEvent event, final CmEventType wanted) {
        return new VerbsException(
                "getEvent",
                Errno.EIO,
                "drill",
                event.type() + " (status " + event.status() + ") came, not " + wanted);
    }
}
