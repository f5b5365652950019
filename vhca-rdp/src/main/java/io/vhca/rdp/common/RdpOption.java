package io.vhca.rdp.common;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An option of a driver: its name, what it means and what it is; the names are RDS's where it has them. */
public enum RdpOption {
    SIZE_CLASSES("SizeClasses", "largest payload of each size class in bytes, powers of two; the same at all nodes",
            config -> String.join(",", config.sizeClasses().stream().map(String::valueOf).toList()),
            "connections are made with them, the same at all nodes"),
    USER_BUFFER_SIZE("UserBufferSize", "SO_SNDBUF and SO_RCVBUF of a new socket, in bytes",
            config -> String.valueOf(config.userBufferSize())),
    MAX_MESSAGE_SIZE("MaxMessageSize", "the longest datagram, in bytes",
            config -> String.valueOf(config.maxMessageBytes())),
    MAX_DATA_RECV_BUFFERS("MaxDataRecvBuffers", "receives kept posted a connection",
            config -> String.valueOf(config.dataRecvBuffers()),
            "other nodes were promised it when they connected"),
    MAX_CTRL_RECV_BUFFERS("MaxCtrlRecvBuffers", "the same for control messages",
            config -> String.valueOf(config.ctrlRecvBuffers()),
            "other nodes were promised it when they connected"),
    MAX_DATA_SEND_BUFFERS("MaxDataSendBuffers", "send buffers of a size class, of all sockets together",
            config -> String.valueOf(config.dataSendBuffers())),
    PENDING_RX_PKTS_HWM("PendingRxPktsHWM", "percent of SO_RCVBUF: a socket that holds more stalls its senders",
            config -> String.valueOf(config.highMarkPercent())),
    DATA_RECV_BUFFER_LWM("DataRecvBufferLWM", "percent of SO_RCVBUF: a socket that holds less releases them",
            config -> String.valueOf(config.lowMarkPercent())),
    MAX_RECV_MEMORY("MaxRecvMemory", "bytes of receive buffers, at most",
            config -> String.valueOf(config.maxRecvMemory())),
    HEARTBEAT("Heartbeat", "ms after which a node that has nothing to say says so",
            config -> ms(config.heartbeatNs())),
    NODE_TIMEOUT("NodeTimeout", "ms of silence after which a node is dead", config -> ms(config.nodeTimeoutNs())),
    MIN_RECOVERY("MinRecovery", "ms for which sends fail after a datagram was lost; twice Heartbeat if not given",
            config -> ms(config.minRecoveryNs())),
    CONNECT_TIMEOUT("ConnectTimeout", "ms that a connection may take", config -> ms(config.connectTimeoutNs())),
    PORT("Port", "port of the connection manager, the same at all nodes", config -> String.valueOf(config.port()),
            "the driver listens there"),
    MAX_NODES("MaxNodes", "other nodes, at most", config -> String.valueOf(config.maxNodes())),
    IN_PLACE_SIZE("InPlaceSize", "bytes from which on a send in place is no copy",
            config -> String.valueOf(config.inPlaceBytes())),
    MAX_REGISTERED_MEMORY("MaxRegisteredMemory", "bytes of applications that are kept registered, at most",
            config -> String.valueOf(config.maxRegisteredMemory()));

    private final String label;
    private final String description;
    private final Function<RdpConfig, String> value;
    private final String fixedBecause;

    /** One that changes while a driver is open. */
    RdpOption(final String label, final String description, final Function<RdpConfig, String> value) {
        this(label, description, value, "");
    }

    /** @param fixedBecause why it does not change */
    RdpOption(
            final String label, final String description, final Function<RdpConfig, String> value,
            final String fixedBecause) {
        this.label = label;
        this.description = description;
        this.value = value;
        this.fixedBecause = fixedBecause;
    }

    private static String ms(final long ns) {
        return String.valueOf(TimeUnit.NANOSECONDS.toMillis(ns));
    }

    public String label() {
        return label;
    }

    public String description() {
        return description;
    }

    /** Whether it changes while a driver is open. */
    public boolean isLive() {
        return fixedBecause.isEmpty();
    }

    /** Why it does not change while a driver is open, empty where it does. */
    public String fixedBecause() {
        return fixedBecause;
    }

    /** Its value in a configuration, as it would be given. */
    public String of(final RdpConfig config) {
        return value.apply(config);
    }
}
