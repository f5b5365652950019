package io.vhca.rdp.common;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a driver is made with. Times in nanoseconds, sizes in bytes.
 *
 * @param sizeClasses        the largest payload of each size class, powers of two, ascending; the same at all nodes
 * @param dataRecvBuffers    receives kept posted a connection: what a peer may send before it hears of any
 * @param ctrlRecvBuffers    the same for control messages, beside those
 * @param dataSendBuffers    most send buffers of a size class, of all sockets together
 * @param userBufferSize     SO_SNDBUF and SO_RCVBUF of a new socket
 * @param maxMessageBytes    the longest datagram
 * @param highMarkPercent    of SO_RCVBUF: a socket that holds more stalls its senders
 * @param lowMarkPercent     of SO_RCVBUF: a socket that holds less releases them
 * @param maxRecvMemory      most memory for receive buffers
 * @param heartbeatNs        a node that has nothing to say says so this often
 * @param nodeTimeoutNs      a node that says nothing for so long is dead
 * @param minRecoveryNs      how long sends fail at least after a datagram was lost with its path
 * @param connectTimeoutNs   how long a connection may take
 * @param port               of the connection manager, the same at all nodes
 * @param maxNodes           most other nodes
 * @param inPlaceBytes       datagrams from this length on are sent in place, where that is asked for
 * @param maxRegisteredMemory most memory of applications that is kept registered
 */
public record RdpConfig(
        List<Integer> sizeClasses,
        int dataRecvBuffers,
        int ctrlRecvBuffers,
        int dataSendBuffers,
        int userBufferSize,
        int maxMessageBytes,
        int highMarkPercent,
        int lowMarkPercent,
        long maxRecvMemory,
        long heartbeatNs,
        long nodeTimeoutNs,
        long minRecoveryNs,
        long connectTimeoutNs,
        int port,
        int maxNodes,
        int inPlaceBytes,
        long maxRegisteredMemory) {
    /** The port of RDS over RDMA. */
    public static final int DEFAULT_PORT = 18_634;

    /** A control message must have room for all grants and for some records besides. */
    private static final int LEAST_PAYLOAD = 256;

    /** A hello says no larger one. */
    private static final int MOST_PAYLOAD = 1 << 24;

    private static final int LEAST_CONTROL = 4;
    private static final int MOST_CREDITS = 4096;

    public static final RdpConfig DEFAULT = new RdpConfig(
            List.of(512, 8_192, 32_768), 64, 16, 1_024, 1 << 20, 256 << 10, 75, 25, 256L << 20,
            TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(30), TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(20), DEFAULT_PORT, 64, 8 << 10, 256L << 20);

    /**
     * @throws IllegalArgumentException names the option, what was wrong and what it may be
     */
    public RdpConfig {
        int before = 0;
        for (final int bytes : sizeClasses) {
            check(Integer.bitCount(bytes) == 1 && bytes > before && bytes >= LEAST_PAYLOAD && bytes <= MOST_PAYLOAD,
                    "SizeClasses", sizeClasses,
                    "powers of two from " + LEAST_PAYLOAD + " to " + MOST_PAYLOAD + ", ascending");
            before = bytes;
        }
        check(!sizeClasses.isEmpty(), "SizeClasses", sizeClasses, "one class at least");
        check(dataRecvBuffers > 1 && dataRecvBuffers <= MOST_CREDITS, "MaxDataRecvBuffers", dataRecvBuffers,
                "2 .. " + MOST_CREDITS);
        check(ctrlRecvBuffers >= LEAST_CONTROL && ctrlRecvBuffers <= MOST_CREDITS, "MaxCtrlRecvBuffers",
                ctrlRecvBuffers, LEAST_CONTROL + " .. " + MOST_CREDITS);
        check(dataSendBuffers > 0, "MaxDataSendBuffers", dataSendBuffers, "at least 1");
        check(userBufferSize > 0, "UserBufferSize", userBufferSize, "at least 1");
        check(maxMessageBytes >= 0, "MaxMessageSize", maxMessageBytes, "at least 0");
        check(lowMarkPercent >= 0 && lowMarkPercent < highMarkPercent && highMarkPercent <= 100, "DataRecvBufferLWM",
                lowMarkPercent, "below PendingRxPktsHWM, which is " + highMarkPercent + " and at most 100");
        check(heartbeatNs > 0 && nodeTimeoutNs > heartbeatNs, "Heartbeat", heartbeatNs, "more than 0, and less than "
                + "NodeTimeout, which is " + nodeTimeoutNs);
        check(minRecoveryNs >= 0, "MinRecovery", minRecoveryNs, "at least 0");
        check(connectTimeoutNs > 0, "ConnectTimeout", connectTimeoutNs, "more than 0");
        check(port > 0 && port < 1 << 16, "Port", port, "1 .. 65535");
        check(maxNodes > 0 && maxNodes < 1 << 15, "MaxNodes", maxNodes, "1 .. 32767");
        check(inPlaceBytes >= 0, "InPlaceSize", inPlaceBytes, "at least 0");
        check(maxRegisteredMemory >= 0, "MaxRegisteredMemory", maxRegisteredMemory, "at least 0");
        sizeClasses = List.copyOf(sizeClasses);
    }

    private static void check(final boolean isRight, final String option, final Object value, final String allowed) {
        if (!isRight) {
            throw new IllegalArgumentException("option " + option + " = " + value + ": it may be " + allowed);
        }
    }

    /**
     * These with one option changed, as it may be while a driver is open.
     *
     * @param assignment NAME=VALUE
     * @throws IllegalArgumentException says what is wrong, or why that option does not change
     */
    public RdpConfig with(final String assignment) {
        return RdpConfigParser.change(this, assignment);
    }

    public int lanes() {
        return sizeClasses.size();
    }

    /** The longest datagram: what is asked for, and what half of the credits of the largest class can carry. */
    public int longestMessage() {
        return (int) Math.min(maxMessageBytes, (long) sizeClasses.getLast() * (dataRecvBuffers / 2));
    }

    /** How many messages carry so many bytes. */
    public int messagesOf(final int lengthBytes) {
        final int most = sizeClasses.get(laneOf(lengthBytes));
        return lengthBytes == 0 ? 1 : (lengthBytes - 1) / most + 1;
    }

    /** The size class that carries so many bytes in one message, or the largest where none does. */
    public int laneOf(final int lengthBytes) {
        int lane = 0;
        while (lane < sizeClasses.size() - 1 && sizeClasses.get(lane) < lengthBytes) {
            lane++;
        }
        return lane;
    }
}
