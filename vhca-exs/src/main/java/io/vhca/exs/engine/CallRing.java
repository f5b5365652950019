package io.vhca.exs.engine;

import org.jspecify.annotations.Nullable;

/** The calls of one direction that are not complete, in order. Their objects are made once, when first needed. */
final class CallRing {
    private final @Nullable Call[] calls;
    private long head;
    private long tail;

    CallRing(final int capacity) {
        calls = new Call[capacity];
    }

    boolean isFull() {
        return tail - head == calls.length;
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
