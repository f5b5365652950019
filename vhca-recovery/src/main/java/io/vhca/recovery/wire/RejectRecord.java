package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;
import static io.vhca.recovery.wire.RejectDescriptor.APP_DATA_OFFSET;
import static io.vhca.recovery.wire.RejectDescriptor.APP_LENGTH_OFFSET;
import static io.vhca.recovery.wire.RejectDescriptor.CODE_OFFSET;
import static io.vhca.recovery.wire.RejectDescriptor.EPOCH_OFFSET;
import static io.vhca.recovery.wire.RejectDescriptor.SESSION_OFFSET;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The record in a REJ; {@link RejectDescriptor} has its layout.
 *
 * @param code why
 * @param session the session asked for, NONE where it could not be read
 * @param epoch the rejecting side's epoch, unsigned; 0 where it has none to tell
 * @param applicationData the application's own reject data; with CHALLENGE the nonce
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode below compare the contents
public record RejectRecord(RejectCode code, SessionId session, int epoch, byte[] applicationData) {
    /** What the application may send along. */
    public static final int MAX_APPLICATION_DATA = RejectDescriptor.MAX_APPLICATION_DATA;

    // Here and not in the Descriptor: a class of constants alone is never initialised.
    static {
        PrefixDescriptor.checkSize("RejectRecord without application data", APP_DATA_OFFSET, 28);
        PrefixDescriptor.checkSize("application data of a REJ", MAX_APPLICATION_DATA, 120);
    }

    /** Throws IllegalArgumentException above {@link #MAX_APPLICATION_DATA} bytes. */
    public RejectRecord {
        if (applicationData.length > MAX_APPLICATION_DATA) {
            throw new IllegalArgumentException("reject data of " + applicationData.length + " bytes, at most "
                    + MAX_APPLICATION_DATA + " fit beside the bond's record");
        }
    }

    /** A record without application data. */
    public RejectRecord(final RejectCode code, final SessionId session, final int epoch) {
        this(code, session, epoch, new byte[0]);
    }

    /** The record as private data. */
    public byte[] encode() {
        final byte[] bytes = new byte[APP_DATA_OFFSET + applicationData.length];
        final MutableDirectBuffer buffer = new UnsafeBuffer(bytes);
        PrefixDescriptor.encode(buffer, 0, RecordType.REJECT);
        buffer.putShort(CODE_OFFSET, (short) code.code(), ORDER);
        buffer.putByte(APP_LENGTH_OFFSET, (byte) applicationData.length);
        SessionIdDescriptor.encode(buffer, SESSION_OFFSET, session);
        buffer.putInt(EPOCH_OFFSET, epoch, ORDER);
        buffer.putBytes(APP_DATA_OFFSET, applicationData);
        return bytes;
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        if (PrefixDescriptor.type(buffer, offset) != RecordType.REJECT) {
            return DecodeResult.BAD_TYPE;
        }
        if (length < APP_DATA_OFFSET || length - APP_DATA_OFFSET < (buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF)
                || (buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF) > MAX_APPLICATION_DATA) {
            return DecodeResult.BAD_LENGTH;
        }
        final boolean isNewer = PrefixDescriptor.version(buffer, offset) > PrefixDescriptor.VERSION;
        return isNewer || code(buffer, offset) != RejectCode.UNKNOWN ? DecodeResult.OK : DecodeResult.BAD_FIELD;
    }

    private static RejectCode code(final DirectBuffer buffer, final int offset) {
        final RejectCode code = RejectCode.fromCode(buffer.getShort(offset + CODE_OFFSET, ORDER) & 0xFFFF);
        return code == null ? RejectCode.UNKNOWN : code;
    }

    /** Reads the private data of a REJ, which may be anybody's; null where no bond wrote it. */
    public static @Nullable RejectRecord read(final byte[] privateData) {
        final DirectBuffer buffer = new UnsafeBuffer(privateData);
        return validate(buffer, 0, privateData.length) == DecodeResult.OK ? decode(buffer, 0) : null;
    }

    /** Reads a record that {@link #validate} found OK. */
    public static RejectRecord decode(final DirectBuffer buffer, final int offset) {
        final byte[] data = new byte[buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF];
        buffer.getBytes(offset + APP_DATA_OFFSET, data);
        return new RejectRecord(
                code(buffer, offset),
                SessionIdDescriptor.decode(buffer, offset + SESSION_OFFSET),
                buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                data);
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof RejectRecord that && Arrays.equals(encode(), that.encode());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encode());
    }
}
