package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.VerbFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * What of one context the kernel is still destroying. Most queue pairs are gone within a millisecond, but a driver may
 * wait for packets that it lent to the network: rxe does so for 50 s when the neighbour is out of reach, which is just
 * when somebody wants another connection. A queue pair in ERR takes and sends nothing any more, so nobody needs to wait
 * for its end. What it refers to is destroyed behind it; the context waits for all. Any thread.
 */
final class Destroying {
    private static final long PATIENCE_MS = 10;

    /** Longer than any driver is known to take that works. */
    private static final long LONG_PATIENCE_MS = TimeUnit.MINUTES.toMillis(2);

    /** One thread for each that takes long; they end when there was nothing to do for a minute. */
    private static final Executor THREADS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("vhca-verbs-destroy-", 0).factory());

    private final long patienceMs;
    private final Executor threads;
    private final AtomicInteger left = new AtomicInteger();
    /** The end of all that was begun so far, however it ends; guarded by this. */
    private CompletableFuture<?> all = CompletableFuture.completedFuture(null);

    Destroying() {
        this(PATIENCE_MS, THREADS);
    }

    /**
     * @param patienceMs how long to wait for the first that takes long
     * @param threads one for each that takes long
     */
    Destroying(final long patienceMs, final Executor threads) {
        this.patienceMs = patienceMs;
        this.threads = threads;
    }

    /**
     * Destroys a queue pair. Waits a little for the first that takes long, and for none behind that one; to the end
     * where no thread can be had that would wait instead.
     *
     * @param verb what the kernel is called by; what it returns
     * @param isQuiet it is in ERR: it may go on being destroyed when this returns
     * @return what the verb returns, 0 while it has not returned
     */
    int queuePair(final IntSupplier verb, final boolean isQuiet) {
        if (!isQuiet) {
            return verb.getAsInt();
        }
        final CompletableFuture<Integer> end;
        try {
            end = CompletableFuture.supplyAsync(verb::getAsInt, threads);
        } catch (final OutOfMemoryError e) {
            return verb.getAsInt(); // what the JVM says when the host starts no thread more
        }
        try {
            return end.get(all().isDone() ? patienceMs : 0, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return notYet(end);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return notYet(end);
        } catch (final ExecutionException e) {
            throw new IllegalStateException("destroying a queue pair", e);
        }
    }

    private synchronized int notYet(final CompletableFuture<Integer> end) {
        all = CompletableFuture.allOf(all, counted(end));
        return 0;
    }

    /** What this gives ends well, however that ended: what a verb says that was not waited for nobody asks any more. */
    private CompletableFuture<?> counted(final CompletableFuture<?> end) {
        left.incrementAndGet();
        return end.handle((status, failed) -> left.decrementAndGet());
    }

    /**
     * Destroys what a queue pair may refer to: at once where none is being destroyed, else when those are gone and what
     * was to follow them is too.
     *
     * @param verb what the kernel is called by; what it returns
     * @return what the verb returns, 0 while it was not called
     */
    int behindQueuePairs(final IntSupplier verb) {
        synchronized (this) {
            if (!all.isDone()) {
                // By the thread that the last of them ends in: another one may not be had then.
                all = counted(all.thenApply(before -> verb.getAsInt()));
                return 0;
            }
        }
        return verb.getAsInt();
    }

    private synchronized CompletableFuture<?> all() {
        return all;
    }

    /** True when none is left. */
    private boolean isOver(final long forMs) {
        try {
            all().get(forMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (final TimeoutException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (final ExecutionException e) {
            throw new IllegalStateException("the end of all is one without an exception", e);
        }
    }

    /**
     * @param waits whether the caller waits for the last one; nobody waits for ever, a driver may be stuck
     * @throws io.vhca.api.VerbsException EBUSY while one is left
     */
    void requireOver(final Object context, final boolean waits) {
        if (!isOver(waits ? LONG_PATIENCE_MS : PATIENCE_MS)) {
            throw VerbFailure.busy(
                    "closeDevice", context.toString(), "the driver is still destroying a queue pair: try again later");
        }
    }

    @Override
    public String toString() {
        return left + " objects being destroyed";
    }
}
