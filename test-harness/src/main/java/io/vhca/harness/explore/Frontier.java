package io.vhca.harness.explore;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** States that were reached and not gone on from, whole, each behind its number and its length. One thread a part. */
final class Frontier {
    private static final int CHUNK = 1 << 16;

    private final List<int[]> chunks = new ArrayList<>();
    private int used;
    private int taken;

    /** A part of a frontier: numbers up to the first 0 where a length should be. */
    void add(final int number, final int[] state, final int length) {
        if (chunks.isEmpty() || used + length + 3 > CHUNK) {
            chunks.add(new int[CHUNK]);
            used = 0;
        }
        final int[] chunk = chunks.getLast();
        chunk[used] = length;
        chunk[used + 1] = number;
        System.arraycopy(state, 0, chunk, used + 2, length);
        used += length + 2;
    }

    boolean isEmpty() {
        return chunks.isEmpty();
    }

    /** Takes over what another one has. */
    void addAll(final Frontier other) {
        chunks.addAll(other.chunks);
        used = CHUNK;
    }

    /** A chunk that nobody else gets, or null when all are taken. */
    synchronized int @Nullable [] take() {
        if (taken == chunks.size()) {
            return null;
        }
        final int[] chunk = chunks.get(taken);
        chunks.set(taken++, new int[0]);
        return chunk;
    }
}
