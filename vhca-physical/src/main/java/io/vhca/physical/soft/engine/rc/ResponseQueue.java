package io.vhca.physical.soft.engine.rc;

/**
 * The READ responses and atomic results that a responder owes, in order. It has room for what the peer may have
 * outstanding, and for as much again that the peer asks for twice.
 */
final class ResponseQueue {
    private final long[] first;
    private final long[] next;
    private final long[] address;
    private final long[] remaining;
    private final int[] key;
    private final boolean[] isAtomic;
    private final int mask;
    private long head;
    private long tail;

    ResponseQueue(final int outstanding) {
        final int slots = Integer.highestOneBit(Math.max(1, 4 * outstanding - 1));
        mask = slots - 1;
        first = new long[slots];
        next = new long[slots];
        address = new long[slots];
        remaining = new long[slots];
        key = new int[slots];
        isAtomic = new boolean[slots];
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head > mask;
    }

    /** Owes the bytes of a READ, from that sequence on. */
    void addRead(final long sequence, final long fromAddress, final long lengthBytes, final int rkey) {
        assert !isFull() : "there is no room for another response";
        final int slot = (int) (tail++ & mask);
        first[slot] = sequence;
        next[slot] = sequence;
        address[slot] = fromAddress;
        remaining[slot] = lengthBytes;
        key[slot] = rkey;
        isAtomic[slot] = false;
    }

    /** Owes the result of an atomic. */
    void addAtomic(final long sequence, final long original) {
        assert !isFull() : "there is no room for another response";
        final int slot = (int) (tail++ & mask);
        first[slot] = sequence;
        next[slot] = sequence;
        address[slot] = original;
        isAtomic[slot] = true;
    }

    /** True when the same READ is the last thing owed already. */
    boolean endsWithRead(final long sequence) {
        final int slot = (int) (tail - 1 & mask);
        return !isEmpty() && !isAtomic[slot] && first[slot] == sequence && next[slot] == sequence;
    }

    // Of the oldest response.

    boolean isAtomic() {
        return isAtomic[(int) (head & mask)];
    }

    /** Sequence of the packet to send next. */
    long sequence() {
        return next[(int) (head & mask)];
    }

    /** True for the first packet of a READ. */
    boolean isFirst() {
        final int slot = (int) (head & mask);
        return next[slot] == first[slot];
    }

    /** Where the next bytes of a READ are, or the result of an atomic. */
    long value() {
        return address[(int) (head & mask)];
    }

    long remaining() {
        return remaining[(int) (head & mask)];
    }

    int key() {
        return key[(int) (head & mask)];
    }

    /** One packet of a READ is sent; the last one ends it. */
    void sent(final int lengthBytes) {
        final int slot = (int) (head & mask);
        assert !isEmpty() && lengthBytes <= remaining[slot] : "more was sent than is owed";
        next[slot]++;
        address[slot] += lengthBytes;
        remaining[slot] -= lengthBytes;
        if (remaining[slot] == 0) {
            head++;
        }
    }

    /** The oldest response, the result of an atomic, is sent. */
    void removeFirst() {
        assert !isEmpty() && isAtomic() : "the oldest response is no atomic's";
        head++;
    }

    void clear() {
        head = tail;
    }
}
