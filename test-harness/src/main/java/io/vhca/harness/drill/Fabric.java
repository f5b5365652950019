package io.vhca.harness.drill;

import java.io.IOException;
import java.util.List;

/** The network between sender and receiver, and how a link of it dies. One thread. */
interface Fabric extends AutoCloseable {
    /** Makes what is needed. */
    void setUp() throws IOException, InterruptedException;

    /** The value of {@code vhca.soft} on one side. */
    String softDevices(boolean receiver);

    /** What goes before a child's command line. */
    List<String> prefix(boolean receiver);

    /**
     * Cuts or heals the link of a member.
     *
     * @param member soft0 or soft1
     * @return nanoTime of the moment the link went
     */
    long plug(boolean receiver, String member, boolean up) throws IOException, InterruptedException;

    /** One sentence for the report. */
    String describe();

    /** Removes what was made. Idempotent, and safe from a shutdown hook. */
    @Override
    void close();
}
