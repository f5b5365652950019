package io.vhca.rdp.engine;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.DirectedReceipt;
import io.vhca.rdp.memory.RegistrationCache;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory that one socket has named for others to write to, each for one datagram, and what became of it. */
public final class PortOffers {
    private final Core core;
    private final Port port;
    private final List<Offer> offers = new ArrayList<>();
    private final ArrayDeque<DirectedReceipt> receipts = new ArrayDeque<>();

    /** Memory of a socket here, for one datagram of one other socket. */
    static final class Offer {
        final PortOffers owner;
        final InetSocketAddress from;
        final long tag;
        final long address;
        final int length;
        final RegistrationCache.Entry memory;
        /** The flow whose sender was told of it, or is to be. */
        @Nullable InFlow flow;
        int slot;
        boolean isWritten;
        boolean isWithdrawing;
        int withdrawal;

        private Offer(
                final PortOffers owner, final InetSocketAddress from, final long tag, final long address,
                final int length, final RegistrationCache.Entry memory) {
            this.owner = owner;
            this.from = from;
            this.tag = tag;
            this.address = address;
            this.length = length;
            this.memory = memory;
        }
    }

    PortOffers(final Core core, final Port port) {
        this.core = core;
        this.port = port;
    }

    /**
     * Offers memory for one datagram of one other socket, which sends it by that tag. The memory must not be used until
     * {@link #poll} says that tag, nor given back before it could be forgotten. An offer outlives its path.
     *
     * @param from as a receive says it
     * @throws VerbsException EEXIST where memory is offered to that socket by that tag, ENOMEM where the device has no
     *                        room to register it, or MaxRegisteredMemory is used up
     */
    public void offer(final long at, final int lengthBytes, final InetSocketAddress from, final long tag) {
        if (find(from, tag) != null) {
            throw new VerbsException(
                    "receiveDirected", Errno.EEXIST, "port " + port.number(),
                    "memory is offered to " + from + " by tag " + tag + " already; use another tag, or withdraw that");
        }
        final RegistrationCache.Entry memory = core.offered.acquire(at, lengthBytes);
        if (memory == null) {
            throw new VerbsException(
                    "receiveDirected", Errno.ENOMEM, "port " + port.number(),
                    lengthBytes + " bytes cannot be registered; raise MaxRegisteredMemory, or offer less at once");
        }
        final Offer offer = new Offer(this, from, tag, at, lengthBytes, memory);
        offers.add(offer);
        tell(offer);
        final Port sender = core.ports.get(from.getPort());
        if (sender != null && core.isHere(from.getAddress())) {
            // No flow leads here from a socket of the same node: it is told itself.
            sender.listener().onWritable();
        }
    }

    /** By one flow: there are two where its sender is closed and bound anew, while data of before is under way. */
    private void tell(final Offer offer) {
        for (final InFlow flow : port.inFlows()) {
            if (offer.flow == null && !flow.isEnding() && flow.source().equals(offer.from)) {
                flow.peer().flows().offers().tell(offer, flow);
            }
        }
    }

    /**
     * Asks for offered memory back; {@link #poll} says when it is the owner's, and whether a datagram came after all.
     * False where none is offered so.
     */
    public boolean withdraw(final InetSocketAddress from, final long tag) {
        final Offer offer = find(from, tag);
        if (offer != null) {
            withdraw(offer);
        }
        return offer != null;
    }

    private void withdraw(final Offer offer) {
        final InFlow flow = offer.flow;
        if (flow == null) {
            giveBack(offer);
        } else {
            flow.peer().flows().offers().withdraw(offer);
        }
    }

    /** What became of the next memory that was offered; null where nothing is new. */
    public @Nullable DirectedReceipt poll() {
        return receipts.poll();
    }

    boolean hasReceipt() {
        return !receipts.isEmpty();
    }

    /** The memory that was offered to that socket by that tag, or null. */
    @Nullable Offer find(final InetSocketAddress from, final long tag) {
        for (int i = 0; i < offers.size(); i++) {
            if (offers.get(i).tag == tag && offers.get(i).from.equals(from)) {
                return offers.get(i);
            }
        }
        return null;
    }

    /** The sender of a flow is told of what is offered to him. */
    void opened(final InFlow flow) {
        for (final Offer offer : offers) {
            if (offer.flow == null && offer.from.equals(flow.source())) {
                flow.peer().flows().offers().tell(offer, flow);
            }
        }
    }

    /** The flow of an offer has ended unused: its sender may be there again, and have another one. */
    void unused(final Offer offer) {
        if (!port.isClosed() && offers.contains(offer)) {
            tell(offer);
        }
    }

    /** A datagram is in offered memory, and all that its socket sent before was delivered. */
    void placed(final Offer offer, final int lengthBytes) {
        core.offered.release(offer.memory);
        if (!port.isClosed()) {
            core.counters.increment(Counter.RX_DIRECTED);
            core.counters.increment(Counter.RX_PACKETS);
            core.counters.add(Counter.RX_BYTES, lengthBytes);
        }
        done(offer, new DirectedReceipt(offer.tag, lengthBytes, offer.from, false));
    }

    /** Nobody writes there any more. */
    void giveBack(final Offer offer) {
        core.offered.release(offer.memory);
        done(offer, new DirectedReceipt(offer.tag, 0, offer.from, true));
    }

    private void done(final Offer offer, final DirectedReceipt receipt) {
        if (offers.remove(offer)) {
            receipts.add(receipt);
            port.listener().onCompleted();
        }
    }

    /** The socket is closed: nobody hears of its memory, which stays registered until nobody writes there any more. */
    void close() {
        for (final Offer offer : List.copyOf(offers)) {
            withdraw(offer);
        }
        offers.clear();
    }
}
