package io.vhca.exs;

import io.vhca.api.CompletionQueue;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The completion queues of a driver: one, which grows, until connections need more than half of what the device lets
 * one hold; then one more, and so on. A connection has its room in one of them. The driver's lock; {@link #polled}
 * any thread.
 */
final class CompletionQueues implements AutoCloseable {
    private static final int FIRST_CQE = 1_024;

    /** A queue and how much of it is promised to connections. */
    private static final class Shared {
        private final CompletionQueue cq;
        private int promised;

        Shared(final CompletionQueue cq) {
            this.cq = cq;
        }
    }

    private final int mostCqe;
    private final IntFunction<CompletionQueue> creator;
    private final List<Shared> all = new ArrayList<>();
    /** By connection. */
    private Shared[] of = new Shared[64];
    /** All of them, for who polls or arms. */
    private volatile CompletionQueue[] polled = {};

    /**
     * Creates the first.
     *
     * @param mostCqe completions that one may hold
     * @param creator makes one that holds so many at least
     */
    CompletionQueues(final int mostCqe, final IntFunction<CompletionQueue> creator) {
        this.mostCqe = mostCqe;
        this.creator = creator;
        add(Math.min(FIRST_CQE, mostCqe));
    }

    private Shared add(final int cqe) {
        final Shared added = new Shared(creator.apply(cqe));
        all.add(added);
        polled = all.stream().map(one -> one.cq).toArray(CompletionQueue[]::new);
        return added;
    }

    /**
     * Gives a connection room for so many completions.
     *
     * @return false where no queue of the device holds as many
     */
    boolean promise(final int connection, final int completions) {
        if (completions > mostCqe) {
            return false;
        }
        final Shared found = withRoom(completions);
        final int needed = found.promised + completions;
        if (needed > found.cq.cqe()) {
            found.cq.resize((int) Math.max(needed, Math.min(mostCqe / 2, 2L * needed)));
        }
        found.promised = needed;
        if (connection >= of.length) {
            of = Arrays.copyOf(of, Math.max(2 * of.length, connection + 1));
        }
        of[connection] = found;
        return true;
    }

    private Shared withRoom(final int completions) {
        for (final Shared one : all) {
            // Half of it: a bond wants room for requests of its own beside those of each queue pair.
            if (one.promised == 0 || one.promised + completions <= mostCqe / 2) {
                return one;
            }
        }
        return add(Math.min(mostCqe, Math.max(FIRST_CQE, completions)));
    }

    /** Takes the room of a connection back. */
    void release(final int connection, final int completions) {
        of[connection].promised -= completions;
        assert of[connection].promised >= 0;
    }

    /** Where a connection's requests complete. */
    CompletionQueue of(final int connection) {
        return of[connection].cq;
    }

    /** All of them; not to be changed. */
    CompletionQueue[] polled() {
        return polled;
    }

    /** From now on a completion in any of them wakes who waits at their channel; false where the device refuses it. */
    boolean arm() {
        try {
            for (final CompletionQueue cq : polled) {
                cq.reqNotify(false);
            }
            return true;
        } catch (final VerbsException e) {
            // A dead one does, before the connection manager says that it went away.
            return false;
        }
    }

    @Override
    public void close() {
        all.forEach(one -> one.cq.close());
    }
}
