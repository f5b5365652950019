package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.lane.CreditWindow;
import io.vhca.rdp.lane.ImpliedHeader;
import io.vhca.rdp.lane.TurnQueue;
import io.vhca.rdp.wire.MessageFlyweight;

/**
 * The connection of one size class to one node, as the engine sees it: who may send on it how much. Who is refused gets
 * a turn in a queue.
 */
final class Lane implements BufferPool.Taker {
    private final Core core;
    private final Peer peer;
    private final int index;
    private final TurnQueue queue = new TurnQueue();
    private final CreditWindow window;
    private final ImpliedHeader sending = new ImpliedHeader();
    private final ImpliedHeader arriving = new ImpliedHeader();

    Lane(final Core core, final Peer peer, final int index) {
        this.core = core;
        this.peer = peer;
        this.index = index;
        window = new CreditWindow(core.config.dataRecvBuffers());
    }

    CreditWindow window() {
        return window;
    }

    /** The other end said how many receives it keeps. */
    void credits(final int receives) {
        window.credits(receives);
    }

    /** Datagrams that the other end has not confirmed. */
    int unconfirmed() {
        return window.unconfirmed();
    }

    /** Whether the other end does not know of all that was taken. */
    boolean hasUntold() {
        return window.untold() > 0;
    }

    /** Whether every send has completed. */
    boolean isIdle() {
        return window.isIdle();
    }

    boolean mayPost() {
        return window.left() > 0;
    }

    /** Writes into a header what was taken; not before a stall that the other end is to hear of first. */
    void grant(final MessageFlyweight header) {
        header.grants(peer.flows().hasStalls() ? window.told() : window.tell(), peer.tellControl());
    }

    /** What the next data message says by nothing. */
    ImpliedHeader sending() {
        return sending;
    }

    /** The same of the next one that arrives. */
    ImpliedHeader arriving() {
        return arriving;
    }

    /** A session begins. */
    void begin() {
        window.begin();
        sending.begin();
        arriving.begin();
    }

    /** A message takes a credit that so many datagrams end in. */
    void posted(final int datagrams) {
        if (index == Batches.LANE) {
            // One that waits is counted as sent already: nothing may pass it.
            peer.flushBatch();
        }
        window.posted(datagrams);
        advance(core.nowNs());
    }

    /** One datagram more ends in the message that took a credit last. */
    void joined() {
        window.joined();
    }

    /** Where the last of a round had his, those that wait for the next one try. */
    private void advance(final long nowNs) {
        if (queue.advance(nowNs)) {
            queue.wake(window.left(), nowNs);
        }
    }

    /** A session ends: nothing is outstanding any more. */
    void end() {
        core.receivePool(index).forget(this);
        queue.clear();
        window.end();
    }

    /** Whether a flow may send so many messages now; who may not will be told when it is worth to try again. */
    boolean hasRoom(final OutFlow flow, final int messages) {
        final TurnQueue.Turn turn = flow.turn(index);
        if (queue.mayGo(turn, messages, window.left(), window.most() - window.most() / 8, core.nowNs())) {
            queue.done(turn);
            return true;
        }
        queue.ask(turn, messages);
        return false;
    }

    /** The socket of a flow is closed: who waits behind it goes on. */
    void leave(final OutFlow flow) {
        queue.leave(flow.turn(index));
        if (!queue.isEmpty()) {
            queue.wake(window.left(), core.nowNs());
        }
    }

    /** How many messages of one datagram there can ever be room for, here and there. */
    int mostMessages() {
        return Math.min(window.most(), Math.min(OutFlow.WINDOW, core.config.dataSendBuffers()));
    }

    /** Nobody waits for his turn. */
    boolean isUncontended() {
        return queue.isEmpty();
    }

    /** Who could go on and did not keeps others waiting no longer. */
    void age(final long nowNs) {
        if (!queue.isEmpty() && queue.age(nowNs)) {
            queue.wake(window.left(), nowNs);
        }
        advance(nowNs);
    }

    /** When who may go on and does not is looked for; never where nobody waits. */
    long nextDeadlineNs() {
        return queue.isEmpty() ? Long.MAX_VALUE : core.nowNs() + queue.patienceNs();
    }

    /** A send is done: its place in the send queue is free. */
    void completed() {
        window.completed();
        if (!queue.isEmpty()) {
            queue.wake(window.left(), core.nowNs());
        }
    }

    /**
     * The peer says how much it has taken.
     *
     * @return false where it cannot have
     */
    boolean onGranted(final int count) {
        final int before = window.outstanding();
        final boolean isRight = window.onGranted(count);
        if (window.outstanding() < before) {
            queue.wake(window.left(), core.nowNs());
            peer.flows().granted();
        }
        return isRight;
    }

    @Override
    public void onBuffer() {
        refill();
    }

    /** Posts the receive of a batch again, and grants it and what came after it: so many messages. */
    void repost(final Buffer buffer, final int messages) {
        if (peer.post(index, buffer)) {
            for (int i = 0; i < messages; i++) {
                window.consumed();
            }
            peer.onConsumed();
        }
    }

    /** Posts a receive in place of a used one, and grants it; later, where there is no buffer or a batch waits. */
    void refill() {
        final Buffer buffer = core.receivePool(index).take();
        if (buffer == null) {
            core.counters.increment(Counter.RECEIVES_WITHHELD);
            core.receivePool(index).starve(this);
            return;
        }
        if (peer.post(index, buffer) && !(index == Batches.LANE && peer.defersToBatch())) {
            window.consumed();
            peer.onConsumed();
        }
    }

    /** So much is to be granted that the peer may soon wait for it; less would be more messages than that is worth. */
    boolean isGrantDue() {
        return window.untold() >= Math.max(1, core.config.dataRecvBuffers() / 4);
    }
}
