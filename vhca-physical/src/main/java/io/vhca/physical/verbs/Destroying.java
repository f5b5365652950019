package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The queue pairs of one context that the kernel is still destroying. Most are gone within a millisecond, but a driver
 * may wait for packets that it lent to the network: rxe does so for 50 s when the neighbour is out of reach, which is
 * just when somebody wants another connection. A queue pair in ERR takes and sends nothing any more, so nobody needs to
 * wait for its end, but for those whose own end depends on it. Any thread.
 */
final class Destroying {
    private static final long PATIENCE_MS = 100;
    private static final long PATIENCE_WITH_THE_DEAD_MS = 10;

    /** One thread for each that takes long; they end when there was nothing to do for a minute. */
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("vhca-verbs-destroy-", 0).factory());

    private final Set<Future<Integer>> pending = new LinkedHashSet<>();

    /**
     * Destroys a queue pair.
     *
     * @param isQuiet it is in ERR: it may go on being destroyed when this returns
     * @return what {@code ibv_destroy_qp} says, 0 while it has not said it
     */
    int destroy(final long qp, final boolean isQuiet) {
        if (!isQuiet) {
            return Ibv.DESTROY_QP.status(qp);
        }
        final Future<Integer> end = THREADS.submit(() -> Ibv.DESTROY_QP.status(qp));
        try {
            return end.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            synchronized (pending) {
                pending.removeIf(Future::isDone);
                pending.add(end);
            }
            return 0;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } catch (final ExecutionException e) {
            throw new IllegalStateException("destroying a queue pair", e);
        }
    }

    /** True when none is left; waits for the last one on a live device, and not for long on a dead one. */
    boolean isOver(final boolean isDead) {
        final List<Future<Integer>> now;
        synchronized (pending) {
            now = List.copyOf(pending);
        }
        try {
            for (final Future<Integer> end : now) {
                end.get(isDead ? PATIENCE_WITH_THE_DEAD_MS : Long.MAX_VALUE, TimeUnit.MILLISECONDS);
                synchronized (pending) {
                    pending.remove(end);
                }
            }
            return true;
        } catch (final TimeoutException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (final ExecutionException e) {
            throw new IllegalStateException("destroying a queue pair", e);
        }
    }

    /** @throws io.vhca.api.VerbsException EBUSY while one of a dead device is left */
    void require(final String verb, final VerbsContext context, final Object object) {
        if (!isOver(context.isDead())) {
            throw VerbFailure.busy(
                    verb, object.toString(), "the driver is still destroying a queue pair: try again later");
        }
    }

    @Override
    public String toString() {
        synchronized (pending) {
            return pending.size() + " queue pairs being destroyed";
        }
    }
}
