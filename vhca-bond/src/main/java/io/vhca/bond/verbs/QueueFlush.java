package io.vhca.bond.verbs;

import io.vhca.api.QueuePair;
import io.vhca.bond.queue.SendRing;
import io.vhca.bond.queue.VirtualCompletion;
import io.vhca.bond.queue.VirtualRecvQueue;

/** Flushes what is left on one queue of a vQP in ERR, oldest first. Inside the gate of the CQ it completes to. */
public final class QueueFlush implements BondCompletionQueue.FlushSource {
    private final QueuePair qp;
    private final SendRing sends;
    private final VirtualRecvQueue receives;
    private final boolean isOfReceives;

    public QueueFlush(
            final QueuePair qp, final SendRing sends, final VirtualRecvQueue receives, final boolean isOfReceives) {
        this.qp = qp;
        this.sends = sends;
        this.receives = receives;
        this.isOfReceives = isOfReceives;
    }

    @Override
    public boolean next(final long wc) {
        if (isEmpty()) {
            return false;
        }
        if (isOfReceives) {
            final long sequence = receives.retired();
            VirtualCompletion.writeFlush(wc, receives.wrId(sequence), qp.qpNum(), true);
            receives.retireThrough(sequence);
        } else {
            final long sequence = sends.retired();
            VirtualCompletion.writeFlush(wc, sends.slots().wrId(sequence), qp.qpNum(), false);
            sends.retireThrough(sequence);
        }
        return true;
    }

    @Override
    public boolean isEmpty() {
        return isOfReceives
                ? receives.retired() >= receives.producerInside()
                : sends.retired() >= sends.producerInside();
    }

    @Override
    public QueuePair owner() {
        return qp;
    }
}
