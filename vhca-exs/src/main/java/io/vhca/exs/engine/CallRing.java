package io.vhca.exs.engine;

import org.jspecify.annotations.Nullable;

/**
 * The calls of one direction that are not complete, in order. Their objects are made once, when first needed, and only
 * about as many as are outstanding at a time: thousands of sockets that do little are small. Not thread-safe.
 */
final class CallRing {
    private static final int FEW = 4;

    private final int capacity;
    private @Nullable Call[] calls;
    private long head;
    private long tail;

    /** @param capacity a power of two */
    CallRing(final int capacity) {
        assert Integer.bitCount(capacity) == 1 : capacity;
        this.capacity = capacity;
        calls = new Call[Math.min(FEW, capacity)];
    }

    boolean isFull() {
        return tail - head == capacity;
    }

    private void grow() {
        final Call[] more = new Call[2 * calls.length];
        for (long sequence = head; sequence != tail; sequence++) {
            more[(int) sequence & more.length - 1] = at(sequence);
        }
        calls = more;
    }

    long head() {
        return head;
    }

    long tail() {
        return tail;
    }

    boolean isEmpty() {
        return head == tail;
    }

    Call at(final long sequence) {
        assert sequence >= head && sequence <= tail : sequence + " of " + head + " to " + tail;
        final int index = (int) sequence & calls.length - 1;
        Call call = calls[index];
        if (call == null) {
            call = new Call();
            calls[index] = call;
        }
        return call;
    }

    /** The next call, empty; it counts from {@link #add} on. */
    Call next() {
        assert !isFull();
        if (tail - head == calls.length) {
            grow();
        }
        final Call call = at(tail);
        call.reset(tail);
        return call;
    }

    void add() {
        tail++;
    }

    /** Takes the first call out; its object keeps what it holds until it is used again. */
    void remove() {
        assert head != tail;
        head++;
    }
}
