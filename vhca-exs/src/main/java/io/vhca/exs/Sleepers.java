package io.vhca.exs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.cm.CmEventChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that sleep on a driver's completion channel, and what else wakes them: an event of the connection manager,
 * and what another thread does. Any thread; {@link #mayWake} and {@link #wake} hold the driver's lock.
 */
final class Sleepers {
    private final CompletionChannel completions;
    private final CmEventChannel events;
    /** Nobody who sleeps is forgotten; one who has just risen may be counted still. */
    private final AtomicInteger count = new AtomicInteger();

    private volatile boolean isAsked;
    private volatile boolean isTold = true;

    Sleepers(final CompletionChannel completions, final CmEventChannel events) {
        this.completions = completions;
        this.events = events;
    }

    /** Asks to be told of the next event, before a last look at them; false where nobody tells. */
    boolean ask() {
        if (isTold && !isAsked) {
            isAsked = true;
            isTold = events.onEvent(this::told);
        }
        return isTold;
    }

    private void told() {
        isAsked = false;
        completions.wakeUp();
    }

    /** The thread found nothing to do and is about to {@link #sleep}: what others do from now on wakes it. */
    void mayWake() {
        count.getAndIncrement();
    }

    /** Until there is a completion, or {@link #wake}, or that time is over. */
    void sleep(final long mostNs) {
        try {
            completions.getCqEvent(mostNs);
        } finally {
            count.getAndDecrement();
        }
    }

    /** The same where no completion tells: until that time is over, for a dead device's channel wakes at once. */
    void nap(final long ns) {
        try {
            LockSupport.parkNanos(this, ns);
        } finally {
            count.getAndDecrement();
        }
    }

    /** There is something for one of them that no completion tells of. */
    void wake() {
        if (count.get() > 0) {
            completions.wakeUp();
        }
    }
}
