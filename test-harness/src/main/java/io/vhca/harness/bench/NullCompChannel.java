package io.vhca.harness.bench;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A completion channel of a null device. Any thread. */
final class NullCompChannel implements CompletionChannel {
    private final NullContext context;
    private final LinkedBlockingQueue<CompletionQueue> events = new LinkedBlockingQueue<>();

    NullCompChannel(final NullContext context) {
        this.context = context;
    }

    @Override
    public Context context() {
        return context;
    }

    void raise(final CompletionQueue cq) {
        events.add(cq);
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        try {
            return events.poll(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {
        events.clear();
    }
}
