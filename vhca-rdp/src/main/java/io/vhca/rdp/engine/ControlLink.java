package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.lane.CreditWindow;
import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.ControlFlyweight;
import io.vhca.rdp.wire.ControlWriter;
import io.vhca.rdp.wire.MessageDescriptor;

/**
 * Control messages to and from one node, over the connection of the smallest class.
 *
 * <p>They have credits of their own. The last one is only used by a message that confirms some of the peer's: so two
 * ends that have used up theirs at once can still tell each other, and neither waits for ever.
 */
final class ControlLink {
    private final Core core;
    private final Peer peer;
    private final ControlWriter writer = new ControlWriter();
    private final ControlFlyweight row = new ControlFlyweight();
    private final CreditWindow window;

    ControlLink(final Core core, final Peer peer) {
        this.core = core;
        this.peer = peer;
        window = new CreditWindow(core.config.ctrlRecvBuffers());
    }

    /** A session begins. */
    void begin() {
        window.begin();
    }

    /** The peer said how many receives it keeps for these. */
    void credits(final int receives) {
        window.credits(receives);
    }

    /** How many were taken off the queue, which is being told. */
    int tell() {
        return window.tell();
    }

    /** The peer says how many of these it has taken; false where it cannot have. */
    boolean onGranted(final int count) {
        return window.onGranted(count);
    }

    /** A send is done. */
    void completed() {
        window.completed();
    }

    /** So many of the peer's are not confirmed that it may soon wait for it. */
    private boolean isConfirmationDue() {
        return window.untold() >= core.config.ctrlRecvBuffers() / 2;
    }

    private boolean maySend() {
        final int unused = window.unused();
        return window.hasPlace() && (unused > 1 || unused == 1 && window.untold() > 0);
    }

    /** Sends what there is to say, as far as credits go; how many messages. */
    int flush(final boolean isDue) {
        int messages = 0;
        boolean isMore = isDue || peer.flows().hasNews() || isConfirmationDue();
        while (isMore && maySend()) {
            if (!send()) {
                return messages;
            }
            messages++;
            isMore = peer.flows().hasNews();
        }
        return messages;
    }

    private boolean send() {
        final Buffer buffer = core.controlPool().take();
        if (buffer == null) {
            return false;
        }
        writer.begin(buffer.payloadAddress(), core.controlPool().payloadBytes());
        // A stall goes before what lets the peer send more.
        peer.flows().writeStalls(writer);
        final boolean mayGrant = !peer.flows().hasStalls();
        for (int lane = 0; mayGrant && lane < core.lanes(); lane++) {
            final CreditWindow of = peer.lane(lane).window();
            if (of.untold() > 0 && writer.hasRoom()) {
                writer.write(ControlDescriptor.GRANT, 0, 0, lane, Integer.toUnsignedLong(of.tell()));
            }
        }
        peer.flows().write(writer);
        final CreditWindow smallest = peer.lane(0).window();
        core.header
                .wrap(buffer.address())
                .write(MessageDescriptor.CONTROL, (byte) 0, 0, 0, writer.length(), 0)
                .grants(mayGrant ? smallest.tell() : smallest.told(), window.tell());
        window.posted();
        core.counters.increment(Counter.TX_CONTROL);
        return peer.send(0, buffer, MessageDescriptor.SIZE + writer.length());
    }

    /** A control message arrived; its buffer is posted again at once. False where it breaks a rule. */
    boolean onMessage(final Buffer buffer, final int lengthBytes) {
        core.counters.increment(Counter.RX_CONTROL);
        boolean isRight = lengthBytes % ControlDescriptor.SIZE == 0;
        for (int at = 0; isRight && at < lengthBytes; at += ControlDescriptor.SIZE) {
            isRight = onRecord(row.wrap(buffer.payloadAddress() + at));
        }
        if (peer.post(0, buffer)) {
            window.consumed();
        }
        return isRight;
    }

    private boolean onRecord(final ControlFlyweight record) {
        final int kind = record.kind();
        switch (kind) {
            case ControlDescriptor.FLOW_OPEN -> {
                return peer.flows().onOpen(record.id(), record.sourcePort(), record.destinationPort());
            }
            case ControlDescriptor.FLOW_OPENED, ControlDescriptor.FLOW_REFUSED, ControlDescriptor.FLOW_CLOSED,
                    ControlDescriptor.FLOW_ENDED -> {
                return peer.flows().onAnswer(kind, record.id());
            }
            case ControlDescriptor.FLOW_END -> {
                return peer.flows().onEnd(record.id(), record.sequence());
            }
            case ControlDescriptor.STALL, ControlDescriptor.UNSTALL ->
                    peer.flows().onStall(record.destinationPort(), kind == ControlDescriptor.STALL);
            case ControlDescriptor.GRANT -> {
                final int lane = record.id();
                return lane >= 0 && lane < core.lanes() && peer.lane(lane).onGranted((int) record.sequence());
            }
            case ControlDescriptor.OFFER_PLACE, ControlDescriptor.OFFER, ControlDescriptor.WITHDRAW,
                    ControlDescriptor.WITHDRAWN -> {
                return peer.flows().onMemory(record);
            }
            default -> core.counters.increment(Counter.FOREIGN);
        }
        return true;
    }
}
