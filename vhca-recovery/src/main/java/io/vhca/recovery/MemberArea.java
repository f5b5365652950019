package io.vhca.recovery;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The members of a bond inside a record: one entry after the other, as many as fit. The record says how many there are.
 *
 * <pre>
 *   0       1        2             6 or 18
 *   | index | family | address     |
 * </pre>
 */
final class MemberArea {
    private static final int FAMILY_4 = 4;
    private static final int FAMILY_6 = 6;
    private static final int HEADER = 2;

    private MemberArea() {}

    /** Writes members into [at, end); how many fitted. */
    static int encode(
            final MutableDirectBuffer buffer, final int at, final int end, final List<MemberAddress> members) {
        int count = 0;
        int next = at;
        for (final MemberAddress member : members) {
            final int size = HEADER + member.addressLength();
            if (next + size > end) {
                break;
            }
            buffer.putByte(next, (byte) member.member());
            buffer.putByte(next + 1, (byte) (member.addressLength() == 4 ? FAMILY_4 : FAMILY_6));
            buffer.putBytes(next + HEADER, member.address());
            next += size;
            count++;
        }
        return count;
    }

    /** Judges foreign bytes; never throws. */
    static DecodeResult validate(final DirectBuffer buffer, final int at, final int end, final int count) {
        int next = at;
        for (int i = 0; i < count; i++) {
            if (next + HEADER > end) {
                return DecodeResult.BAD_LENGTH;
            }
            final int family = buffer.getByte(next + 1);
            if (family != FAMILY_4 && family != FAMILY_6) {
                return DecodeResult.BAD_FIELD;
            }
            next += HEADER + (family == FAMILY_4 ? 4 : 16);
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
            final byte[] address = new byte[buffer.getByte(next + 1) == FAMILY_4 ? 4 : 16];
            buffer.getBytes(next + HEADER, address);
            members.add(new MemberAddress(buffer.getByte(next) & 0xFF, address));
            next += HEADER + address.length;
        }
        return members;
    }
}
