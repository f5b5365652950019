package io.vhca.rdp.engine;

import io.vhca.api.NativeMemory;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.wire.BatchDescriptor;
import io.vhca.rdp.wire.BatchFlyweight;
import io.vhca.rdp.wire.MessageFlyweight;
import java.util.ArrayDeque;

/**
 * Takes batches that arrived from one node apart: each datagram is copied into a buffer of the smallest class, so that
 * a socket which does not read holds no more than its own. Where there is no such buffer the rest waits for one, and
 * its receive is not granted anew before; nor is what comes by the same connection after it, since a grant is a count,
 * and says that all messages up to it were taken. One thread at a time.
 */
final class BatchReader implements BufferPool.Taker {
    private final Core core;
    private final Peer peer;
    private final BatchFlyweight head = new BatchFlyweight();
    private final ArrayDeque<Buffer> unread = new ArrayDeque<>();
    /** How far the first of them was read. */
    private int at;

    BatchReader(final Core core, final Peer peer) {
        this.core = core;
        this.peer = peer;
    }

    /** A batch arrived; the buffer is the reader's now. False where it breaks a rule. */
    boolean onMessage(final Buffer buffer, final MessageFlyweight header) {
        buffer.length = header.length();
        buffer.behind = 0;
        unread.add(buffer);
        return unread.size() > 1 || read();
    }

    @Override
    public void onBuffer() {
        if (!read()) {
            peer.foreign();
        }
    }

    private boolean read() {
        Buffer batch = unread.peek();
        while (batch != null) {
            while (batch.length - at >= BatchDescriptor.SIZE) {
                final Buffer datagram = core.receivePool(0).take();
                if (datagram == null) {
                    core.counters.increment(Counter.RECEIVES_WITHHELD);
                    core.receivePool(0).starve(this);
                    return true;
                }
                if (!readNext(batch, datagram)) {
                    return false;
                }
            }
            at = 0;
            unread.remove();
            peer.lane(Batches.LANE).repost(batch, 1 + batch.behind);
            batch = unread.peek();
        }
        return true;
    }

    private boolean readNext(final Buffer batch, final Buffer datagram) {
        head.wrap(batch.payloadAddress() + at);
        final int length = head.length();
        final InFlow flow = peer.flows().inFlow(head.flowId());
        final boolean isWhole = length >= 0 && length <= datagram.pool().payloadBytes()
                && BatchDescriptor.SIZE + length <= batch.length - at;
        if (!isWhole || flow == null || !take(flow, head.flowSequence(), batch, datagram, length)) {
            datagram.release();
            return false;
        }
        at += BatchDescriptor.sizeOf(length);
        peer.flows().onProgress(flow);
        return true;
    }

    private boolean take(
            final InFlow flow, final long sequence, final Buffer batch, final Buffer datagram, final int lengthBytes) {
        NativeMemory.copy(
                batch.payloadAddress() + at + BatchDescriptor.SIZE, datagram.payloadAddress(), lengthBytes);
        datagram.length = lengthBytes;
        datagram.isLast = true;
        return flow.onMessage(sequence, datagram);
    }

    /** A message came by the connection of batches: where one waits it is counted after that, and this is true. */
    boolean defers() {
        final Buffer last = unread.peekLast();
        if (last == null) {
            return false;
        }
        last.behind++;
        return true;
    }

    /** Batches that were not read to their end. */
    int held() {
        return unread.size();
    }

    /** The session ends: what was not read is lost. */
    void end() {
        core.receivePool(0).forget(this);
        at = 0;
        while (!unread.isEmpty()) {
            unread.remove().release();
        }
    }
}
