package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.wire.BatchDescriptor;
import io.vhca.rdp.wire.BatchFlyweight;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Short datagrams to one node that wait for the next turn, to leave as one message, and those that come so. They wait
 * only while an earlier send to that node is not known to be done: a turn will come, since its completion does. One
 * thread at a time.
 *
 * <pre>
 *   take: into the open one --full, or a turn--> flush: posted --done--> each socket is told
 * </pre>
 */
final class Batches {
    /** The connection that batches go by. */
    static final int LANE = 1;

    private final Core core;
    private final Peer peer;
    private final BatchReader reader;
    private final BatchFlyweight head = new BatchFlyweight();
    private final UnsafeBuffer slot = new UnsafeBuffer(0, 0);
    private boolean isUnderstood;
    private @Nullable Buffer open;
    private int bytes;
    /** What its datagrams count for at their receiver, which is no more than one of the size class would. */
    private int weight;

    Batches(final Core core, final Peer peer) {
        this.core = core;
        this.peer = peer;
        reader = new BatchReader(core, peer);
    }

    /** One arrived; the buffer is not the caller's any more. False where it breaks a rule. */
    boolean onMessage(final Buffer buffer, final MessageFlyweight header) {
        return reader.onMessage(buffer, header);
    }

    /** Something came by that connection: where a batch waits it is counted after that, and this is true. */
    boolean defers() {
        return reader.defers();
    }

    /** The other end says whether it reads batches. */
    void isUnderstood(final boolean byPeer) {
        isUnderstood = byPeer && core.lanes() > LANE;
    }

    boolean isOpen() {
        return open != null;
    }

    /** Buffers that are not posted, or not read to their end. */
    int held() {
        return reader.held() + (isOpen() ? 1 : 0);
    }

    /** Copies a datagram that may go; false where it has to go by itself. */
    boolean take(final OutFlow flow, final DirectBuffer source, final int offset, final int lengthBytes) {
        if (!isUnderstood || !isWorthIt()) {
            return false;
        }
        final int most = core.sendPool(LANE).payloadBytes();
        if (open != null && weight + lengthBytes + Port.OVERHEAD > most) {
            flush();
        }
        final Buffer buffer = open == null ? begin() : open;
        if (buffer == null) {
            return false;
        }
        head.wrap(buffer.payloadAddress() + bytes).write(flow.id(), lengthBytes, flow.takeSequence());
        slot.wrap(buffer.payloadAddress() + bytes + BatchDescriptor.SIZE, lengthBytes);
        slot.putBytes(0, source, offset, lengthBytes);
        flow.port().holds(lengthBytes);
        buffer.carries(flow.port(), lengthBytes);
        peer.lane(LANE).joined();
        bytes += BatchDescriptor.sizeOf(lengthBytes);
        weight += lengthBytes + Port.OVERHEAD;
        assert bytes <= weight && weight <= most : "a batch is longer than its buffer";
        return true;
    }

    /** Something is on its way, and nobody waits for a turn to send by himself, whom this one would pass. */
    private boolean isWorthIt() {
        final Lane smallest = peer.lane(0);
        final Lane own = peer.lane(LANE);
        return smallest.isUncontended() && own.isUncontended() && !(smallest.isIdle() && own.isIdle());
    }

    private @Nullable Buffer begin() {
        final Lane lane = peer.lane(LANE);
        final Buffer buffer = lane.mayPost() ? core.sendPool(LANE).take() : null;
        if (buffer != null) {
            buffer.lane = LANE;
            buffer.hasRoomFor(core.sendPool(LANE).payloadBytes() / Port.OVERHEAD);
            lane.posted(0);
            open = buffer;
            bytes = 0;
            weight = 0;
        }
        return buffer;
    }

    /** Sends what waits; how many messages that was. */
    int flush() {
        final Buffer buffer = open;
        if (buffer == null) {
            return 0;
        }
        open = null;
        final Lane lane = peer.lane(LANE);
        bytes = BatchDescriptor.padded(bytes);
        core.header.wrap(buffer.address()).write(MessageDescriptor.BATCH, (byte) 0, 0, 0, bytes, 0);
        lane.grant(core.header);
        core.counters.increment(Counter.TX_BATCHES);
        peer.send(LANE, buffer, MessageDescriptor.SIZE + bytes);
        return 1;
    }

    /** The session ends: what waits, on either way, is lost. */
    void end() {
        final Buffer buffer = open;
        open = null;
        if (buffer != null) {
            buffer.release();
            buffer.sent();
        }
        reader.end();
    }
}
