package io.vhca.physical.soft.engine.rc;

import java.util.Arrays;

/** The results of the last atomics of a connection by sequence, for those that arrive again. */
final class AnsweredAtomics {
    private final long[] sequences;
    private final long[] originals;
    private int next;

    AnsweredAtomics(final int outstanding) {
        sequences = new long[Math.max(1, outstanding)];
        originals = new long[sequences.length];
        Arrays.fill(sequences, Long.MIN_VALUE);
    }

    void remember(final long sequence, final long original) {
        sequences[next] = sequence;
        originals[next] = original;
        next = next + 1 == sequences.length ? 0 : next + 1;
    }

    /** Index of the result, or -1 when it is forgotten. */
    int find(final long sequence) {
        for (int i = 0; i < sequences.length; i++) {
            if (sequences[i] == sequence) {
                return i;
            }
        }
        return -1;
    }

    long original(final int index) {
        return originals[index];
    }
}
