package io.vhca.exs.engine;

import io.vhca.exs.wire.MessageDescriptor;

/**
 * The receives of a socket, and what arrived for them.
 *
 * <pre>
 *   receives:   complete | being READ | to match ... told of to the peer ... not told of
 *                        head         toMatch        told                    tail
 *   arrivals:   done     | being READ | to take
 *                        head         next           tail
 * </pre>
 *
 * <p>Arrivals are matched with receives in order. A receive that waits with nothing before it may be told of to the
 * peer, which then WRITEs into it: when it is longer than a message, its memory is registered in one piece, and the
 * last transfer that came was long as well, or none came yet. DATA and ADVERT end that for all receives told of. While
 * the peer still has some to write into, it is told of more only when they are half as many: one message for several.
 */
final class ReceiveHalf {
    private static final int SPARE_CONTROL = 1;

    private final boolean isPackets;
    private final CallRing calls;
    private final Outgoing outgoing;
    private final SentWork work;
    private final Credits credits;
    private final Port port;
    private final CallSink sink;
    private final int maxPiece;
    private final int shortest; // a longer receive is worth telling of
    private final int mostTold; // at once
    private final int mostInMessage;
    private long toMatch;
    private long told;
    private boolean isLongTraffic = true;
    private int seen; // DATA and ADVERT messages that came
    private boolean isFinished;
    private boolean isWithinMessage; // the message that came last goes on

    private final boolean[] isData;
    private final long[] address;
    private final long[] left;
    private final int[] key;
    private final int[] flags;
    private final int[] slot;
    private final int[] open;
    private long head;
    private long next;
    private long tail;

    /**
     * @param mostTold      receives that the peer may have been told of and not have written into
     * @param mostInMessage receives that one message may tell of
     */
    ReceiveHalf(final EngineParts parts, final CallRing calls, final int mostTold, final int mostInMessage) {
        this.mostTold = mostTold;
        this.mostInMessage = mostInMessage;
        isPackets = parts.isPackets();
        this.calls = calls;
        outgoing = parts.outgoing();
        work = parts.work();
        credits = parts.credits();
        port = parts.port();
        sink = parts.sink();
        maxPiece = parts.sizes().maxPiece();
        shortest = parts.sizes().messageSize() - MessageDescriptor.SIZE;
        final int arrivals = parts.sizes().dataCredits();
        isData = new boolean[arrivals];
        address = new long[arrivals];
        left = new long[arrivals];
        key = new int[arrivals];
        flags = new int[arrivals];
        slot = new int[arrivals];
        open = new int[arrivals];
    }

    /** Matches what can be matched, completes what is done, tells the peer of what waits. */
    void progress() {
        while (toMatch != calls.tail() && fill(calls.at(toMatch))) {
            toMatch++;
        }
        release();
        complete();
        tell();
    }

    /** A DATA message came, in a slot that is kept until it was taken. */
    void onData(final long at, final int receiveSlot) {
        isLongTraffic = false;
        final int index = arrive(at, MessageDescriptor.dataLength(at));
        isData[index] = true;
        address[index] = at + MessageDescriptor.SIZE;
        slot[index] = receiveSlot;
    }

    /** An ADVERT came. */
    void onAdvert(final long at) {
        isLongTraffic = true;
        final int index = arrive(at, MessageDescriptor.length(at));
        isData[index] = false;
        address[index] = MessageDescriptor.address(at);
        key[index] = MessageDescriptor.key(at);
    }

    private int arrive(final long at, final long length) {
        assert tail - head < isData.length;
        seen++;
        for (; told > toMatch; told--) {
            calls.at(told - 1).isDirect = false;
        }
        final int index = index(tail++);
        left[index] = length;
        flags[index] = MessageDescriptor.flags(at);
        isWithinMessage = (flags[index] & MessageDescriptor.MORE) != 0;
        open[index] = 0;
        return index;
    }

    private int index(final long arrival) {
        return (int) (arrival % isData.length);
    }

    /**
     * The peer has written into the first receive.
     *
     * @return false when it was told of none, or not of so much; or wrote nothing: a stream would take that for its end
     */
    boolean onWritten(final int length) {
        if (told <= toMatch || length <= 0 || length > calls.at(toMatch).left()) {
            return false;
        }
        final Call call = calls.at(toMatch);
        assert call.isDirect;
        isLongTraffic = length > shortest;
        call.advance(length);
        if (isPackets || call.left() == 0 || !call.is(Call.WAIT_ALL)) {
            call.isClosed = true;
            toMatch++;
        }
        return true;
    }

    void onFin() {
        isFinished = true;
    }

    boolean isFinished() {
        return isFinished;
    }

    /** True when part of a message came, and more of it must come. */
    boolean isWithinMessage() {
        return isWithinMessage;
    }

    /** True when a receive would find something, be it the end. */
    boolean isReadable() {
        return next != tail || isFinished;
    }

    /** Gives a receive what is there; false when it waits for more, or for room to READ. */
    private boolean fill(final Call call) {
        if (call.errno != 0 || call.is(Call.PEEK)) {
            return call.errno != 0 ? close(call) : peek(call);
        }
        while (!call.isClosed) {
            if (next == tail) {
                final boolean isEnough =
                        isFinished || !isPackets && call.left() < call.total() && !call.is(Call.WAIT_ALL);
                return (isEnough || call.total() == 0 && !isPackets) && close(call);
            }
            final int index = index(next);
            if (!take(call, index)) {
                return false;
            }
            if (left[index] == 0) {
                next++;
                call.isClosed = isPackets
                        ? (flags[index] & MessageDescriptor.MORE) == 0
                        : call.left() == 0;
            } else {
                assert call.left() == 0 && !isPackets;
                call.isClosed = true;
            }
        }
        return true;
    }

    private static boolean close(final Call call) {
        call.isClosed = true;
        return true;
    }

    /** Takes all that fits of an arrival, of a message the rest as well; false without room to READ. */
    private boolean take(final Call call, final int index) {
        while (left[index] > 0 && call.left() > 0) {
            if (isData[index]) {
                final long length = Math.min(left[index], call.left());
                call.copyIn(address[index], length);
                took(index, length);
            } else if (work.room() > 0) {
                final long most = Math.min(left[index], maxPiece);
                final int length = (int) Math.min(most, call.segmentLeft());
                read(call, index, address[index], length);
                call.advance(length);
                took(index, length);
            } else {
                return false;
            }
        }
        if (isPackets && left[index] > 0) {
            call.isTruncated = true;
            left[index] = 0;
        }
        return true;
    }

    private void took(final int index, final long length) {
        address[index] += length;
        left[index] -= length;
    }

    private void read(final Call call, final int index, final long from, final int length) {
        port.postRead(call.address(), call.lkey(), length, from, key[index]);
        work.transfer(SentWork.READ, call, index);
        call.open++;
        open[index]++;
    }

    /** Shows the first arrival, as far as one piece of memory holds it, and leaves it. */
    private boolean peek(final Call call) {
        if (next == tail) {
            return isFinished && close(call);
        }
        final int index = index(next);
        final long most = Math.min(left[index], call.left());
        if (isData[index]) {
            call.copyIn(address[index], most);
        } else if (most > 0) {
            if (work.room() == 0) {
                return false;
            }
            final int length = (int) Math.min(Math.min(most, maxPiece), call.segmentLeft());
            read(call, index, address[index], length);
            call.advance(length);
        }
        return close(call);
    }

    void onRead(final Call call, final int index) {
        assert call.open > 0 && open[index] > 0;
        call.open--;
        open[index]--;
    }

    /** Gives back what was taken to its end, in order. */
    private void release() {
        while (head != next && open[index(head)] == 0) {
            final int index = index(head++);
            credits.dataDone();
            if (isData[index]) {
                port.postReceive(slot[index]);
            } else {
                outgoing.acknowledge();
            }
        }
    }

    private void complete() {
        while (calls.head() != toMatch) {
            final Call call = calls.at(calls.head());
            if (call.open > 0) {
                return;
            }
            calls.remove();
            sink.received(call);
        }
    }

    private void tell() {
        if (!isLongTraffic || next != tail) {
            return;
        }
        told = Math.max(told, toMatch);
        int more = worthTelling();
        while (more > 0 && 2 * more >= told - toMatch && outgoing.mayControl(SPARE_CONTROL)) {
            final int count = Math.min(more, mostInMessage);
            tell(count);
            more -= count;
        }
    }

    /** Receives that the peer may be told of now. */
    private int worthTelling() {
        final long most = Math.min(calls.tail(), toMatch + mostTold);
        long end = told;
        while (end < most && isWorthTelling(calls.at(end))) {
            end++;
        }
        return (int) (end - told);
    }

    private void tell(final int count) {
        final Call first = calls.at(told);
        final long at = outgoing.begin(
                MessageDescriptor.DIRECT, directFlags(first), (count - 1) * MessageDescriptor.RECEIVE_SIZE);
        MessageDescriptor.writeMemory(at, first.address(), first.left(), first.rkey());
        MessageDescriptor.writeSeen(at, seen);
        first.isDirect = true;
        for (int i = 1; i < count; i++) {
            final Call call = calls.at(told + i);
            MessageDescriptor.writeReceive(at, i, call.address(), call.left(), call.rkey(), directFlags(call));
            call.isDirect = true;
        }
        outgoing.control(at);
        told += count;
    }

    private static int directFlags(final Call call) {
        return call.is(Call.WAIT_ALL) ? MessageDescriptor.WAIT_ALL : 0;
    }

    private boolean isWorthTelling(final Call call) {
        return call.errno == 0
                && call.segments == 1
                && !call.is(Call.PEEK)
                && call.left() > shortest
                && (!isPackets || call.left() == call.total());
    }

    /** A receive that nothing was matched with completes with that error; false when it is too late. */
    boolean cancel(final long sequence, final int errno) {
        if (sequence - toMatch < 0 || sequence - calls.tail() >= 0) {
            return false;
        }
        final Call call = calls.at(sequence);
        if (call.isDirect || call.left() != call.total() || call.errno != 0) {
            return false;
        }
        call.errno = errno;
        return true;
    }

    /**
     * Nothing can be READ any more: forgets the first that was to be, and all behind it, the end as well.
     *
     * @return false while something is being READ: that is missing
     */
    boolean cutUnread() {
        for (long arrival = head; arrival != tail; arrival++) {
            if (open[index(arrival)] > 0) {
                return false;
            }
        }
        for (long arrival = next; arrival != tail; arrival++) {
            if (!isData[index(arrival)]) {
                tail = arrival;
                isFinished = false;
                return true;
            }
        }
        return true;
    }

    /**
     * Without a queue pair: gives receives what came in messages; those that find nothing complete with the error. One
     * of a stream that waits for more has what came, as at the end.
     */
    void drain(final int errno) {
        progress();
        if (next == tail) {
            if (!isPackets && toMatch != calls.tail() && calls.at(toMatch).left() < calls.at(toMatch).total()) {
                calls.at(toMatch).isClosed = true;
            }
            abort(errno);
        }
    }

    int untaken() {
        return (int) (tail - head);
    }

    /** Nothing is under way any more: completes all that is left, in order. What is behind a gap is not received. */
    void abort(final int errno) {
        toMatch = calls.tail();
        boolean isGap = false;
        while (!calls.isEmpty()) {
            final Call call = calls.at(calls.head());
            if (call.errno == 0 && (isGap || call.open > 0 || !call.isClosed)) {
                isGap = true;
                call.errno = errno;
                call.failed();
            }
            calls.remove();
            sink.received(call);
        }
    }
}
