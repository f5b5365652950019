package io.vhca.physical.soft.cm;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * The messages that arrived at QP1, on their way from the engine's owner to the communication manager. One producer at
 * a time (the engine's owner) and one consumer at a time (the holder of the manager's lock). A message that finds it
 * full is lost, as on the wire.
 */
final class MadInbox {
    private static final int CAPACITY = 256;

    private final CmCounters counters;
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

    MadInbox(final CmCounters counters) {
        this.counters = counters;
    }

    private @Nullable Entry claim() {
        final long index = producer;
        if (index - consumer == CAPACITY) {
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
        final Entry entry = claim();
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
        final Entry entry = claim();
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
