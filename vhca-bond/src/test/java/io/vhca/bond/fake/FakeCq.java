package io.vhca.bond.fake;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A completion queue of a fake device. */
public final class FakeCq implements CompletionQueue {
    private final FakeContext context;
    private final @Nullable Object cqContext;
    private final @Nullable FakeCompletionChannel channel;
    private final Deque<Completion> entries = new ArrayDeque<>();
    private int cqe;
    private boolean armed;
    private int timesArmed;
    private boolean onlySolicited;
    private boolean tellsPending = true;

    FakeCq(
            final FakeContext context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable FakeCompletionChannel channel) {
        this.context = context;
        this.cqe = cqe;
        this.cqContext = cqContext;
        this.channel = channel;
        context.children().add(this);
    }

    /** A completion arrives, as from hardware or as a test makes it up. */
    public void push(final Completion completion, final boolean solicited) {
        if (entries.size() == cqe) {
            throw new AssertionError(context.device().name() + ": a completion queue of " + cqe + " overran");
        }
        entries.add(completion);
        if (armed && channel != null && (!onlySolicited || solicited || completion.status() != 0)) {
            armed = false;
            channel.offer(this);
        }
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public @Nullable Object cqContext() {
        return cqContext;
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public int cqe() {
        return cqe;
    }

    @Override
    public int pending() {
        return tellsPending ? entries.size() : -1;
    }

    /** Whether it says how much waits in it; libibverbs does not. */
    public void tellsPending(final boolean tells) {
        tellsPending = tells;
    }

    @Override
    public int poll(final long wcAddress, final int maxEntries) {
        int count = 0;
        for (; count < maxEntries && !entries.isEmpty(); count++) {
            final Completion one = entries.remove();
            final long at = wcAddress + (long) count * WcDescriptor.SIZE;
            NativeMemory.fill(at, WcDescriptor.SIZE, (byte) 0);
            one.write(at);
        }
        return count;
    }

    @Override
    public void reqNotify(final boolean solicitedOnly) {
        context.check("reqNotifyCq");
        armed = true;
        timesArmed++;
        onlySolicited = solicitedOnly;
    }

    /** How often it was asked to tell. */
    public int timesArmed() {
        return timesArmed;
    }

    @Override
    public void resize(final int next) {
        context.checkResize();
        cqe = next;
        armed = false; // as of a device with which a request does not outlive that
    }

    @Override
    public void close() {
        context.children().remove(this);
    }
}
