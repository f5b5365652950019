package io.vhca.recovery;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Which paths one recovery has tried, over a {@link PathTable} that many share. */
final class PathChoice {
    private final BitSet tried = new BitSet();
    private final PathTable table;
    private @Nullable PathId wanted;

    PathChoice(final PathTable table) {
        this.table = table;
    }

    PathTable table() {
        return table;
    }

    void forgetTried() {
        tried.clear();
    }

    void forgetTried(final int localMember) {
        if (localMember >= 0 && localMember < table.localMembers()) {
            tried.clear(localMember * table.remoteAddresses(), (localMember + 1) * table.remoteAddresses());
        }
    }

    /** The next choice shall be this path, whatever speaks against it, as long as it is usable. */
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
