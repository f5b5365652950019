package io.vhca.physical.soft.fuzz;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import io.vhca.physical.soft.cm.message.PairDescriptor;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Makes packets that nobody should send, in native memory: noise, and packets that were captured, cut and bent. All of
 * it comes from one seed and from what was captured. One thread.
 *
 * <p>What somebody on the path could do to a connection, who knows its numbers and its PSNs, is done to victims only:
 * queue pairs that carry no traffic that is checked.
 */
final class PacketFuzzer {
    static final int MOST_BYTES = 4352;
    private static final int STRANGERS = 5_000;
    private static final int CORPUS = 512;
    private static final int MADS = UdpMad.BYTES;
    private static final int[] EDGES = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, -1, Integer.MIN_VALUE};

    /** Where a management datagram lies in its packet. */
    private static final class UdpMad {
        static final int OFFSET = BthDescriptor.SIZE + DethDescriptor.SIZE;
        static final int BYTES = OFFSET + Wire.MAD_BYTES + Wire.ICRC_BYTES;
    }

    private final SplittableRandom random;
    private final Gid target;
    private final Gid peer;
    private final long strangerNet;
    private final Icrc icrc = new Icrc();
    private final List<byte[]> corpus = new ArrayList<>();
    private final List<byte[]> victimCorpus = new ArrayList<>();
    /** The last of each kind of message. */
    private final Map<Integer, byte[]> mads = new TreeMap<>();

    private final Set<Integer> victims = new HashSet<>();
    private long seen;
    private Gid source;
    private int sourcePort;

    /**
     * @param target      the device that packets are made for
     * @param peer        the other end of its connections
     * @param strangerNet the low half of the GID that strangers' addresses count from
     */
    PacketFuzzer(final long seed, final Gid target, final Gid peer, final long strangerNet) {
        random = new SplittableRandom(seed);
        this.target = target;
        this.peer = peer;
        this.strangerNet = strangerNet;
        source = peer;
    }

    /** A queue pair of the target that bears whatever comes. */
    void addVictim(final int qpNum) {
        victims.add(qpNum);
    }

    /** A packet that the target received from its peer. */
    void capture(final long address, final int lengthBytes) {
        if (lengthBytes == MADS && BthDescriptor.destQp(address) == Wire.GSI_QPN) {
            final int attribute = Wire.getShort(address + UdpMad.OFFSET + MadDescriptor.ATTRIBUTE_OFFSET);
            mads.put(attribute, bytes(address, lengthBytes));
            return;
        }
        keep(victims.contains(BthDescriptor.destQp(address)) ? victimCorpus : corpus, address, lengthBytes);
    }

    /** Takes over the management datagrams that another fuzzer's target received. */
    void adopt(final PacketFuzzer other) {
        mads.putAll(other.mads);
    }

    private void keep(final List<byte[]> kept, final long address, final int lengthBytes) {
        seen++;
        if (kept.size() < CORPUS) {
            kept.add(bytes(address, lengthBytes));
        } else if (random.nextLong(seen) < CORPUS) {
            kept.set(random.nextInt(CORPUS), bytes(address, lengthBytes));
        }
    }

    private static byte[] bytes(final long address, final int lengthBytes) {
        return NativeMemory.segment(address, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Where the last packet comes from. */
    Gid source() {
        return source;
    }

    /** UDP source port of the last packet. */
    int sourcePort() {
        return sourcePort;
    }

    /** The next packet's source is this one from now on; for real sockets. */
    void from(final Gid address, final int port) {
        source = address;
        sourcePort = port;
    }

    /** Draws a stranger's address. */
    Gid stranger() {
        return new Gid(target.subnetPrefix(), strangerNet + random.nextInt(STRANGERS));
    }

    /** Makes the next packet, from whoever it is drawn to come from; its length in bytes. */
    int next(final long address) {
        sourcePort = random.nextInt(1, 1 << 16);
        final int kind = random.nextInt(8);
        if (kind == 0) {
            source = random.nextBoolean() ? peer : stranger();
            return noise(address);
        }
        if (kind == 1) {
            source = peer;
            // Its ICRC stays that of the packet that it was: no device takes it.
            return bend(address, load(address, corpus));
        }
        if (kind == 2 && !victimCorpus.isEmpty()) {
            source = peer;
            return sealed(address, bentVictim(address));
        }
        if (kind == 3) {
            source = peer;
            return sealed(address, blind(address));
        }
        source = stranger();
        return nextFromStranger(address);
    }

    /** Makes the next packet, from the address that {@link #from} or {@link #next} chose; its length in bytes. */
    int nextFromStranger(final long address) {
        final int length = random.nextInt(4) == 0 ? noise(address) : bend(address, load(address, corpus));
        return sealed(address, random.nextInt(3) == 0 ? mad(address) : length);
    }

    private int noise(final long address) {
        final int length = random.nextInt(8) == 0 ? random.nextInt(MOST_BYTES) : random.nextInt(400);
        for (int i = 0; i < length; i++) {
            NativeMemory.putByte(address + i, (byte) random.nextInt());
        }
        if (length > 2 && random.nextBoolean()) {
            NativeMemory.putByte(address, (byte) random.nextInt(Opcodes.RC_FETCH_ADD + 1));
            NativeMemory.putByte(address + 1, (byte) 0);
        }
        return length;
    }

    private int load(final long address, final List<byte[]> from) {
        if (from.isEmpty()) {
            return noise(address);
        }
        final byte[] packet = from.get(random.nextInt(from.size()));
        for (int i = 0; i < packet.length; i++) {
            NativeMemory.putByte(address + i, packet[i]);
        }
        return packet.length;
    }

    /** Cuts it, makes it longer, or changes some of its bits, bytes or words. */
    private int bend(final long address, final int lengthBytes) {
        int length = lengthBytes;
        if (random.nextInt(8) == 0) {
            length = random.nextInt(lengthBytes + 1);
        } else if (random.nextInt(16) == 0) {
            length = Math.min(MOST_BYTES, lengthBytes + random.nextInt(64));
        }
        for (int changes = random.nextInt(1, 6); changes > 0 && length >= Integer.BYTES; changes--) {
            // Headers more often than payload.
            final int at = random.nextInt(random.nextBoolean() ? Math.min(length, 48) : length);
            switch (random.nextInt(3)) {
                case 0 -> NativeMemory.putByte(
                        address + at, (byte) (NativeMemory.getByte(address + at) ^ 1 << random.nextInt(8)));
                case 1 -> NativeMemory.putByte(address + at, (byte) random.nextInt());
                default -> Wire.putInt(
                        address + Math.min(at, length - Integer.BYTES), EDGES[random.nextInt(EDGES.length)]);
            }
        }
        return length;
    }

    private int bentVictim(final long address) {
        final int length = load(address, victimCorpus);
        final int destQp = BthDescriptor.destQp(address);
        final int bent = bend(address, length);
        if (bent >= BthDescriptor.SIZE) {
            Wire.putInt(address + BthDescriptor.DEST_QP_OFFSET, destQp);
        }
        return bent;
    }

    /** A message of the connection manager of whoever guesses communication ids, and a queue pair of the peer's. */
    private int blind(final long address) {
        final int length = mad(address);
        final long mad = address + UdpMad.OFFSET;
        Wire.putInt(mad + PairDescriptor.LOCAL_COMM_ID_OFFSET, random.nextInt());
        Wire.putInt(mad + PairDescriptor.REMOTE_COMM_ID_OFFSET, random.nextInt());
        return length;
    }

    /** A management datagram: one that was captured, if there was one, with another message type and some changes. */
    private int mad(final long address) {
        if (mads.isEmpty()) {
            return noise(address);
        }
        load(address, List.copyOf(mads.values()));
        final long mad = address + UdpMad.OFFSET;
        if (random.nextInt(4) == 0) {
            Wire.putShort(mad + MadDescriptor.ATTRIBUTE_OFFSET, random.nextInt(0x10, 0x19));
        }
        // Mostly one that is taken for another connection than those before.
        Wire.putInt(mad + PairDescriptor.LOCAL_COMM_ID_OFFSET, random.nextInt(random.nextBoolean() ? 64 : 1 << 30));
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            final int at = random.nextInt(MadDescriptor.ATTRIBUTE_OFFSET, Wire.MAD_BYTES);
            NativeMemory.putByte(mad + at, (byte) random.nextInt());
        }
        return MADS;
    }

    /** Gives it the length of a packet and the ICRC of its source. */
    private int sealed(final long address, final int lengthBytes) {
        final int covered = Math.max(BthDescriptor.SIZE, lengthBytes - Wire.ICRC_BYTES & -Integer.BYTES);
        Icrc.put(
                address + covered,
                icrc.compute(
                        source.subnetPrefix(),
                        source.interfaceId(),
                        target.subnetPrefix(),
                        target.interfaceId(),
                        sourcePort,
                        address,
                        covered));
        return covered + Wire.ICRC_BYTES;
    }
}
