package io.vhca.bond.datagram;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcFlags;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.member.Member;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who has said that it sends to a vQP for datagrams: by address and physical number, as a receive shows its sender, the
 * vQPN. A sender says so before it sends, and again while it does. Where it was before it moved is kept as well:
 * datagrams that arrived then may not have been polled yet.
 *
 * <p>Threads: written with the control lock held; what CQs' gates read is the table alone. A place is added to it, or
 * taken by another sender, in one write, and one that is forgotten leaves a mark there, so that a walk finds what is
 * behind it.
 */
final class DatagramSources {
    /** The one that was silent for longest is forgotten for a new one: its number is not translated until it speaks. */
    static final int MOST = 16_384;

    /** Of those one vQP may have so many whatever others have. */
    static final int MOST_ALWAYS = 1_024;

    /** Where senders were, of all of them together. */
    static final int MOST_PAST = 1_024;

    /** Of one sender: where it is, and where it was. */
    private static final int MOST_PLACES = 16;

    /** Places for each sender, or twice as many, when the table is made. */
    private static final int SPARSENESS = 8;
    /** No physical queue pair has it. */
    private static final int NO_NUMBER = -1;
    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_VERSION_LENGTH = 0x45;
    private static final int IPV4_SOURCE_OFFSET = IPV4_OFFSET + 12;
    private static final int IPV6_SOURCE_OFFSET = 8;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final BondCounters counters;
    private final BooleanSupplier room;
    /** Where each sender is; heard last stands last. */
    private final SequencedMap<DatagramName, Source> latest = new LinkedHashMap<>();
    /** Where those that have moved were, latest last; moved last stands last. */
    private final SequencedMap<DatagramName, Deque<Source>> past = new LinkedHashMap<>();
    private final Map<Whereabouts, Word> words = new HashMap<>();

    private int pastCount;
    private int roomTaken;
    private long heardCount;
    private volatile @Nullable Source[] table = new Source[SPARSENESS];
    /** Places of the table that are or were taken. */
    private int used;

    /** @param room takes room for one more than {@link #MOST_ALWAYS}; false where the bond has none */
    DatagramSources(final BondCounters counters, final BooleanSupplier room) {
        this.counters = counters;
        this.room = room;
    }

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

        private boolean isPlaceOf(final Source other) {
            return matches(other.high, other.low, other.number);
        }

        private DatagramName name() {
            return new DatagramName(instance, qpNum);
        }

        private Whereabouts whereabouts() {
            return new Whereabouts(address, qpNum, at);
        }

        private Source gone() {
            return new Source(high, low, NO_NUMBER, qpNum, instance, address, at);
        }
    }

    private record Whereabouts(InetAddress address, int qpNum, Member at) {}

    /** A sender has said where it is, as the {@code count}th word of all. */
    private record Word(Source source, long count) {}

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
        final DatagramName name = heard.name();
        final Source before = latest.get(name);
        if (before != null && before.equals(heard)) {
            latest.putLast(name, before);
            spoke(before);
            return;
        }
        final Source there = find(heard.high, heard.low, number);
        if (before != null && before == there) {
            silence(before);
        } else {
            if (there != null) {
                replaced(there);
            }
            if (before != null) {
                left(name, before);
            }
        }
        latest.putLast(name, heard);
        spoke(heard);
        place(heard);
        while (latest.size() - MOST_ALWAYS > roomTaken) {
            if (latest.size() <= MOST && room.getAsBoolean()) {
                roomTaken++;
            } else {
                forgetOldest();
            }
        }
    }

    private void spoke(final Source source) {
        words.put(source.whereabouts(), new Word(source, heardCount++));
    }

    private void silence(final Source source) {
        words.computeIfPresent(source.whereabouts(), (where, word) -> word.source.equals(source) ? null : word);
    }

    /** Another is in its place: its sender is where it was before, if that is known, until it speaks again. */
    private void replaced(final Source source) {
        silence(source);
        final DatagramName name = source.name();
        final Deque<Source> places = past.get(name);
        if (source.equals(latest.get(name))) {
            if (places == null) {
                latest.remove(name);
                return;
            }
            latest.put(name, places.getLast());
            pastNoMore(name, places, places.getLast());
        } else if (places != null) {
            pastNoMore(name, places, source);
        }
    }

    private void left(final DatagramName name, final Source before) {
        final Deque<Source> places = past.getOrDefault(name, new ArrayDeque<>());
        past.putLast(name, places);
        places.addLast(before);
        pastCount++;
        if (places.size() == MOST_PLACES) {
            forgetPast(name, places);
        } else if (pastCount > MOST_PAST) {
            final Map.Entry<DatagramName, Deque<Source>> oldest = past.firstEntry();
            forgetPast(oldest.getKey(), oldest.getValue());
        }
    }

    private void forgetPast(final DatagramName name, final Deque<Source> places) {
        final Source oldest = places.getFirst();
        pastNoMore(name, places, oldest);
        forget(oldest);
    }

    private void pastNoMore(final DatagramName name, final Deque<Source> places, final Source one) {
        places.remove(one);
        pastCount--;
        if (places.isEmpty()) {
            past.remove(name);
        }
    }

    private void forgetOldest() {
        final Map.Entry<DatagramName, Source> oldest = latest.pollFirstEntry();
        forget(oldest.getValue());
        final Deque<Source> places = past.remove(oldest.getKey());
        if (places != null) {
            pastCount -= places.size();
            places.forEach(this::forget);
        }
        counters.add(Counter.SENDERS_FORGOTTEN, 1);
    }

    /** Nobody is in its place. */
    private void forget(final Source source) {
        silence(source);
        final @Nullable Source[] all = table;
        all[slot(all, source)] = source.gone();
        table = all;
    }

    private void place(final Source source) {
        if (2 * (used + 1) > table.length) {
            tableAnew();
            return;
        }
        final @Nullable Source[] all = table;
        final int slot = slot(all, source);
        used += all[slot] == null ? 1 : 0;
        all[slot] = source;
        table = all;
    }

    private void tableAnew() {
        final @Nullable Source[] fresh = new Source[Integer.highestOneBit(latest.size() + pastCount) * SPARSENESS];
        latest.values().forEach(source -> fresh[slot(fresh, source)] = source);
        past.values().forEach(places -> places.forEach(source -> fresh[slot(fresh, source)] = source));
        used = latest.size() + pastCount;
        table = fresh;
    }

    /** Where a place stands in a table, or is to stand. */
    private static int slot(final @Nullable Source[] all, final Source place) {
        final int mask = all.length - 1;
        int i = start(place.high, place.low, place.number) & mask;
        for (Source at = all[i]; at != null && !at.isPlaceOf(place); at = all[i]) {
            i = i + 1 & mask;
        }
        return i;
    }

    /** Where a vQP was last that said so over the own member in use; null when none did. */
    DatagramRoutes.@Nullable Heard whereabouts(
            final int qpNum, final List<InetAddress> among, final @Nullable Member member) {
        Word last = null;
        if (member != null) {
            for (final InetAddress address : among) {
                final Word word = words.get(new Whereabouts(address, qpNum, member));
                last = word != null && (last == null || word.count > last.count) ? word : last;
            }
        }
        return last == null
                ? null
                : new DatagramRoutes.Heard(last.source.address, last.source.number, last.source.at);
    }

    /** Every sender once, with where it is. */
    List<Source> latest() {
        return List.copyOf(latest.values());
    }

    /** Nobody sends to the vQP any more; how much of the bond's room it gives back. */
    int close() {
        final int taken = roomTaken;
        roomTaken = 0;
        return taken;
    }
}
