package io.vhca.api;

/**
 * Takes what a device tells of its own steps. Any thread, inside a post or a poll too: it neither waits, nor allocates,
 * nor fails.
 */
public interface DeviceTracer {
    /**
     * A step was made.
     *
     * @param number of the queue pair that it is about; of the connection manager's the attribute of its message
     * @param value  the packet sequence number; of the connection manager's the communication id of who sent the
     *               message in the upper half, of who is to take it in the lower
     */
    void step(DeviceStep step, int number, long value);
}
