package io.vhca.bond.memory;

/** Takes the cursors of queues, as numbers by name. */
public interface CursorSink {
    /**
     * One cursor.
     *
     * @param queue vSQ or vRQ
     */
    void cursor(String queue, String name, long value);
}
