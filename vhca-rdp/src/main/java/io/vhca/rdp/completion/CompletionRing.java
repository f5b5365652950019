package io.vhca.rdp.completion;

import java.util.Arrays;

/** What became of sends in place, in the order in which it was known. Grows to the most that ever waited. */
public final class CompletionRing {
    private static final int FIRST_SIZE = 16;

    private long[] tokens = new long[FIRST_SIZE];
    private boolean[] losses = new boolean[FIRST_SIZE];
    private long head;
    private long tail;

    public boolean isEmpty() {
        return head == tail;
    }

    public void add(final long token, final boolean isLost) {
        if (tail - head == tokens.length) {
            grow();
        }
        final int at = (int) tail & tokens.length - 1;
        tokens[at] = token;
        losses[at] = isLost;
        tail++;
    }

    private void grow() {
        final int size = tokens.length;
        final int first = (int) head & size - 1;
        final long[] moreTokens = Arrays.copyOf(Arrays.copyOfRange(tokens, first, first + size), 2 * size);
        final boolean[] moreLosses = Arrays.copyOf(Arrays.copyOfRange(losses, first, first + size), 2 * size);
        // What was before the head follows behind it.
        System.arraycopy(tokens, 0, moreTokens, size - first, first);
        System.arraycopy(losses, 0, moreLosses, size - first, first);
        tokens = moreTokens;
        losses = moreLosses;
        tail -= head;
        head = 0;
    }

    public boolean poll(final SendCompletion target) {
        if (isEmpty()) {
            return false;
        }
        final int at = (int) head & tokens.length - 1;
        target.set(tokens[at], losses[at]);
        head++;
        return true;
    }
}
