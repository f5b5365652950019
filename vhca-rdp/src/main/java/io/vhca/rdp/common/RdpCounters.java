package io.vhca.rdp.common;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counters of a driver: one thread at a time counts, any thread reads. */
public final class RdpCounters {
    /** What is counted. */
    public enum Counter {
        /** Open sockets. */
        SOCKETS,
        /** Other nodes that were spoken to. */
        END_NODES,
        /** Queue pairs that connections have now: one a size class and node, however many sockets use them. */
        QUEUE_PAIRS,
        /** Sockets here whose senders are stalled. */
        STALLED_PORTS,
        TX_PACKETS,
        TX_BYTES,
        RX_PACKETS,
        RX_BYTES,
        /** Control messages, heartbeats among them. */
        TX_CONTROL,
        RX_CONTROL,
        /** Datagrams in the queues of sockets now. */
        RX_PENDING,
        /** The most bytes that one socket has ever held. */
        RX_PENDING_HIGH_WATER,
        /** Datagrams that arrived for a socket that was closed meanwhile. */
        RX_DROPPED,
        /** Datagrams that were sent and not confirmed when their path was lost. */
        TX_LOST,
        STALLS_SENT,
        UNSTALLS_SENT,
        STALLS_RECEIVED,
        UNSTALLS_RECEIVED,
        /** Stalls and unstalls for ports that nothing is sent to. */
        STALLS_IGNORED,
        ENOBUFS_RETURNED,
        EWOULDBLOCK_RETURNED,
        EFAULT_RETURNED,
        EMSGSIZE_RETURNED,
        /** Bytes of receive buffers, posted or held by sockets. */
        RECV_MEMORY,
        /** Receive buffers that had to be made because none was free. */
        CACHE_MISSES,
        /** Receives that could not be posted because MaxRecvMemory is used up. */
        RECEIVES_WITHHELD,
        /** Messages that are none of this protocol and version, or break its rules. */
        FOREIGN,
        /** Messages in which several short datagrams left together. */
        TX_BATCHES,
        /** Datagrams that were sent from where the application has them. */
        TX_IN_PLACE,
        /** Datagrams that were written into memory of their receiver, and such that arrived so. */
        TX_DIRECTED,
        RX_DIRECTED,
        /** Sends in place, directed ones too, from memory that was registered for an earlier one, and from other. */
        REGISTRATION_HITS,
        REGISTRATION_MISSES,
        /** Bytes of the application's memory that are registered. */
        REGISTERED_MEMORY,
        SESSIONS_OPENED,
        /** Paths that were lost with datagrams unconfirmed. */
        PATHS_FAILED,
        /** Nodes that were silent for too long. */
        NODES_DEAD,
        /** Sockets that were refused because the file of users and groups does not name who asked. */
        ACCESS_REFUSED,
        /** Processes that are attached to this driver. */
        CLIENTS,
        CLIENTS_ATTACHED,
        /** Those that ended without having detached. */
        CLIENTS_LOST,
        /** Those that were ended because their shared memory was no longer what both agreed on. */
        CLIENTS_CORRUPT,
        /** Attaches that were none, of another version, or one too many. */
        ATTACHES_REFUSED;

        private static final Counter[] ALL = values();
        private static final Set<Counter> GAUGES = EnumSet.of(
                SOCKETS, END_NODES, QUEUE_PAIRS, STALLED_PORTS, RX_PENDING, RX_PENDING_HIGH_WATER, RECV_MEMORY,
                REGISTERED_MEMORY, CLIENTS);

        /** It may fall again. */
        public boolean isGauge() {
            return GAUGES.contains(this);
        }
    }

    private final AtomicLongArray values = new AtomicLongArray(Counter.ALL.length);

    public long get(final Counter counter) {
        return values.getOpaque(counter.ordinal());
    }

    public void add(final Counter counter, final long delta) {
        values.setOpaque(counter.ordinal(), values.getPlain(counter.ordinal()) + delta);
    }

    public void increment(final Counter counter) {
        add(counter, 1);
    }

    public void max(final Counter counter, final long value) {
        if (value > values.getPlain(counter.ordinal())) {
            values.setOpaque(counter.ordinal(), value);
        }
    }
}
