package io.vhca.recovery.wire;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a list of members inside a record: entries one after the other, as many as fit. Their number
 * is a field of the record.
 *
 * <pre>
 *   0       1        2             6 or 18
 *   | index | family | address     |
 * </pre>
 */
final class MemberListDescriptor {
    private static final int FAMILY_4 = 4;
    private static final int FAMILY_6 = 6;
    private static final int INDEX_OFFSET = 0;
    private static final int FAMILY_OFFSET = INDEX_OFFSET + Byte.BYTES;
    private static final int ADDRESS_OFFSET = FAMILY_OFFSET + Byte.BYTES;
    private static final int LONGEST_ADDRESS = 16;

    private MemberListDescriptor() {}

    /** Writes members into [at, end); how many fitted. */
    static int encode(
            final MutableDirectBuffer buffer, final int at, final int end, final List<MemberAddress> members) {
        int count = 0;
        int next = at;
        for (final MemberAddress member : members) {
            final int size = ADDRESS_OFFSET + member.addressLength();
            if (next + size > end) {
                break;
            }
            buffer.putByte(next + INDEX_OFFSET, (byte) member.member());
            buffer.putByte(next + FAMILY_OFFSET, (byte) (member.addressLength() == 4 ? FAMILY_4 : FAMILY_6));
            buffer.putBytes(next + ADDRESS_OFFSET, member.address());
            next += size;
            count++;
        }
        return count;
    }

    /** Whether a member of any family would fit behind those into [at, end): else one may have been left out. */
    static boolean hasRoom(final int at, final int end, final List<MemberAddress> members) {
        int next = at;
        for (final MemberAddress member : members) {
            next += ADDRESS_OFFSET + member.addressLength();
        }
        return next + ADDRESS_OFFSET + LONGEST_ADDRESS <= end;
    }

    /** Judges foreign bytes; never throws. */
    static DecodeResult validate(final DirectBuffer buffer, final int at, final int end, final int count) {
        int next = at;
        for (int i = 0; i < count; i++) {
            if (next + ADDRESS_OFFSET > end) {
                return DecodeResult.BAD_LENGTH;
            }
            final int family = buffer.getByte(next + FAMILY_OFFSET);
            if (family != FAMILY_4 && family != FAMILY_6) {
                return DecodeResult.BAD_FIELD;
            }
            next += ADDRESS_OFFSET + (family == FAMILY_4 ? 4 : 16);
            if (next > end) {
                return DecodeResult.BAD_LENGTH;
            }
        }
        return DecodeResult.OK;
    }

    /** Reads what {@link #validate} found OK. */
    static List<MemberAddress> decode(final DirectBuffer buffer, final int at, final int count) {
        final List<MemberAddress> members = new ArrayList<>(count);
        int next = at;
        for (int i = 0; i < count; i++) {
            final byte[] address = new byte[buffer.getByte(next + FAMILY_OFFSET) == FAMILY_4 ? 4 : 16];
            buffer.getBytes(next + ADDRESS_OFFSET, address);
            members.add(new MemberAddress(buffer.getByte(next + INDEX_OFFSET) & 0xFF, address));
            next += ADDRESS_OFFSET + address.length;
        }
        return members;
    }
}
