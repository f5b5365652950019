package io.vhca.bond.fake;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A completion channel of a fake device; only who asks without end waits on it. */
final class FakeCompletionChannel implements CompletionChannel {
    private final FakeContext context;
    /** Empty: it is closed, or someone wakes who waits. */
    private final BlockingQueue<Optional<CompletionQueue>> ready = new LinkedBlockingQueue<>();

    FakeCompletionChannel(final FakeContext context) {
        this.context = context;
        context.children().add(this);
    }

    void offer(final CompletionQueue cq) {
        ready.add(Optional.of(cq));
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        try {
            final Optional<CompletionQueue> next = timeoutNs == Long.MAX_VALUE ? ready.take() : ready.poll();
            return next == null ? null : next.orElse(null);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void wakeUp() {
        ready.add(Optional.empty());
    }

    @Override
    public void close() {
        context.children().remove(this);
        ready.add(Optional.empty());
    }
}
