package io.vhca.bond.verbs;

import io.vhca.bond.core.BondCore;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** vQPs of one kind of which the data path has noted something. Any thread adds; the bond's thread takes. */
public final class AttentionQueue<Q extends VirtualQueuePair> {
    private final BondCore core;
    private final ManyToOneConcurrentLinkedQueue<Q> waiting = new ManyToOneConcurrentLinkedQueue<>();

    public AttentionQueue(final BondCore core) {
        this.core = core;
    }

    /** Called once for each vQP until its notes are taken. */
    public void add(final Q qp) {
        waiting.offer(qp);
        core.wakeUp();
    }

    /** The next one, or null. */
    public @Nullable Q poll() {
        return waiting.poll();
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }
}
