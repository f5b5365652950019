package io.vhca.exs.engine;

import io.vhca.exs.wire.MessageDescriptor;

/** Messages to the peer: each takes a slot, a work request and a credit, and gives back all that is owed. */
final class Outgoing {
    private final Port port;
    private final SentWork work;
    private final Credits credits;
    private int number;
    private int acked;
    private int ackedSaid;
    private boolean isClosed;

    Outgoing(final Port port, final SentWork work, final Credits credits) {
        this.port = port;
        this.work = work;
        this.credits = credits;
    }

    boolean mayData() {
        return !isClosed && credits.data() > 0 && work.hasSlot();
    }

    boolean mayControl(final int spare) {
        return !isClosed && credits.mayControl(spare) && work.hasSlot();
    }

    /** There is no queue pair any more. */
    void close() {
        isClosed = true;
    }

    /** Where the next message is written; {@link #data} or {@link #control} sends it. */
    long begin(final int type, final int flags, final int dataLength) {
        final long at = port.messageAddress(work.slot());
        MessageDescriptor.write(at, type, flags, dataLength, number);
        return at;
    }

    /** Sends a DATA or an ADVERT. */
    void data(final long at) {
        credits.takeData();
        post(at);
    }

    /** Sends anything else. */
    void control(final long at) {
        credits.takeControl();
        post(at);
    }

    private void post(final long at) {
        MessageDescriptor.writeReturns(at, credits.dataOwed(), credits.controlOwed(), acked);
        credits.returned();
        ackedSaid = acked;
        number++;
        final int slot = work.slot();
        port.postMessage(slot, MessageDescriptor.SIZE + MessageDescriptor.dataLength(at), isSignaled(at));
    }

    private boolean isSignaled(final long at) {
        return work.message(MessageDescriptor.type(at) == MessageDescriptor.FIN);
    }

    /** An advert was read to its end. */
    void acknowledge() {
        acked++;
    }

    /** Sends an ACK where something must be said and no other message said it. */
    void flush() {
        if ((acked != ackedSaid || credits.isMuchOwed()) && mayControl(0)) {
            control(begin(MessageDescriptor.ACK, 0, 0));
        }
    }
}
