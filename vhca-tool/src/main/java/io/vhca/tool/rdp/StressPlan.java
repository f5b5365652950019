package io.vhca.tool.rdp;

import java.util.concurrent.TimeUnit;

/**
 * What a stress does; names as rds-stress has them.
 *
 * @param tasks        threads of a process, among which its sockets are divided
 * @param sockets      of this end in all
 * @param depth        requests that a socket has on their way
 * @param requestBytes length of a request
 * @param ackBytes     length of an acknowledgement
 * @param port         of the first socket; the others count up
 * @param seconds      how long
 */
public record StressPlan(
        int tasks, int sockets, int depth, int requestBytes, int ackBytes, int port, int seconds) {
    /** Sequence, time, length of the acknowledgement. */
    static final int HEAD = 2 * Long.BYTES + Integer.BYTES;

    private static final int MOST_TASKS = 1_024;
    private static final int MOST_SOCKETS = 16_384;

    /** What cannot be in one sentence, or an empty string. */
    public String wrong(final int longestMessage) {
        if (tasks < 1 || tasks > MOST_TASKS || depth < 1 || seconds < 1) {
            return "--tasks must be 1 .. " + MOST_TASKS + ", --depth and --time at least 1";
        }
        if (sockets < tasks || sockets > MOST_SOCKETS) {
            return "--sockets must be --tasks .. " + MOST_SOCKETS + ", so that each task has one";
        }
        if (port < 1 || port > (1 << 16) - sockets) {
            return "--port and the ports of all sockets must be 1 .. 65535";
        }
        final int longest = Math.max(requestBytes, ackBytes);
        return Math.min(requestBytes, ackBytes) < HEAD || longest > longestMessage
                ? "--request-bytes and --ack-bytes must be " + HEAD + " .. " + longestMessage
                : "";
    }

    /** The sockets of one of several processes. */
    public StressPlan part(final int process, final int processes) {
        final int first = first(process, processes);
        return new StressPlan(
                tasks, first(process + 1, processes) - first, depth, requestBytes, ackBytes, port + first, seconds);
    }

    private int first(final int process, final int processes) {
        return (int) ((long) sockets * process / processes);
    }

    long durationNs() {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
