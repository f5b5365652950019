package io.vhca.tool.rdp;

import java.io.IOException;
import java.util.List;

/** The sockets that one process has of a stress: this one, or another one that is asked. One thread. */
interface StressPart extends AutoCloseable {
    /**
     * What was counted until now.
     *
     * @param each        by socket
     * @param processorNs that the process has used
     */
    record Sample(List<StressCount> each, long processorNs) {}

    /** Begins to send. */
    void begin() throws IOException;

    /** @throws IOException where something went wrong; its message says what */
    Sample sample() throws IOException;

    @Override
    void close();
}
