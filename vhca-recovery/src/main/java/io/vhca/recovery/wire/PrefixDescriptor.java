package io.vhca.recovery.wire;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The four bytes that every record of the bond begins with. All records are big-endian and grow at their end only.
 *
 * <pre>
 *   0              2         3      4
 *   | magic 0x5648 | version | type |
 * </pre>
 */
public final class PrefixDescriptor {
    /** "VH". */
    public static final int MAGIC = 0x5648;

    /** The version spoken here. The first is 1; docs/WIRE.md says what each one added. */
    public static final int VERSION = 2;

    /** Nothing was before it. */
    static final int FIRST_VERSION = 1;

    /** Private data that rdma_cm carries in a REQ (InfiniBand CM REQ less the IP addressing annex). */
    public static final int MAX_REQ_SIZE = 56;

    /** Private data of a REP. */
    public static final int MAX_REP_SIZE = 196;

    /** Private data of a REJ. */
    public static final int MAX_REJ_SIZE = 148;

    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Short.BYTES;
    public static final int TYPE_OFFSET = VERSION_OFFSET + Byte.BYTES;
    public static final int SIZE = TYPE_OFFSET + Byte.BYTES;

    static final ByteOrder ORDER = ByteOrder.BIG_ENDIAN;

    static {
        checkSize("prefix", SIZE, 4);
    }

    private PrefixDescriptor() {}

    static void checkSize(final String what, final int size, final int expected) {
        if (size != expected) {
            throw new ExceptionInInitializerError(what + " is " + expected + " bytes, not " + size);
        }
    }

    static void encode(final MutableDirectBuffer buffer, final int offset, final RecordType type) {
        buffer.putShort(offset + MAGIC_OFFSET, (short) MAGIC, ORDER);
        buffer.putByte(offset + VERSION_OFFSET, (byte) VERSION);
        buffer.putByte(offset + TYPE_OFFSET, (byte) type.code());
    }

    /**
     * Whether foreign bytes begin with a prefix that is understood here; the type is known, nothing else was looked at.
     * A newer version is understood by its known part; of a type that only a newer one has, the version is what is
     * wrong. Never throws.
     */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        if (offset < 0 || length < 0 || length > buffer.capacity() - offset) {
            return DecodeResult.BAD_LENGTH;
        }
        if (length < Short.BYTES || (buffer.getShort(offset + MAGIC_OFFSET, ORDER) & 0xFFFF) != MAGIC) {
            return DecodeResult.NOT_VHCA;
        }
        if (length < SIZE) {
            return DecodeResult.BAD_LENGTH;
        }
        final int version = version(buffer, offset);
        if (version < FIRST_VERSION) {
            return DecodeResult.BAD_VERSION;
        }
        if (RecordType.fromCode(buffer.getByte(offset + TYPE_OFFSET) & 0xFF) != null) {
            return DecodeResult.OK;
        }
        return version > VERSION ? DecodeResult.BAD_VERSION : DecodeResult.BAD_TYPE;
    }

    /** The version of a record's writer. */
    static int version(final DirectBuffer buffer, final int offset) {
        return buffer.getByte(offset + VERSION_OFFSET) & 0xFF;
    }

    /** The type in a prefix that {@link #validate} found OK. */
    public static RecordType type(final DirectBuffer buffer, final int offset) {
        final RecordType type = RecordType.fromCode(buffer.getByte(offset + TYPE_OFFSET) & 0xFF);
        if (type == null) {
            throw new IllegalStateException("type read from a prefix that was not validated");
        }
        return type;
    }
}
