package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;

/**
 * The connection of one size class to one node, as the engine sees it: who may send on it how much.
 *
 * <p>Credits are counts of all messages ever: {@code sent} here, {@code granted} what the peer says it has taken off
 * its queue and replaced. Their difference never exceeds what the peer keeps posted, so that no SEND meets an empty
 * queue. Who is refused gets a place in a queue.
 */
final class Lane {
    private final Core core;
    private final Peer peer;
    private final int index;
    private final TurnQueue queue = new TurnQueue();
    private int credits;
    private int sent;
    private int granted;
    private int consumed;
    private int told;
    /** Sends that have not completed: their places in the send queue are not free yet. */
    private int inQueue;

    Lane(final Core core, final Peer peer, final int index) {
        this.core = core;
        this.peer = peer;
        this.index = index;
    }

    /** A session begins. */
    void begin() {
        credits = 0;
        sent = 0;
        granted = 0;
        consumed = 0;
        told = 0;
        inQueue = 0;
    }

    /** The peer said how many receives it keeps. */
    void credits(final int receives) {
        credits = receives;
    }

    /** A session ends: nothing is outstanding any more. */
    void end() {
        core.receivePool(index).forget(this);
        queue.clear();
        granted = sent;
    }

    int sent() {
        return sent;
    }

    /** Whether all that was sent before the count was so high has arrived. */
    boolean isGranted(final int count) {
        return granted - count >= 0;
    }

    /** Messages that the peer has not confirmed. */
    int outstanding() {
        return sent - granted;
    }

    private int left() {
        return Math.min(credits - (sent - granted), core.config.dataRecvBuffers() - inQueue);
    }

    /** Whether a flow may send so many messages now; who may not will be told when it is worth to try again. */
    boolean hasRoom(final OutFlow flow, final int messages) {
        final TurnQueue.Turn turn = flow.turn(index);
        if (queue.mayGo(turn, messages, left())) {
            queue.done(turn);
            return true;
        }
        queue.ask(turn, messages);
        return false;
    }

    /** Who could go on and did not keeps others waiting no longer. */
    void age(final long nowNs) {
        if (!queue.isEmpty() && queue.age(nowNs)) {
            queue.wake(left(), nowNs);
        }
    }

    boolean isAwaited() {
        return !queue.isEmpty();
    }

    /** A message takes a credit. */
    void posted() {
        assert left() > 0 : "a message without a credit";
        sent++;
        inQueue++;
    }

    /** A send is done: its place in the send queue is free. */
    void completed() {
        inQueue--;
        assert inQueue >= 0 : "more sends completed than were posted";
        if (!queue.isEmpty()) {
            queue.wake(left(), core.nowNs());
        }
    }

    /**
     * The peer says how much it has taken.
     *
     * @return false where it cannot have
     */
    boolean onGranted(final int count) {
        if (count - granted > 0) {
            if (count - sent > 0) {
                return false;
            }
            granted = count;
            queue.wake(left(), core.nowNs());
        }
        return true;
    }

    /** Posts a receive in place of one that was used, and grants it; later, where there is no buffer. */
    void refill() {
        final Buffer buffer = core.receivePool(index).take();
        if (buffer == null) {
            core.counters.increment(Counter.RECEIVES_WITHHELD);
            core.receivePool(index).starve(this);
            return;
        }
        if (peer.post(index, buffer)) {
            consumed++;
            peer.onConsumed();
        }
    }

    boolean hasUntold() {
        return consumed != told;
    }

    /** So much is to be granted that the peer may soon wait for it. */
    boolean isGrantDue() {
        return consumed - told >= Math.max(1, core.config.dataRecvBuffers() / 8);
    }

    /** What was granted last: a stall that is to be heard first is not outrun by more. */
    int told() {
        return told;
    }

    /** What is granted now is being told. */
    int tell() {
        told = consumed;
        return consumed;
    }
}
