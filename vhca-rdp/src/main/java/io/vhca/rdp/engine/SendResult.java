package io.vhca.rdp.engine;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.RdpCounters;

/** What became of a send, at once. */
public enum SendResult {
    /** It will be delivered to that port, or the path is marked failed. */
    SENT(0),
    /** This socket has no send buffers left: try again when something of it has been sent. ENOBUFS. */
    NO_BUFFERS(105),
    /** That port is stalled, or its path is being connected: other destinations go on. EWOULDBLOCK. */
    WOULD_BLOCK(11),
    /** No path there, or no such port. EFAULT, as RDS has it. */
    UNREACHABLE(14),
    /** Longer than a datagram may be, or than that node has receives for. EMSGSIZE. */
    TOO_LONG(90);

    private final int errno;

    SendResult(final int errno) {
        this.errno = errno;
    }

    /** The positive errno that RDS answers, 0 for {@link #SENT}. */
    public int errno() {
        return errno;
    };

    /** Counts that a send of so many bytes was answered so. */
    SendResult counted(final RdpCounters counters, final int lengthBytes) {
        switch (this) {
            case SENT -> {
                counters.increment(Counter.TX_PACKETS);
                counters.add(Counter.TX_BYTES, lengthBytes);
            }
            case NO_BUFFERS -> counters.increment(Counter.ENOBUFS_RETURNED);
            case WOULD_BLOCK -> counters.increment(Counter.EWOULDBLOCK_RETURNED);
            case TOO_LONG -> counters.increment(Counter.EMSGSIZE_RETURNED);
            case UNREACHABLE -> counters.increment(Counter.EFAULT_RETURNED);
        }
        return this;
    }
}
