package io.vhca.tool.rdp;

import java.util.concurrent.TimeUnit;

/**
 * What a stress does; names as rds-stress has them.
 *
 * @param tasks        sockets, each with a thread
 * @param depth        requests that a task has on their way
 * @param requestBytes length of a request
 * @param ackBytes     length of an acknowledgement
 * @param port         of the first task; the others count up
 * @param seconds      how long
 */
public record StressPlan(int tasks, int depth, int requestBytes, int ackBytes, int port, int seconds) {
    /** Sequence, time, length of the acknowledgement. */
    static final int HEAD = 2 * Long.BYTES + Integer.BYTES;

    private static final int MOST_TASKS = 1_024;

    /** What cannot be in one sentence, or an empty string. */
    public String wrong(final int longestMessage) {
        if (tasks < 1 || tasks > MOST_TASKS || depth < 1 || seconds < 1) {
            return "--tasks must be 1 .. " + MOST_TASKS + ", --depth and --time at least 1";
        }
        if (port < 1 || port + tasks > 1 << 16) {
            return "--port and the ports of all tasks must be 1 .. 65535";
        }
        final int longest = Math.max(requestBytes, ackBytes);
        return Math.min(requestBytes, ackBytes) < HEAD || longest > longestMessage
                ? "--request-bytes and --ack-bytes must be " + HEAD + " .. " + longestMessage
                : "";
    }

    long durationNs() {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
