package io.vhca.rdp.engine;

import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.ControlFlyweight;
import io.vhca.rdp.wire.ControlWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory that sockets here have offered to one node, and that which the node has offered to sockets here. Each is
 * written to once. What the node was told of has a slot, by which its write says where it went; an offer whose flow or
 * session ends unused is told anew to the next flow of the same socket.
 */
final class PeerOffers {
    private static final int SLOT_MASK = ControlDescriptor.MOST_SLOTS - 1;
    private static final int NONE = -1;

    private final PeerFlows flows;
    private final List<PortOffers.@Nullable Offer> told = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final ArrayDeque<PortOffers.Offer> toTell = new ArrayDeque<>();
    private final ArrayDeque<PortOffers.Offer> toWithdraw = new ArrayDeque<>();
    private final Int2ObjectHashMap<Place> places = new Int2ObjectHashMap<>();
    private final ArrayDeque<Long> toAnswer = new ArrayDeque<>();
    private int nextWithdrawal;
    private int placeSlot = NONE;
    private long placeAddress;
    private int placeKey;

    /** Memory of the node that one flow may write to once. */
    record Place(PeerOffers owner, int slot, OutFlow flow, long tag, long address, int rkey, int length) {
        /** It is being written to, and will not be again. */
        void use() {
            owner.places.remove(slot);
            flow.removePlace(tag);
        }

        /** What a write there says of itself. */
        int number(final long sequence) {
            return (int) sequence << ControlDescriptor.IMMEDIATE_SEQUENCE_SHIFT | slot;
        }
    }

    PeerOffers(final PeerFlows flows) {
        this.flows = flows;
    }

    // Memory here.

    /** A flow to a socket was opened: what is offered to its sender is told. */
    void opened(final Port port, final InFlow flow) {
        port.offers().opened(flow);
    }

    /** Memory is offered to who sends by that flow; nothing, where a node was told of as much as it can be. */
    void tell(final PortOffers.Offer offer, final InFlow flow) {
        assert offer.flow == null : "memory is offered twice";
        if (free.isEmpty() && told.size() == ControlDescriptor.MOST_SLOTS) {
            return;
        }
        if (free.isEmpty()) {
            free.add(told.size());
            told.add(null);
        }
        offer.slot = free.remove();
        offer.flow = flow;
        told.set(offer.slot, offer);
        toTell.add(offer);
    }

    private void untell(final PortOffers.Offer offer) {
        told.set(offer.slot, null);
        free.add(offer.slot);
        toTell.remove(offer);
        toWithdraw.remove(offer);
        offer.flow = null;
        offer.isWritten = false;
    }

    /** Whether the node may know of it. */
    private boolean isTold(final PortOffers.Offer offer) {
        return offer.flow != null && !toTell.contains(offer);
    }

    /** Memory is to be its owner's again: at once where nobody was told of it, else when the node says so. */
    void withdraw(final PortOffers.Offer offer) {
        if (!isTold(offer)) {
            untell(offer);
            offer.owner.giveBack(offer);
        } else if (!offer.isWithdrawing) {
            offer.isWithdrawing = true;
            // The answer says it: one to an offer that had the slot before is told from it.
            offer.withdrawal = nextWithdrawal++;
            toWithdraw.add(offer);
        }
    }

    /**
     * The node says that it has written there.
     *
     * @return the flow that it belongs to; null where that cannot be
     */
    @Nullable InFlow onPlaced(final Buffer buffer, final int lengthBytes, final int number) {
        final int slot = number & SLOT_MASK;
        final PortOffers.Offer offer = slot < told.size() ? told.get(slot) : null;
        final InFlow flow = offer == null ? null : offer.flow;
        if (offer == null || flow == null || offer.isWritten || !isTold(offer) || lengthBytes > offer.length) {
            return null;
        }
        // The window is shorter than what sixteen bits tell apart.
        final long ahead =
                (number >>> ControlDescriptor.IMMEDIATE_SEQUENCE_SHIFT) - flow.expected() & SLOT_MASK;
        buffer.length = lengthBytes;
        buffer.isLast = true;
        buffer.offer = offer;
        offer.isWritten = true;
        return flow.onMessage(flow.expected() + ahead, buffer) ? flow : null;
    }

    /** All that was sent before it by the same socket was delivered: it is its receiver's. */
    void placed(final Buffer buffer) {
        final PortOffers.Offer offer = buffer.offer;
        if (offer == null) {
            throw new AssertionError("nothing was offered that was written to");
        }
        untell(offer);
        offer.owner.placed(offer, buffer.length);
    }

    /** The sender of a flow sends nothing any more, or never did. */
    void ended(final InFlow flow) {
        for (int slot = 0; slot < told.size(); slot++) {
            final PortOffers.Offer offer = told.get(slot);
            if (offer != null && offer.flow == flow) {
                unused(offer);
                offer.owner.unused(offer);
            }
        }
    }

    private void unused(final PortOffers.Offer offer) {
        untell(offer);
        if (offer.isWithdrawing) {
            offer.owner.giveBack(offer);
        }
    }

    // Memory there.

    /** A record that concerns memory; false where it breaks a rule. */
    boolean onRecord(final ControlFlyweight record) {
        final int slot = record.sourcePort();
        switch (record.kind()) {
            case ControlDescriptor.OFFER_PLACE -> {
                placeSlot = slot;
                placeAddress = record.sequence();
                placeKey = record.id();
                return true;
            }
            case ControlDescriptor.OFFER -> {
                return onOffer(slot, record);
            }
            case ControlDescriptor.WITHDRAW -> {
                final Place place = places.remove(slot);
                if (place != null) {
                    place.flow.removePlace(place.tag);
                    toAnswer.add((long) record.id() << Integer.SIZE | slot);
                }
                return true;
            }
            default -> {
                return onWithdrawn(slot, record.id());
            }
        }
    }

    /** The node will not write there; false where it has, and what it wrote waits for what was sent before. */
    private boolean onWithdrawn(final int slot, final int withdrawal) {
        final PortOffers.Offer offer = slot < told.size() ? told.get(slot) : null;
        if (offer == null || !offer.isWithdrawing || offer.withdrawal != withdrawal) {
            return true;
        }
        if (offer.isWritten) {
            return false;
        }
        untell(offer);
        offer.owner.giveBack(offer);
        return true;
    }

    private boolean onOffer(final int slot, final ControlFlyweight record) {
        final OutFlow flow = flows.outFlow(record.destinationPort());
        final long tag = record.sequence();
        if (placeSlot != slot || flow == null || record.id() <= 0 || places.containsKey(slot)
                || flow.place(tag) != null) {
            return false;
        }
        placeSlot = NONE;
        final Place place = new Place(this, slot, flow, tag, placeAddress, placeKey, record.id());
        places.put(slot, place);
        flow.addPlace(place);
        flow.port().listener().onWritable();
        return true;
    }

    /** A flow has ended. */
    void forget(final OutFlow flow) {
        places.values().removeIf(place -> {
            final boolean isOf = place.flow == flow;
            if (isOf) {
                flow.removePlace(place.tag);
            }
            return isOf;
        });
    }

    // Both.

    boolean hasNews() {
        return !toTell.isEmpty() || !toWithdraw.isEmpty() || !toAnswer.isEmpty();
    }

    /** Writes what is new, as long as there is room. */
    void write(final ControlWriter writer) {
        while (!toTell.isEmpty() && writer.hasRoom(2)) {
            final PortOffers.Offer offer = toTell.remove();
            final InFlow flow = offer.flow;
            if (flow == null) {
                throw new AssertionError("memory is offered to nobody");
            }
            writer.write(ControlDescriptor.OFFER_PLACE, offer.slot, 0, offer.memory.rkey(), offer.address);
            writer.write(ControlDescriptor.OFFER, offer.slot, flow.id(), offer.length, offer.tag);
        }
        while (!toWithdraw.isEmpty() && writer.hasRoom()) {
            final PortOffers.Offer offer = toWithdraw.remove();
            writer.write(ControlDescriptor.WITHDRAW, offer.slot, 0, offer.withdrawal, 0);
        }
        while (!toAnswer.isEmpty() && writer.hasRoom()) {
            final long answer = toAnswer.remove();
            writer.write(ControlDescriptor.WITHDRAWN, (int) answer, 0, (int) (answer >>> Integer.SIZE), 0);
        }
    }

    /** The connections are gone, and nothing can be written any more. */
    void lost() {
        places.values().forEach(place -> place.flow.removePlace(place.tag));
        places.clear();
        toAnswer.clear();
        placeSlot = NONE;
        for (int slot = 0; slot < told.size(); slot++) {
            final PortOffers.Offer offer = told.get(slot);
            if (offer != null) {
                unused(offer);
            }
        }
        told.clear();
        free.clear();
    }
}
