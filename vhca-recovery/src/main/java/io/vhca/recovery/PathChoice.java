package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The paths that one recovery has tried, and how it chooses the next from a {@link PathTable} that many vQPs share. */
final class PathChoice {
    private final BitSet tried = new BitSet();
    private final PathTable table;
    private @Nullable PathId wanted;
    /** The path whose connection the peer ended, and its health before; null where the last failure was another. */
    private @Nullable PathId letGo;
    private PathTable.@Nullable Health healthBefore;
    private boolean answered;
    private int vainRounds;

    PathChoice(final PathTable table) {
        this.table = table;
    }

    /** A recovery begins. */
    void begin() {
        forgetTried();
        answered = false;
        vainRounds = 0;
    }

    void forgetTried() {
        tried.clear();
    }

    /** The peer has said something over one of the paths, be it no. */
    void answered() {
        answered = true;
        vainRounds = 0;
    }

    /** All paths were tried; true when the peer said nothing over any of them since the last such round. */
    boolean isRoundVain() {
        final boolean isVain = !answered;
        answered = false;
        vainRounds += isVain ? 1 : 0;
        return isVain;
    }

    /** How many such rounds there were since the peer was heard last. */
    int vainRounds() {
        return vainRounds;
    }

    void forgetTried(final int localMember) {
        if (localMember >= 0 && localMember < table.localMembers()) {
            tried.clear(localMember * table.remoteAddresses(), (localMember + 1) * table.remoteAddresses());
        }
    }

    /** A path failed; true when it is suspect for that from now on. */
    boolean failed(final PathId path, final FailureReason why, final long nowNs) {
        letGo = null;
        if (!why.blamesPath()) {
            return false;
        }
        if (why == FailureReason.CM_DISCONNECTED && table.known(path)) {
            letGo = path;
            healthBefore = table.health(path);
        }
        table.failed(path, nowNs);
        return true;
    }

    /** The peer ended the connection because it moves as planned: no failure. True where it was taken for one. */
    boolean excuse() {
        final PathId path = letGo;
        final PathTable.Health before = healthBefore;
        if (path == null || before == null) {
            return false;
        }
        letGo = null;
        table.restore(path, before);
        return true;
    }

    /** A recovery ended well over the path. */
    void succeeded(final PathId path, final long nowNs) {
        letGo = null;
        wanted = null;
        table.succeeded(path, nowNs);
    }

    /** The next choice is this path where it is usable, suspect or not. */
    void want(final PathId path) {
        wanted = path;
    }

    /** The best untried path, now counted as tried; null where none is left. */
    @Nullable PathId next(final long nowNs) {
        final PathId first = wanted;
        final PathId next = first != null && table.usable(first) ? first : table.next(tried, nowNs);
        wanted = null;
        if (next != null) {
            tried.set(table.index(next));
        }
        return next;
    }
}
