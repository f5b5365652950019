package io.vhca.harness.bench;

/** One way to carry messages between the two processes: plain UDP, or a device. One thread. */
interface BenchWire {
    /**
     * Sends messages as fast as the window allows.
     *
     * @return bytes that the far end confirmed in that time
     */
    long stream(int sizeBytes, int window, long durationNs);

    /** @return how many messages went and came back in that time */
    long pingPong(int sizeBytes, long durationNs);

    /** The far end's part: takes messages, and sends each back when {@code echo}; until {@code until} is true. */
    void serve(int sizeBytes, boolean echo, Stop until);

    /** Asked between rounds of work. */
    interface Stop {
        boolean now();
    }
}
