package io.vhca.exs.engine;

import io.vhca.exs.wire.MessageDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * The sends of a socket, from the call to its completion.
 *
 * <p>Which way a send takes: while the peer has told of receives that still wait, into those, by WRITE with
 * immediate; a send, or its rest, that fits into a message as DATA; anything else as an ADVERT a piece of memory. A
 * receive that the peer told of counts only when it had seen every DATA and ADVERT by then: any that it had not goes
 * to that receive first. While the last of its receives are still being written into, the peer is about to tell of
 * more: an ADVERT, which would end that, waits for those WRITEs.
 */
final class SendHalf {
    private final boolean isPackets;
    private final CallRing calls;
    private final Outgoing outgoing;
    private final SentWork work;
    private final Credits credits;
    private final Port port;
    private final CallSink sink;
    private final int mostData;
    private final int maxPiece;
    private final @Nullable Call[] adverts;
    private long advertsSent;
    private long advertsAcked;
    private int taken; // DATA and ADVERT messages sent
    private int writing; // sends that a WRITE under way is the last of
    private boolean isWrittenInto; // the peer tells of receives, and nothing was sent that ends it
    private long toStart;
    private boolean isFinWanted;
    private boolean isFinSent;
    private long finNumber;

    private final long[] directAddress = new long[EngineSizes.MAX_DIRECT];
    private final long[] directLeft = new long[EngineSizes.MAX_DIRECT];
    private final int[] directKey = new int[EngineSizes.MAX_DIRECT];
    private final boolean[] directWaits = new boolean[EngineSizes.MAX_DIRECT];
    private int directHead;
    private int directCount;

    SendHalf(
            final EngineParts parts, final CallRing calls, final int mostData, final int mostAdverts) {
        isPackets = parts.isPackets();
        this.calls = calls;
        outgoing = parts.outgoing();
        work = parts.work();
        credits = parts.credits();
        port = parts.port();
        sink = parts.sink();
        maxPiece = parts.sizes().maxPiece();
        this.mostData = mostData;
        adverts = new Call[mostAdverts];
    }

    /** Begins what can be begun, and completes what is done. */
    void progress() {
        while (toStart != calls.tail() && start(calls.at(toStart))) {
            toStart++;
        }
        complete();
        if (isFinWanted && !isFinSent && toStart == calls.tail() && outgoing.mayControl(0)) {
            isFinSent = true;
            finNumber = work.tail();
            outgoing.control(outgoing.begin(MessageDescriptor.FIN, 0, 0));
        }
    }

    /** Begins all of a send; false when the rest must wait. */
    private boolean start(final Call call) {
        while (!call.isClosed) {
            final boolean isNew = call.left() == call.total();
            if (call.errno != 0 || call.total() == 0 && !isPackets) {
                call.isClosed = true; // cancelled, or nothing to send
            } else if (directCount > 0 && call.left() > 0 && fitsDirect(call, isNew)) {
                if (!(isPackets ? writeMessage(call) : writePiece(call))) {
                    return false;
                }
            } else if (call.left() <= mostData && (isNew || !isPackets)) {
                if (!sendData(call)) {
                    return false;
                }
            } else if (!sendAdvert(call)) {
                return false;
            }
        }
        return true;
    }

    private boolean fitsDirect(final Call call, final boolean isNew) {
        return call.isRegistered()
                && (!isPackets
                        || isNew
                                && call.total() <= Math.min(directLeft[directHead], Integer.MAX_VALUE)
                                && mostWrites(call) <= work.mostRoom());
    }

    /** At most so many WRITEs a message takes. */
    private long mostWrites(final Call call) {
        return call.segments + call.total() / maxPiece;
    }

    private boolean sendData(final Call call) {
        if (!outgoing.mayData()) {
            return false;
        }
        final int length = (int) call.left();
        final long at = outgoing.begin(MessageDescriptor.DATA, 0, length);
        call.copyOut(at + MessageDescriptor.SIZE, length);
        outgoing.data(at);
        endDirect();
        call.isClosed = true;
        return true;
    }

    private boolean sendAdvert(final Call call) {
        if (isWrittenInto && writing > 0 || !outgoing.mayData() || advertsSent - advertsAcked == adverts.length) {
            return false;
        }
        final long length = call.segmentLeft();
        final boolean isLast = length == call.left();
        final long at = outgoing.begin(
                MessageDescriptor.ADVERT, isPackets && !isLast ? MessageDescriptor.MORE : 0, 0);
        MessageDescriptor.writeMemory(at, call.address(), length, call.rkey());
        outgoing.data(at);
        endDirect();
        adverts[(int) (advertsSent % adverts.length)] = call;
        advertsSent++;
        call.open++;
        call.advance(length);
        call.isClosed = isLast;
        return true;
    }

    /** Of a stream: as much as fits into one WRITE of one piece of memory into one receive. */
    private boolean writePiece(final Call call) {
        if (credits.data() == 0 || work.room() == 0) {
            return false;
        }
        final int length =
                (int) Math.min(Math.min(call.segmentLeft(), directLeft[directHead]), maxPiece);
        credits.takeData();
        port.postWriteWithImm(
                call.address(), call.lkey(), length, directAddress[directHead], directKey[directHead], length);
        work.transfer(SentWork.WRITE, call, 0);
        call.open++;
        writing++;
        call.advance(length);
        call.isClosed = call.left() == 0;
        directAddress[directHead] += length;
        directLeft[directHead] -= length;
        if (directLeft[directHead] == 0 || !directWaits[directHead]) {
            dropDirect();
        }
        return true;
    }

    /** A whole message into one receive: the last WRITE tells the peer. */
    private boolean writeMessage(final Call call) {
        final int total = (int) call.total();
        if (credits.data() == 0 || work.room() < mostWrites(call)) {
            return false;
        }
        credits.takeData();
        long to = directAddress[directHead];
        final int key = directKey[directHead];
        while (!call.isClosed) {
            final long address = call.address();
            final int lkey = call.lkey();
            final int length = (int) Math.min(call.segmentLeft(), maxPiece);
            call.advance(length);
            call.isClosed = call.left() == 0;
            if (call.isClosed) {
                port.postWriteWithImm(address, lkey, length, to, key, total);
            } else {
                port.postWrite(address, lkey, length, to, key);
            }
            work.transfer(SentWork.WRITE, call.isClosed ? call : null, 0);
            to += length;
        }
        call.open++;
        writing++;
        dropDirect();
        return true;
    }

    /** A DATA or an ADVERT was sent. */
    private void endDirect() {
        taken++;
        directCount = 0;
        isWrittenInto = false;
    }

    private void dropDirect() {
        directHead = (directHead + 1) % EngineSizes.MAX_DIRECT;
        directCount--;
    }

    private void complete() {
        while (calls.head() != toStart) {
            final Call call = calls.at(calls.head());
            if (call.open > 0) {
                return;
            }
            calls.remove();
            sink.sent(call);
        }
    }

    /**
     * The peer tells of receives.
     *
     * @return empty, or what is wrong with it
     */
    String onDirect(final long at) {
        if (MessageDescriptor.seen(at) != taken) {
            return ""; // it had not seen all: what it had not seen goes there
        }
        final int more = MessageDescriptor.receives(at);
        if (directCount + more > EngineSizes.MAX_DIRECT) {
            return "it tells of more than " + EngineSizes.MAX_DIRECT + " receives at once";
        }
        for (int i = 0; i < more; i++) {
            final int index = (directHead + directCount) % EngineSizes.MAX_DIRECT;
            directAddress[index] = MessageDescriptor.address(at, i);
            directLeft[index] = MessageDescriptor.length(at, i);
            directKey[index] = MessageDescriptor.key(at, i);
            directWaits[index] = (MessageDescriptor.flags(at, i) & MessageDescriptor.WAIT_ALL) != 0;
            directCount++;
        }
        isWrittenInto = true;
        return "";
    }

    /**
     * The peer has read so many adverts by now, modulo 2^32.
     *
     * @return false when it cannot have
     */
    boolean onAcked(final int acked) {
        final int more = acked - (int) advertsAcked;
        if (Integer.compareUnsigned(more, unread()) > 0) {
            return false;
        }
        for (int i = 0; i < more; i++) {
            final int index = (int) (advertsAcked % adverts.length);
            final Call call = adverts[index];
            assert call != null : index;
            adverts[index] = null;
            call.open--;
            advertsAcked++;
        }
        return true;
    }

    void onWritten(final Call call) {
        assert call.open > 0 && writing > 0;
        call.open--;
        writing--;
    }

    /** A send that nothing was begun of completes with that error; false when it is too late. */
    boolean cancel(final long sequence, final int errno) {
        if (sequence - toStart < 0 || sequence - calls.tail() >= 0) {
            return false;
        }
        final Call call = calls.at(sequence);
        if (call.left() != call.total() || call.errno != 0) {
            return false;
        }
        call.errno = errno;
        return true;
    }

    void shutdown() {
        isFinWanted = true;
    }

    boolean isShut() {
        return isFinWanted;
    }

    /** True when the peer has all, and has been told that it was all. */
    boolean isDone() {
        return isFinSent && work.head() > finNumber && calls.isEmpty();
    }

    int unread() {
        return (int) (advertsSent - advertsAcked);
    }

    /** Nothing is under way any more: completes all that is left, in order. Nobody receives what is behind a gap. */
    void abort(final int errno) {
        boolean isGap = false;
        while (!calls.isEmpty()) {
            final Call call = calls.at(calls.head());
            if (call.errno == 0 && (isGap || call.open > 0 || !call.isClosed)) {
                isGap = true;
                call.errno = errno;
                call.failed();
            }
            calls.remove();
            sink.sent(call);
        }
        toStart = calls.tail();
    }
}
