package io.vhca.bond.trace;

/** Takes what is traced. Any thread, inside a post or a poll too: it neither waits, nor allocates, nor fails. */
public interface TraceSink {
    /**
     * Takes one event.
     *
     * @param event  of {@link TraceEventDescriptor}
     * @param object what it is about, of {@link TraceObject}
     */
    void record(int event, long object, long word0, long word1, long word2, long word3);

    /** The calling thread has nothing to do: it has the time to look at the clock for what it will tell next. */
    void idle();
}
