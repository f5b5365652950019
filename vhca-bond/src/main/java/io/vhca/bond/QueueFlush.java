package io.vhca.bond;

/** Flushes what is left on one queue of a vQP in ERR, oldest first. Inside the gate of the CQ it completes to. */
final class QueueFlush implements BondCompletionQueue.FlushSource {
    private final BondQueuePair qp;
    private final boolean receives;

    QueueFlush(final BondQueuePair qp, final boolean receives) {
        this.qp = qp;
        this.receives = receives;
    }

    @Override
    public boolean flushNext(final long wc) {
        return receives ? flushReceive(wc) : flushSend(wc);
    }

    private boolean flushSend(final long wc) {
        final VirtualSendQueue queue = qp.sendQueue();
        final long sequence = queue.retired();
        if (isEmpty()) {
            return false;
        }
        VirtualCompletion.writeFlush(wc, queue.slots().wrId(sequence), qp.qpNum(), false);
        queue.retireThrough(sequence);
        return true;
    }

    private boolean flushReceive(final long wc) {
        final VirtualRecvQueue queue = qp.recvQueue();
        final long sequence = queue.retired();
        if (isEmpty()) {
            return false;
        }
        VirtualCompletion.writeFlush(wc, queue.wrId(sequence), qp.qpNum(), true);
        queue.retireThrough(sequence);
        return true;
    }

    @Override
    public boolean isEmpty() {
        return receives
                ? qp.recvQueue().retired() >= qp.recvQueue().producerInside()
                : qp.sendQueue().retired() >= qp.sendQueue().producerInside();
    }

    @Override
    public BondQueuePair owner() {
        return qp;
    }
}
