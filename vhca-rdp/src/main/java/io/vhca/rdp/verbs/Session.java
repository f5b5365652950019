package io.vhca.rdp.verbs;

import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.rdp.engine.Peer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All connections to one node, one a size class, that were made by one call. */
final class Session {
    private final Peer peer;
    private final int number;
    private final int serial;
    private final boolean isCaller;
    private final boolean asksName;
    private final @Nullable CmId[] ids;
    private final @Nullable QueuePair[] qps;
    private final boolean[] established;
    private boolean isOwn;

    /**
     * @param number what the caller chose
     * @param serial what this end tells completions of it by
     */
    Session(final Peer peer, final int number, final int serial, final boolean isCaller, final int lanes) {
        this.peer = peer;
        this.number = number;
        this.serial = serial;
        this.isCaller = isCaller;
        asksName = isCaller && !peer.isNamed();
        ids = new CmId[lanes];
        qps = new QueuePair[lanes];
        established = new boolean[lanes];
    }

    Peer peer() {
        return peer;
    }

    int number() {
        return number;
    }

    int serial() {
        return serial;
    }

    boolean isCaller() {
        return isCaller;
    }

    /** The other end is called without having said that this is its name. */
    boolean asksName() {
        return asksName;
    }

    /** The call has come to the node that made it. */
    void ofItself() {
        isOwn = true;
    }

    boolean isOwn() {
        return isOwn;
    }

    boolean has(final int lane) {
        return ids[lane] != null;
    }

    void id(final int lane, final CmId id) {
        ids[lane] = id;
    }

    /** Which class an id is for, -1 where it is none of this session's. */
    int laneOf(final CmId id) {
        for (int lane = 0; lane < ids.length; lane++) {
            if (id.equals(ids[lane])) {
                return lane;
            }
        }
        return -1;
    }

    @Nullable QueuePair qp(final int lane) {
        return qps[lane];
    }

    void qp(final int lane, final QueuePair qp) {
        qps[lane] = qp;
    }

    /** How many it has. */
    int queuePairs() {
        return (int) Arrays.stream(qps).filter(Objects::nonNull).count();
    }

    /** A connection stands; true when all do. */
    boolean established(final int lane) {
        established[lane] = true;
        return isUp();
    }

    /** Whether all connections stand. */
    boolean isUp() {
        for (final boolean one : established) {
            if (!one) {
                return false;
            }
        }
        return true;
    }

    /** Whether any connection stands. */
    boolean isAnswered() {
        for (final boolean one : established) {
            if (one) {
                return true;
            }
        }
        return false;
    }

    /** Ends all connections; their queue pairs are gone when this returns. */
    void close() {
        for (int lane = 0; lane < ids.length; lane++) {
            final CmId id = ids[lane];
            if (id != null) {
                if (established[lane]) {
                    disconnect(id);
                }
                id.close();
                ids[lane] = null;
                qps[lane] = null;
            }
        }
    }

    private static void disconnect(final CmId id) {
        try {
            id.disconnect();
        } catch (final VerbsException e) {
            // It is disconnected already, or its device is dead: closing it is all that is left.
            assert e.errno() > 0;
        }
    }
}
