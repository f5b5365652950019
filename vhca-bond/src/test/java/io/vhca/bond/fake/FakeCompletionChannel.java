package io.vhca.bond.fake;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A completion channel of a fake device; nobody waits on it. */
final class FakeCompletionChannel implements CompletionChannel {
    private final FakeContext context;
    private final Deque<CompletionQueue> ready = new ArrayDeque<>();

    FakeCompletionChannel(final FakeContext context) {
        this.context = context;
        context.children().add(this);
    }

    void offer(final CompletionQueue cq) {
        ready.add(cq);
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        return ready.poll();
    }

    @Override
    public void close() {
        context.children().remove(this);
    }
}
