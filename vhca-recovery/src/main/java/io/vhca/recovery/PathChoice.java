package io.vhca.recovery;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Which paths one recovery has tried, over a {@link PathTable} that many share. */
final class PathChoice {
    private final BitSet tried = new BitSet();
    private PathTable table;
    private boolean sameAgain;

    PathChoice(final PathTable table) {
        this.table = table;
    }

    PathTable table() {
        return table;
    }

    void use(final PathTable other) {
        table = other;
        tried.clear();
    }

    void forgetTried() {
        tried.clear();
    }

    void forgetTried(final int localMember) {
        if (localMember >= 0 && localMember < table.localMembers()) {
            tried.clear(localMember * table.remoteAddresses(), (localMember + 1) * table.remoteAddresses());
        }
    }

    /** The next choice shall be the current path again: the peer has answered over it. */
    void sameAgain() {
        sameAgain = true;
    }

    /** The best untried path, now counted as tried; null where none is left. */
    @Nullable PathId next(final PathId current, final long nowNs) {
        final PathId next = sameAgain && table.usable(current) ? current : table.next(tried, nowNs);
        sameAgain = false;
        if (next != null) {
            tried.set(table.index(next));
        }
        return next;
    }
}
