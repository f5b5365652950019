package io.vhca.harness.bench.wire;

import io.vhca.api.WrOpcode;

/** One way to carry messages between the two processes: plain UDP, or a device. One thread. */
public interface BenchWire {
    /**
     * Sends messages as fast as the window allows.
     *
     * @return bytes that the far end confirmed in that time
     */
    long stream(int sizeBytes, int window, long durationNs);

    /** @return how many messages went and came back in that time */
    long pingPong(int sizeBytes, long durationNs);

    /**
     * Writes to the far end's memory, reads it, or counts there by atomics, as fast as the window allows; 1 for one
     * after the other.
     *
     * @return how many completed in that time, of all that were posted, and of all the time that these took
     */
    default long oneSided(
            final WrOpcode opcode, final int sizeBytes, final int window, final Target target, final long durationNs) {
        throw new UnsupportedOperationException("this wire carries messages only");
    }

    /**
     * Writes to the far end's memory, which answers by a WRITE to this end's, one after the other; both ends look at
     * their memory, not at completions. Not after a WRITE by {@link #oneSided}.
     *
     * @return how many writes went and came back in that time
     */
    default long pingWrites(final int sizeBytes, final Target target, final long durationNs) {
        throw new UnsupportedOperationException("this wire carries messages only");
    }

    /** The far end's part of {@link #pingWrites}; until {@code until} is true. */
    default void serveWrites(final int sizeBytes, final Target target, final Stop until) {
        throw new UnsupportedOperationException("this wire carries messages only");
    }

    /** Memory at the far end. */
    record Target(long address, int rkey) {}

    /** Takes what the work before left over, while the far end is silent. */
    void drain();

    /** The far end's part: takes messages, and sends each back when {@code echo}; until {@code until} is true. */
    void serve(int sizeBytes, boolean echo, Stop until);

    /** Asked between rounds of work. */
    interface Stop {
        boolean now();
    }
}
