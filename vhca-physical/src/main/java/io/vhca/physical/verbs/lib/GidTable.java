package io.vhca.physical.verbs.lib;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.rdmacore.ibv_gid_entry;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The filled entries of a device's GID tables, read in one call ({@code ibv_query_gid_table}). */
public final class GidTable {
    private static final int ROCE_V2 = 2;
    /** The length of an attribute of the kernel's interface is a 16-bit number of bytes: 2,047 entries would fit. */
    private static final int MOST_ENTRIES = 1024;

    private static final long ENTRY_BYTES = ibv_gid_entry.layout().byteSize();

    public record Entry(Gid gid, int index, int portNum, int type) {}

    private final List<Entry> entries;

    private GidTable(final List<Entry> entries) {
        this.entries = entries;
    }

    /** Empty where the device does not answer. */
    public static GidTable of(final long context) {
        final List<Entry> entries = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final long table = arena.allocate(MOST_ENTRIES * ENTRY_BYTES, Long.BYTES).address();
            final int count = Ibv.QUERY_GID_TABLE.count(context, table, MOST_ENTRIES, 0, ENTRY_BYTES);
            for (int i = 0; i < count; i++) {
                final long at = table + i * ENTRY_BYTES;
                entries.add(new Entry(
                        readGid(at),
                        NativeMemory.getInt(at + ibv_gid_entry.gid_index$offset()),
                        NativeMemory.getInt(at + ibv_gid_entry.port_num$offset()),
                        NativeMemory.getInt(at + ibv_gid_entry.gid_type$offset())));
            }
        }
        return new GidTable(entries);
    }

    /** A {@code union ibv_gid}: 16 bytes in network order. */
    public static Gid readGid(final long at) {
        return new Gid(
                Long.reverseBytes(NativeMemory.getLong(at)), Long.reverseBytes(NativeMemory.getLong(at + Long.BYTES)));
    }

    public static void writeGid(final long at, final Gid gid) {
        NativeMemory.putLong(at, Long.reverseBytes(gid.subnetPrefix()));
        NativeMemory.putLong(at + Long.BYTES, Long.reverseBytes(gid.interfaceId()));
    }

    public boolean holds(final Gid gid) {
        return entries.stream().anyMatch(entry -> entry.gid().equals(gid));
    }

    /**
     * The entry to send IP traffic from: IPv4 before IPv6, RoCE v2 before others, never link-local; null where
     * none.
     */
    public @Nullable Entry ip(final int portNum) {
        return best(portNum, true, true);
    }

    /** As {@link #ip}, of one address family. */
    public @Nullable Entry ip(final int portNum, final boolean ipv4) {
        return best(portNum, ipv4, !ipv4);
    }

    private @Nullable Entry best(final int portNum, final boolean ipv4, final boolean ipv6) {
        Entry best = null;
        for (final Entry entry : entries) {
            if (entry.portNum() == portNum && rank(entry, ipv4, ipv6) > rank(best, ipv4, ipv6)) {
                best = entry;
            }
        }
        return best;
    }

    private static int rank(final @Nullable Entry entry, final boolean ipv4, final boolean ipv6) {
        if (entry == null || entry.gid().isZero() || entry.gid().isLinkLocal()) {
            return 0;
        }
        final boolean isIpv4 = entry.gid().isIpv4();
        if (isIpv4 ? !ipv4 : !ipv6) {
            return 0;
        }
        return (isIpv4 ? 3 : 1) + (entry.type() == ROCE_V2 ? 1 : 0);
    }
}
