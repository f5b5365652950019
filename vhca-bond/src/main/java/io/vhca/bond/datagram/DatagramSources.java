package io.vhca.bond.datagram;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcFlags;
import io.vhca.bond.member.Member;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who has said that it sends to a vQP for datagrams: by address and physical number, as a receive shows its sender, the
 * vQPN. A sender says so before it sends. Where it was before it moved is kept as well: datagrams that arrived then may
 * not have been polled yet. Written with the control lock held, by copying; read inside CQs' gates.
 */
final class DatagramSources {
    /** The oldest is forgotten for the newest: its number is then not translated until it speaks again. */
    static final int MOST = 1_024;

    /** Of one sender: where it is, and where it was. */
    private static final int MOST_PLACES = 16;

    private static final int FIRST_SIZE = 4;
    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_VERSION_LENGTH = 0x45;
    private static final int IPV4_SOURCE_OFFSET = IPV4_OFFSET + 12;
    private static final int IPV6_SOURCE_OFFSET = 8;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Heard last stands last. */
    private final List<Source> sources = new ArrayList<>();
    private volatile @Nullable Source[] table = new Source[FIRST_SIZE];

    /**
     * One sender.
     *
     * @param high     of its GID
     * @param low      of its GID
     * @param number   of its physical queue pair
     * @param qpNum    its vQPN
     * @param instance its bond
     * @param address  its GID as an address
     * @param at       the own member that it said so to
     */
    record Source(long high, long low, int number, int qpNum, long instance, InetAddress address, Member at) {
        private boolean matches(final long wantedHigh, final long wantedLow, final int wantedNumber) {
            return number == wantedNumber && low == wantedLow && high == wantedHigh;
        }

        private boolean isSame(final Source other) {
            return qpNum == other.qpNum && instance == other.instance;
        }

        private boolean isPlaceOf(final Source other) {
            return matches(other.high, other.low, other.number);
        }
    }

    /** The vQPN of a datagram's sender; its physical number where nobody has said so. */
    int translate(final long sge, final int number) {
        if (sge == 0 || SgeDescriptor.length(sge) < WcFlags.GRH_BYTES) {
            return number;
        }
        // RoCEv2: the IP header itself, that of IPv4 at the end of the 40 bytes (IBA annex A17.4.5.1).
        final long header = SgeDescriptor.addr(sge);
        Source found = null;
        if ((NativeMemory.getByte(header + IPV4_OFFSET) & 0xFF) == IPV4_VERSION_LENGTH) {
            final int source = Integer.reverseBytes(NativeMemory.getInt(header + IPV4_SOURCE_OFFSET));
            found = find(0, IPV4_MAPPED | Integer.toUnsignedLong(source), number);
        }
        if (found == null) {
            found = find(
                    Long.reverseBytes(NativeMemory.getLong(header + IPV6_SOURCE_OFFSET)),
                    Long.reverseBytes(NativeMemory.getLong(header + IPV6_SOURCE_OFFSET + Long.BYTES)),
                    number);
        }
        return found == null ? number : found.qpNum;
    }

    private @Nullable Source find(final long high, final long low, final int number) {
        final @Nullable Source[] all = table;
        final int mask = all.length - 1;
        for (int i = start(high, low, number) & mask; ; i = i + 1 & mask) {
            final Source at = all[i];
            if (at == null || at.matches(high, low, number)) {
                return at;
            }
        }
    }

    private static int start(final long high, final long low, final int number) {
        return (int) (((high * 31 + low) * 31 + number) * SPREAD >>> Integer.SIZE);
    }

    /** A sender says where it is; another in its place is forgotten. */
    void heard(
            final InetAddress address, final int number, final int qpNum, final long instance, final Member at) {
        final Gid gid = Gid.of(address);
        final Source heard = new Source(gid.subnetPrefix(), gid.interfaceId(), number, qpNum, instance, address, at);
        final List<Source> places = sources.stream().filter(heard::isSame).toList();
        if (!places.isEmpty() && places.getLast().equals(heard)) {
            return;
        }
        sources.removeIf(heard::isPlaceOf);
        if (places.size() == MOST_PLACES) {
            sources.remove(places.getFirst());
        }
        if (sources.size() == MOST) {
            sources.removeFirst();
        }
        sources.add(heard);
        final @Nullable Source[] fresh = new Source[Integer.highestOneBit(sources.size()) * FIRST_SIZE];
        final int mask = fresh.length - 1;
        for (final Source source : sources) {
            int i = start(source.high, source.low, source.number) & mask;
            while (fresh[i] != null) {
                i = i + 1 & mask;
            }
            fresh[i] = source;
        }
        table = fresh;
    }

    /** Where a vQP was last that said so over the own member in use; null when none did. */
    DatagramRoutes.@Nullable Heard whereabouts(
            final int qpNum, final List<InetAddress> among, final @Nullable Member member) {
        for (final Source source : sources.reversed()) {
            if (source.qpNum == qpNum && source.at == member && among.contains(source.address)) {
                return new DatagramRoutes.Heard(source.address, source.number, source.at);
            }
        }
        return null;
    }

    /** Every sender once, with where it is. */
    List<Source> latest() {
        final Map<DatagramName, Source> latest = new LinkedHashMap<>();
        for (final Source source : sources) {
            latest.put(new DatagramName(source.instance, source.qpNum), source);
        }
        return List.copyOf(latest.values());
    }
}
