package io.vhca.physical.soft.cm;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.cm.CmEventType;
import io.vhca.physical.soft.cm.message.RejectReason;
import org.jspecify.annotations.Nullable;

/**
 * Whether a new request is taken: as far as its listener's backlog and {@link HalfOpen} have room, or somebody's place.
 * One that is not taken gets no answer and comes again. Guarded by the lock of the {@link CommunicationManager}.
 */
final class Admission {
    private final CommunicationManager manager;
    private final CmProtocol protocol;
    private final ConnRegistry connections;
    private final CmCounters counters;

    Admission(
            final CommunicationManager manager,
            final CmProtocol protocol,
            final ConnRegistry connections,
            final CmCounters counters) {
        this.manager = manager;
        this.protocol = protocol;
        this.connections = connections;
        this.counters = counters;
    }

    /** True when the request from there is taken; another connection may have been dropped for it. */
    boolean takes(final SoftCmId listener, final Gid source, final long nowNs) {
        final HalfOpen halfOpen = connections.halfOpen();
        if (listener.pending >= listener.backlog
                && !isPlaceOf(connections.isKnown(source) ? halfOpen.waiting(listener) : null)) {
            counters.increment(CmCounter.BACKLOG_FULL);
            return false;
        }
        if (!halfOpen.hasRoom(source) && !isPlaceOf(halfOpen.victim(source, nowNs))) {
            counters.increment(CmCounter.HALF_OPEN_FULL);
            return false;
        }
        return true;
    }

    /**
     * Ends a half open connection, if there is one, and says nothing to its peer. An owner that never heard of it never
     * will; one that has been told that it is over is not told again.
     */
    private boolean isPlaceOf(final @Nullable Connection stranger) {
        if (stranger == null) {
            return false;
        }
        counters.increment(CmCounter.HALF_OPEN_DROPPED);
        final boolean isOver = stranger.isAnsweredForGood();
        final SoftCmId id = stranger.id;
        protocol.remove(stranger);
        if (id == null) {
            return true;
        }
        id.connection = null;
        if (id.state == CmIdState.REQUESTED && id.channel.forgetRequest(id)) {
            manager.closeId(id);
            return true;
        }
        id.leaveBacklog();
        if (!isOver && id.state == CmIdState.REQUESTED) {
            manager.raise(id, CmEventType.REJECTED, RejectReason.TIMEOUT);
        } else if (!isOver) {
            manager.raise(id, CmEventType.UNREACHABLE, -Errno.ETIMEDOUT);
        }
        return true;
    }
}
