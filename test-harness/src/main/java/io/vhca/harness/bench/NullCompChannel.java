package io.vhca.harness.bench;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.physical.events.EventQueue;
import org.jspecify.annotations.Nullable;

/** A completion channel of a null device. Any thread. */
final class NullCompChannel implements CompletionChannel {
    private final NullContext context;
    private final EventQueue<CompletionQueue> events = new EventQueue<>();

    NullCompChannel(final NullContext context) {
        this.context = context;
    }

    @Override
    public Context context() {
        return context;
    }

    void raise(final CompletionQueue cq) {
        events.put(cq);
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        return events.take(timeoutNs);
    }

    @Override
    public void wakeUp() {
        events.wakeUp();
    }

    @Override
    public void close() {
        events.close();
    }
}
