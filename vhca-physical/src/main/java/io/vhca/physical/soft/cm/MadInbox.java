package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages that arrived at QP1, on their way from the engine's owner to the communication manager. One producer at
 * a time (the engine's owner) and one consumer at a time (the holder of the manager's lock). A message that finds it
 * full is lost, as on the wire; for one of a peer with no connection it is full earlier.
 */
final class MadInbox {
    static final int CAPACITY = 256;
    /** So many places are left to peers with a connection. */
    static final int RESERVE = 64;

    private final CmCounters counters;
    private final Predicate<Gid> isConnected;
    private final Entry[] entries = new Entry[CAPACITY];
    private volatile long producer;
    private volatile long consumer;

    /** A message with its sender, or (without bytes) a QP number whose first data arrived. */
    static final class Entry {
        final byte[] mad = new byte[MadDescriptor.SIZE];
        boolean isMad;
        long sourceHigh;
        long sourceLow;
        int qpNum;
    }

    MadInbox(final CmCounters counters, final Predicate<Gid> isConnected) {
        this.counters = counters;
        this.isConnected = isConnected;
    }

    private @Nullable Entry claim(final int most) {
        final long index = producer;
        if (index - consumer >= most) {
            counters.increment(CmCounter.INBOX_FULL);
            return null;
        }
        final int slot = (int) (index % CAPACITY);
        if (entries[slot] == null) {
            entries[slot] = new Entry();
        }
        return entries[slot];
    }

    /** @param madAddress 256 bytes, copied */
    void offerMad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
        final boolean isCrowded = producer - consumer >= CAPACITY - RESERVE;
        final boolean mayUseReserve = isCrowded && isConnected.test(new Gid(sourceHigh, sourceLow));
        final Entry entry = claim(mayUseReserve ? CAPACITY : CAPACITY - RESERVE);
        if (entry != null) {
            for (int i = 0; i < MadDescriptor.SIZE; i++) {
                entry.mad[i] = NativeMemory.getByte(madAddress + i);
            }
            entry.isMad = true;
            entry.sourceHigh = sourceHigh;
            entry.sourceLow = sourceLow;
            entry.qpNum = sourceQp;
            // Publishes the entry to take().
            producer = producer + 1;
        }
    }

    void offerEstablished(final int qpNum) {
        final Entry entry = claim(CAPACITY);
        if (entry != null) {
            entry.isMad = false;
            entry.qpNum = qpNum;
            producer = producer + 1;
        }
    }

    boolean isEmpty() {
        return producer == consumer;
    }

    /** The next entry, valid until {@link #release}; null when there is none. */
    @Nullable Entry take() {
        return isEmpty() ? null : entries[(int) (consumer % CAPACITY)];
    }

    void release() {
        assert !isEmpty() : "nothing was taken";
        consumer = consumer + 1;
    }
}
