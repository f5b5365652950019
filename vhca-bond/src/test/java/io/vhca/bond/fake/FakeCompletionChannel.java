package io.vhca.bond.fake;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A completion channel of a fake device, on which time stands still: who waits waits until something happens. */
public final class FakeCompletionChannel implements CompletionChannel {
    private final FakeContext context;
    /** Empty: it is closed, or someone wakes who waits. */
    private final BlockingQueue<Optional<CompletionQueue>> ready = new LinkedBlockingQueue<>();

    private final AtomicInteger waits = new AtomicInteger();
    private volatile @Nullable Runnable listener;
    private volatile boolean isNextLost;

    FakeCompletionChannel(final FakeContext context) {
        this.context = context;
        context.children().add(this);
    }

    /** An event of that queue. */
    public void offer(final CompletionQueue cq) {
        context.cqEvent();
        ready.add(Optional.of(cq));
        final Runnable told = listener;
        if (told != null) {
            told.run();
        }
    }

    /** How often somebody waited on it. */
    public int waits() {
        return waits.get();
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        try {
            Optional<CompletionQueue> next = ready.poll();
            if (next == null && timeoutNs > 0) {
                waits.incrementAndGet();
                next = ready.take();
            }
            return next == null ? null : next.orElse(null);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public boolean onEvent(final @Nullable Runnable told) {
        listener = told;
        if (told != null && !ready.isEmpty()) {
            told.run();
        }
        return true;
    }

    /** The next wake-up is one with that after it, which comes before a thread runs. */
    public void joinsNextWakeUp() {
        isNextLost = true;
    }

    @Override
    public void wakeUp() {
        if (!isNextLost) {
            ready.add(Optional.empty());
        }
        isNextLost = false;
    }

    @Override
    public void close() {
        context.children().remove(this);
        ready.add(Optional.empty());
    }
}
