package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** The network between sender and receiver, where they run, and how a link dies. One thread. */
public interface Fabric extends AutoCloseable {
    /** Makes what is needed. */
    void setUp() throws IOException, InterruptedException;

    /** The names of the devices that are bonded on one side; the first is the preferred one. */
    List<String> members(boolean receiver);

    /** The members of one side with their addresses: {@code soft0=ADDRESS,soft1=ADDRESS}. */
    String devices(boolean receiver);

    /**
     * Starts a process of the drill.
     *
     * @param properties system properties, {@code key=value}
     * @param args       of {@link DrillChild}
     * @param said       gets what it says; times in it are this process' nanoTime
     */
    DrillPeer start(
            boolean receiver, List<String> properties, List<String> args, BlockingQueue<ChildProcess.Said> said)
            throws IOException;

    /**
     * Cuts or heals the link of a member.
     *
     * @param member one of that side's {@link #members}
     * @return nanoTime of the moment the link went
     */
    long plug(boolean receiver, String member, boolean up) throws IOException, InterruptedException;

    /**
     * After how long the cut that is made next is healed whether or not the connection moved; 0 to heal it once the
     * connection has moved and some of the file went over the other path.
     */
    default long healAfterNs() {
        return 0;
    }

    /** After how long the drill ends, with as many cuts and as much of the file as were done then; 0 for never. */
    default long endAfterNs() {
        return 0;
    }

    /** How long its bonds try one path. */
    default long pathTimeoutMs() {
        return 500; // what it is by default
    }

    /** More of that side's configuration, {@code key=value} with blanks between; empty for the defaults. */
    default String bondOptions(final boolean receiver) {
        return "";
    }

    /**
     * Those that give the drill's processes their time, and are stopped where the drill starves them: the processes
     * themselves, but for those on other machines, which have all of it.
     */
    default List<ProcessHandle> starved(final List<DrillPeer> children) {
        return children.stream()
                .filter(ChildProcess.class::isInstance)
                .map(child -> ((ChildProcess) child).handle())
                .toList();
    }

    /** One sentence for the report. */
    String describe();

    /** The name of a side's process, as in {@link ChildProcess.Said}. */
    static String name(final boolean receiver) {
        return receiver ? "receiver" : "sender";
    }

    /** Removes what was made. Idempotent, and safe from a shutdown hook. */
    @Override
    void close();
}
