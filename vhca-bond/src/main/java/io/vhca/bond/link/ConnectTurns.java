package io.vhca.bond.link;

import io.vhca.bond.core.DutyCycle;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.BooleanSupplier;

/**
 * Lets so many recoveries connect at once, and the others wait for their turn: with thousands of REQs on the way at the
 * same time each answer would come later than anybody waits for it, and all would be asked again. Control lock.
 */
public final class ConnectTurns implements DutyCycle {
    /** That many are answered in a small part of the usual {@code path_timeout}. */
    static final int MOST_AT_ONCE = 128;

    private final int mostAtOnce;
    private final SequencedSet<Runnable> waiting = new LinkedHashSet<>();
    /** Whether each is still under way. */
    private final List<BooleanSupplier> underWay = new ArrayList<>();

    /** So many as are answered in a small part of the usual {@code path_timeout} by the connection manager. */
    public ConnectTurns() {
        this(MOST_AT_ONCE);
    }

    /** So many at once. */
    public ConnectTurns(final int mostAtOnce) {
        this.mostAtOnce = mostAtOnce;
    }

    /** Runs the attempt now, or in its turn; which calls {@link #began} where it could begin. */
    public void add(final Runnable attempt) {
        if (waiting.isEmpty() && hasRoom()) {
            attempt.run();
        } else {
            waiting.add(attempt);
        }
    }

    /** It is not wanted any more; nothing happens where its turn has come. */
    public void remove(final Runnable attempt) {
        waiting.remove(attempt);
    }

    /** An attempt has begun, and is under way for as long as the other says. */
    public void began(final BooleanSupplier isPending) {
        assert underWay.size() < mostAtOnce : "an attempt began without a turn";
        underWay.add(isPending);
    }

    private boolean hasRoom() {
        if (underWay.size() >= mostAtOnce) {
            underWay.removeIf(isPending -> !isPending.getAsBoolean());
        }
        return underWay.size() < mostAtOnce;
    }

    @Override
    public int doWork(final long nowNs) {
        int count = 0;
        while (!waiting.isEmpty() && hasRoom()) {
            waiting.removeFirst().run();
            count++;
        }
        return count;
    }

    /** What makes room for the next attempt makes a turn by itself. */
    @Override
    public long nextDeadlineNs() {
        return Long.MAX_VALUE;
    }
}
