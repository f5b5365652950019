package io.vhca.bond.datagram;

import io.vhca.bond.verbs.BondAddressHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of one vQP for datagrams, found by handle of the vAH and vQPN: the last one at once, any other by a
 * short walk through an open table. Inside the send queue's gate.
 */
public final class DestinationTable {
    private static final int FIRST_SIZE = 8;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private @Nullable Destination[] table = new Destination[FIRST_SIZE];
    private int count;
    private @Nullable Destination last;

    public @Nullable Destination find(final long handle, final int qpNum) {
        final Destination known = last;
        if (known != null && known.isFor(handle, qpNum)) {
            return known;
        }
        final int mask = table.length - 1;
        for (int i = start(handle, qpNum) & mask; ; i = i + 1 & mask) {
            final Destination at = table[i];
            if (at == null) {
                return null;
            }
            if (at.isFor(handle, qpNum)) {
                last = at;
                return at;
            }
        }
    }

    private static int start(final long handle, final int qpNum) {
        return (int) ((handle * 31 + qpNum) * SPREAD >>> Integer.SIZE);
    }

    void add(final Destination destination) {
        if (2 * (count + 1) > table.length) {
            final List<Destination> known = all();
            table = new Destination[2 * table.length];
            known.forEach(this::put);
        }
        put(destination);
        count++;
    }

    private void put(final Destination destination) {
        final int mask = table.length - 1;
        int i = start(destination.ah().handle(), destination.qpNum()) & mask;
        while (table[i] != null) {
            i = i + 1 & mask;
        }
        table[i] = destination;
    }

    /** The vAH is destroyed. */
    void remove(final BondAddressHandle ah) {
        final List<Destination> known = all();
        table = new Destination[FIRST_SIZE];
        count = 0;
        last = null;
        for (final Destination destination : known) {
            if (destination.ah() != ah) {
                add(destination);
            }
        }
    }

    List<Destination> all() {
        final List<Destination> known = new ArrayList<>(count);
        for (final Destination destination : table) {
            if (destination != null) {
                known.add(destination);
            }
        }
        return known;
    }
}
