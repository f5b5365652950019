package io.vhca.rdp.lane;

/**
 * Who may send how much on one connection, in both directions. Credits are counts of all messages ever: {@code sent}
 * here, {@code granted} what the peer says it has taken off its queue and replaced. Their difference never exceeds what
 * the peer keeps posted, so that no SEND meets an empty queue. One thread at a time.
 */
public final class CreditWindow {
    /** Places of the own send queue. */
    private final int depth;
    private final long first;
    private int credits;
    // On the wire they are the lower half: marks of who was silent meanwhile are older than that tells apart.
    private long sent;
    private long granted;
    private int consumed;
    private int told;
    /** Sends that have not completed: their places in the send queue are not free yet. */
    private int inQueue;
    /** How many datagrams end in each message that the peer has not confirmed, as long as credits at least. */
    private int[] datagrams = new int[1];

    public CreditWindow(final int depth) {
        this(depth, 0);
    }

    /** @param first what messages are counted from, for who cannot wait until there were so many */
    CreditWindow(final int depth, final long first) {
        this.depth = depth;
        this.first = first;
    }

    /** A session begins. */
    public void begin() {
        credits = 0;
        sent = first;
        granted = first;
        consumed = 0;
        told = 0;
        inQueue = 0;
    }

    /** The peer said how many receives it keeps. */
    public void credits(final int receives) {
        credits = receives;
        if (receives > datagrams.length) {
            datagrams = new int[2 * Integer.highestOneBit(receives - 1)];
        }
    }

    /** A session ends: nothing is outstanding any more. */
    public void end() {
        granted = sent;
    }

    public long sent() {
        return sent;
    }

    /** Whether all that was sent before the count was so high has arrived. */
    public boolean isGranted(final long count) {
        return granted >= count;
    }

    /** Messages that the peer has not confirmed. */
    public int outstanding() {
        return (int) (sent - granted);
    }

    /** Datagrams that end in those. */
    public int unconfirmed() {
        int count = 0;
        for (long message = granted; message < sent; message++) {
            count += datagrams[at(message)];
        }
        return count;
    }

    private int at(final long message) {
        return (int) message & datagrams.length - 1;
    }

    /** Messages that the peer has receives for. */
    public int unused() {
        return credits - outstanding();
    }

    /** Whether the send queue has a place. */
    public boolean hasPlace() {
        return inQueue < depth;
    }

    /** Whether every send has completed. */
    public boolean isIdle() {
        return inQueue == 0;
    }

    /** Messages that may be sent now. */
    public int left() {
        return Math.min(unused(), depth - inQueue);
    }

    /** Messages that may be on their way at once. */
    public int most() {
        return Math.min(credits, depth);
    }

    /** A message that is of no datagram takes a credit. */
    public void posted() {
        posted(0);
    }

    /** A message takes a credit that so many datagrams end in. */
    public void posted(final int ending) {
        assert left() > 0 : "a message without a credit";
        datagrams[at(sent)] = ending;
        sent++;
        inQueue++;
    }

    /** One datagram more ends in the message that took a credit last. */
    public void joined() {
        datagrams[at(sent - 1)]++;
    }

    /** A send is done: its place in the send queue is free. */
    public void completed() {
        inQueue--;
        assert inQueue >= 0 : "more sends completed than were posted";
    }

    /**
     * The peer says how much it has taken.
     *
     * @return false where it cannot have
     */
    public boolean onGranted(final int count) {
        final int more = count - (int) granted;
        if (more > outstanding()) {
            return false;
        }
        granted += Math.max(0, more);
        return true;
    }

    /** A message of the peer's was taken off the queue, and another receive is in its place. */
    public void consumed() {
        consumed++;
    }

    /** How many of the peer's messages it has not been told of. */
    public int untold() {
        return consumed - told;
    }

    /** What the peer was told last. */
    public int told() {
        return told;
    }

    /** What was taken off is being told. */
    public int tell() {
        told = consumed;
        return consumed;
    }
}
