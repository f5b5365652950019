package io.vhca.bond.verbs;

import io.vhca.api.QueuePair;
import io.vhca.bond.queue.VirtualQueue;

/**
 * Flushes what is left on one queue of a vQP in ERR, oldest first. Inside the gate of the CQ it completes to.
 *
 * @param owner whose queue it is
 */
record QueueFlush(QueuePair owner, VirtualQueue queue) implements BondCompletionQueue.FlushSource {
    @Override
    public boolean next(final long wc) {
        return queue.flushNext(wc, owner.qpNum());
    }

    @Override
    public int size() {
        return queue.unfinished();
    }
}
