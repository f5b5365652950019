package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The form of a FIRST for a peer that may have no bond: the application's data comes first, as that peer expects it,
 * and the bond's header behind it, at the end of what a REQ holds. Since version 2.
 *
 * <pre>
 *   0                                   32 (16 with a proof)                         56
 *   | application data, then zeros      | header, and the proof where there is one  |
 * </pre>
 */
public final class TrailingHeader {
    private static final int SIZE = PrefixDescriptor.MAX_REQ_SIZE;

    private TrailingHeader() {}

    /** Turns a FIRST, signed or not, so that the header is behind. */
    public static byte[] turn(final byte[] first) {
        final byte[] full = Arrays.copyOf(first, SIZE);
        final int header = SealedRecord.type(full) == RecordType.FIRST
                ? ConnectDescriptor.SIZE + SealedRecord.PROOF_SIZE : ConnectDescriptor.SIZE;
        return rotated(full, header);
    }

    /** The FIRST as it was before {@link #turn}; null where the bytes are none that was turned. */
    public static byte @Nullable [] turnedBack(final byte[] data) {
        if (data.length != SIZE) {
            return null;
        }
        final byte[] plain = rotated(data, SIZE - ConnectDescriptor.SIZE);
        if (isFirst(plain)) {
            return plain;
        }
        final byte[] sealed = rotated(data, SIZE - ConnectDescriptor.SIZE - SealedRecord.PROOF_SIZE);
        return SealedRecord.type(sealed) == RecordType.FIRST ? sealed : null;
    }

    private static boolean isFirst(final byte[] data) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        return ConnectHeader.validate(buffer, 0, data.length) == DecodeResult.OK
                && PrefixDescriptor.type(buffer, 0) == RecordType.FIRST;
    }

    /** The bytes from {@code at} on, then those before it. */
    private static byte[] rotated(final byte[] data, final int at) {
        final byte[] turned = new byte[data.length];
        System.arraycopy(data, at, turned, 0, data.length - at);
        System.arraycopy(data, 0, turned, data.length - at, at);
        return turned;
    }

    /** Whether bytes say that a bond wrote them: what does not is a plain peer's, and nothing else is. */
    public static boolean isOfBond(final byte[] data) {
        return data.length >= Short.BYTES
                && (new UnsafeBuffer(data).getShort(PrefixDescriptor.MAGIC_OFFSET, ORDER) & 0xFFFF)
                        == PrefixDescriptor.MAGIC;
    }
}
