package io.vhca.bond.verbs;

import io.vhca.bond.core.BondCore;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** vQPs of which the data path has noted something. Any thread adds; the bond's thread takes. */
public final class AttentionQueue {
    private final BondCore core;
    private final ManyToOneConcurrentLinkedQueue<BondQueuePair> waiting = new ManyToOneConcurrentLinkedQueue<>();

    public AttentionQueue(final BondCore core) {
        this.core = core;
    }

    /** Called once for each vQP until its notes are taken. */
    void add(final BondQueuePair qp) {
        waiting.offer(qp);
        core.wakeUp();
    }

    /** The next one, or null. */
    public @Nullable BondQueuePair poll() {
        return waiting.poll();
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }
}
