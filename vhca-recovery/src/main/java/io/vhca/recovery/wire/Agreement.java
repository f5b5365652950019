package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What two bonds agree on in the handshake in which they meet. A REQ offers all features of its version; the REP says
 * which of them the bond that answers takes. A feature that is not agreed on is not used.
 *
 * @param version  of the records that the peer writes; it may be newer than the one here
 * @param features the agreed ones, a bit each
 */
public record Agreement(int version, int features) {
    /** Messages of a kind that is not known are answered so, see docs/WIRE.md. */
    public static final int NOT_KNOWN = 1;

    /** Connections may stand by, and recoveries go over them: STANDBY and CHANNEL, see docs/WIRE.md. */
    public static final int STANDBY = 2;

    /** Before the first word of a peer: what every version has. */
    public static final Agreement LEAST = new Agreement(PrefixDescriptor.FIRST_VERSION, 0);

    /** All features of each version, by its number; of newer ones none beyond those of the last are known. */
    private static final int[] OF_VERSION = {0, 0, NOT_KNOWN | STANDBY};

    /** What the side that is asked agrees to. */
    public static Agreement asked(final int own, final byte[] request) {
        final int version = versionOf(request);
        return new Agreement(version, features(Math.min(own, version)));
    }

    /** What the side that has asked hears of it. */
    public static Agreement answered(final int own, final byte[] reply) {
        final int told = new UnsafeBuffer(reply).getShort(ReplyDescriptor.FEATURES_OFFSET, ORDER);
        final int version = versionOf(reply);
        return new Agreement(version, told & features(Math.min(own, version)));
    }

    /** Whether a feature may be used. */
    public boolean has(final int feature) {
        return (features & feature) != 0;
    }

    private static int features(final int version) {
        return OF_VERSION[version];
    }

    /** The version of a record's writer; the first where it is no record. */
    private static int versionOf(final byte[] data) {
        final DirectBuffer buffer = new UnsafeBuffer(data);
        return isRecord(buffer) ? Math.max(PrefixDescriptor.version(buffer, 0), PrefixDescriptor.FIRST_VERSION)
                : PrefixDescriptor.FIRST_VERSION;
    }

    private static boolean isRecord(final DirectBuffer buffer) {
        return buffer.capacity() >= PrefixDescriptor.SIZE
                && (buffer.getShort(PrefixDescriptor.MAGIC_OFFSET, ORDER) & 0xFFFF) == PrefixDescriptor.MAGIC;
    }

    /**
     * Makes a record one of that version, which then has what that version has and nothing else. Before it is signed.
     * What is no record of a bond stays as it is.
     *
     * @return the same array
     */
    public static byte[] write(final byte[] record, final int version) {
        final MutableDirectBuffer buffer = new UnsafeBuffer(record);
        if (isRecord(buffer)) {
            buffer.putByte(PrefixDescriptor.VERSION_OFFSET, (byte) version);
            if (record[PrefixDescriptor.TYPE_OFFSET] == RecordType.REPLY.code()) {
                buffer.putShort(ReplyDescriptor.FEATURES_OFFSET, (short) features(version), ORDER);
            }
        }
        return record;
    }
}
