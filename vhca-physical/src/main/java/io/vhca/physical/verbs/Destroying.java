package io.vhca.physical.verbs;

import io.vhca.physical.verbs.lib.VerbFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    /** In the order of their closing. */
    private final Deque<CompletableFuture<Integer>> pending = new ArrayDeque<>();

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
            return end.get(isAnyLeft() ? 0 : patienceMs, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            return notYet(end);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return notYet(end);
        } catch (final ExecutionException e) {
            throw new IllegalStateException("destroying a queue pair", e);
        }
    }

    private int notYet(final CompletableFuture<Integer> end) {
        synchronized (pending) {
            pending.add(end);
        }
        return 0;
    }

    /**
     * Destroys what a queue pair may refer to: at once where none is being destroyed, else when those are gone and what
     * was to follow them is too.
     *
     * @param verb what the kernel is called by; what it returns
     * @return what the verb returns, 0 while it was not called
     */
    int behindQueuePairs(final IntSupplier verb) {
        synchronized (pending) {
            if (isAnyLeft()) {
                // By the thread that the last of them ends in: another one may not be had then.
                pending.add(all().handle((before, failed) -> verb.getAsInt()));
                return 0;
            }
        }
        return verb.getAsInt();
    }

    private boolean isAnyLeft() {
        synchronized (pending) {
            pending.removeIf(CompletableFuture::isDone);
            return !pending.isEmpty();
        }
    }

    private CompletableFuture<Void> all() {
        return CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new));
    }

    /** True when none is left, however it ended: what a verb says that was not waited for nobody asks any more. */
    private boolean isOver(final long forMs) {
        final CompletableFuture<Void> end;
        synchronized (pending) {
            end = all();
        }
        try {
            end.get(forMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (final TimeoutException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (final ExecutionException e) {
            return true; // all have ended, this one by an exception
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
        synchronized (pending) {
            return pending.size() + " objects being destroyed";
        }
    }
}
