package io.vhca.harness.drill.protocol;

/** A process of the drill, sender or receiver, wherever it runs. What it says goes into a queue. Any thread. */
public interface DrillPeer extends AutoCloseable {
    /** Sends a command; a process that is gone hears nothing. */
    void tell(DrillLine line);

    /** kill -9, or worse. */
    void kill();

    /** The last lines that were no part of the drill: warnings, stack traces. */
    String noise();

    @Override
    void close();
}
