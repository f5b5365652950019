package io.vhca.harness.explore;

import java.util.Arrays;

/**
 * The states that were reached, each as 64 bits of its hash, numbered in the order in which they came; of each the
 * state and the step that it was reached by first, and what follows in a fair schedule. Any thread.
 *
 * <p>Two states with one hash would be taken for one: with fifty million states the chance that there is such a pair is
 * one in ten thousand.
 */
class StateTable {
    /** No state: the first one was reached from none. */
    static final int NONE = -1;
    /** Of what follows a state: nothing does, as it should be. */
    static final int END = -2;

    private static final int SHARDS = 256;
    private static final int SHARD_BITS = 8;
    private static final int CHUNK_BITS = 18;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int CHUNKS = 1 << 12;

    private final Shard[] shards = new Shard[SHARDS];
    private final int[][] parents = new int[CHUNKS][];
    private final int[][] nexts = new int[CHUNKS][];
    private final byte[][] steps = new byte[CHUNKS][];
    private int count;

    /** A part of the hash table, with its own lock. */
    private static final class Shard {
        private long[] keys = new long[64];
        private int[] numbers = new int[64];
        private int size;

        int find(final long key) {
            final int mask = keys.length - 1;
            int slot = (int) (key >>> SHARD_BITS) & mask;
            while (keys[slot] != 0 && keys[slot] != key) {
                slot = slot + 1 & mask;
            }
            return slot;
        }

        void grow() {
            final long[] oldKeys = keys;
            final int[] oldNumbers = numbers;
            keys = new long[2 * oldKeys.length];
            numbers = new int[keys.length];
            for (int i = 0; i < oldKeys.length; i++) {
                if (oldKeys[i] != 0) {
                    final int slot = find(oldKeys[i]);
                    keys[slot] = oldKeys[i];
                    numbers[slot] = oldNumbers[i];
                }
            }
        }
    }

    StateTable() {
        Arrays.setAll(shards, i -> new Shard());
    }

    /** A hash of part of an array, never 0. */
    static long hash(final int[] of, final int length) {
        long hash = 0x9E37_79B9_7F4A_7C15L * length;
        for (int i = 0; i < length; i++) {
            hash = mix(hash ^ of[i] & 0xFFFF_FFFFL);
        }
        return hash == 0 ? 1 : hash;
    }

    private static long mix(final long bits) {
        long hash = bits * 0xBF58_476D_1CE4_E5B9L;
        hash = (hash ^ hash >>> 32) * 0x94D0_49BB_1331_11EBL;
        return hash ^ hash >>> 29;
    }

    /** The number of a state; -1 - number where it is new. */
    int add(final long hash, final int parent, final int step) {
        final Shard shard = shards[(int) hash & SHARDS - 1];
        synchronized (shard) {
            final int slot = shard.find(hash);
            if (shard.keys[slot] == hash) {
                return shard.numbers[slot];
            }
            final int number = next(parent, step);
            shard.keys[slot] = hash;
            shard.numbers[slot] = number;
            shard.size++;
            if (shard.size * 2 > shard.keys.length) {
                shard.grow();
            }
            return -1 - number;
        }
    }

    private synchronized int next(final int parent, final int step) {
        final int number = count++;
        final int chunk = number >>> CHUNK_BITS;
        if (parents[chunk] == null) {
            parents[chunk] = new int[CHUNK];
            nexts[chunk] = new int[CHUNK];
            steps[chunk] = new byte[CHUNK];
        }
        parents[chunk][number & CHUNK - 1] = parent;
        nexts[chunk][number & CHUNK - 1] = NONE;
        steps[chunk][number & CHUNK - 1] = (byte) step;
        return number;
    }

    synchronized int size() {
        return count;
    }

    int parent(final int number) {
        return parents[number >>> CHUNK_BITS][number & CHUNK - 1];
    }

    /** Which of the parent's steps led here. */
    int step(final int number) {
        return steps[number >>> CHUNK_BITS][number & CHUNK - 1] & 0xFF;
    }

    /** What follows in a fair schedule: a state, END, or NONE where that was not looked at. */
    int next(final int number) {
        return nexts[number >>> CHUNK_BITS][number & CHUNK - 1];
    }

    void follows(final int number, final int next) {
        nexts[number >>> CHUNK_BITS][number & CHUNK - 1] = next;
    }
}
