package io.vhca.recovery;

import static io.vhca.recovery.PrefixDescriptor.ORDER;

import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The record in the REP to a first or a later REQ.
 *
 * <pre>
 *   0        4            12           20     24          32      36         44       52
 *   | prefix | session hi | session lo | vQPN | instance  | epoch | received | ledger |
 *   52      54        55           56                                      116                               196
 *   | flags | members | app length | member area: u8 index, u8 family, address | application data, at most 80 bytes |
 * </pre>
 * A member entry takes 6 bytes (family 4) or 18 (family 6): ten IPv4 or three IPv6 members fit; what does not fit is
 * left out.
 *
 * @param session the session answered for
 * @param vQpNum the responder's vQPN
 * @param instance the responder's bond instance id
 * @param epoch the epoch answered, unsigned
 * @param received messages consumed from the responder's vRQ since the vQP was born, frozen
 * @param ledger the responder's ledger word, frozen
 * @param flags none defined yet: 0
 * @param members the responder's members, usable ones first
 * @param applicationData the application's own private data
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode below compare the contents
public record ReplyRecord(
        SessionId session,
        int vQpNum,
        long instance,
        int epoch,
        long received,
        long ledger,
        int flags,
        List<MemberAddress> members,
        byte[] applicationData) {
    static final int SESSION_HI_OFFSET = PrefixDescriptor.SIZE;
    static final int SESSION_LO_OFFSET = SESSION_HI_OFFSET + Long.BYTES;
    static final int VQP_NUM_OFFSET = SESSION_LO_OFFSET + Long.BYTES;
    static final int INSTANCE_OFFSET = VQP_NUM_OFFSET + Integer.BYTES;
    static final int EPOCH_OFFSET = INSTANCE_OFFSET + Long.BYTES;
    static final int RECEIVED_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int LEDGER_OFFSET = RECEIVED_OFFSET + Long.BYTES;
    static final int FLAGS_OFFSET = LEDGER_OFFSET + Long.BYTES;
    static final int MEMBER_COUNT_OFFSET = FLAGS_OFFSET + Short.BYTES;
    static final int APP_LENGTH_OFFSET = MEMBER_COUNT_OFFSET + Byte.BYTES;
    static final int MEMBER_AREA_OFFSET = APP_LENGTH_OFFSET + Byte.BYTES;
    static final int MEMBER_AREA_SIZE = 60;
    static final int APP_DATA_OFFSET = MEMBER_AREA_OFFSET + MEMBER_AREA_SIZE;

    /** What the application may send along. */
    public static final int MAX_APPLICATION_DATA = PrefixDescriptor.MAX_REP_SIZE - APP_DATA_OFFSET;

    static {
        PrefixDescriptor.checkSize("ReplyRecord without application data", APP_DATA_OFFSET, 116);
        PrefixDescriptor.checkSize("application data of a REP", MAX_APPLICATION_DATA, 80);
    }

    /** Throws IllegalArgumentException above {@link #MAX_APPLICATION_DATA} bytes. */
    public ReplyRecord {
        if (applicationData.length > MAX_APPLICATION_DATA) {
            throw new IllegalArgumentException("private data of " + applicationData.length + " bytes, at most "
                    + MAX_APPLICATION_DATA
                    + " fit beside the bond's record");
        }
        members = List.copyOf(members);
    }

    /** The same record with another word for the responder's vQPN; the bond puts the member that speaks beside it. */
    public ReplyRecord withVQpNum(final int qpNum) {
        return new ReplyRecord(
                session, qpNum, instance, epoch, received, ledger, flags, members, applicationData);
    }

    /** The record as private data; members that do not fit are left out. */
    public byte[] encode() {
        final byte[] bytes = new byte[APP_DATA_OFFSET + applicationData.length];
        final MutableDirectBuffer buffer = new UnsafeBuffer(bytes);
        PrefixDescriptor.encode(buffer, 0, RecordType.REPLY);
        buffer.putLong(SESSION_HI_OFFSET, session.hi(), ORDER);
        buffer.putLong(SESSION_LO_OFFSET, session.lo(), ORDER);
        buffer.putInt(VQP_NUM_OFFSET, vQpNum, ORDER);
        buffer.putLong(INSTANCE_OFFSET, instance, ORDER);
        buffer.putInt(EPOCH_OFFSET, epoch, ORDER);
        buffer.putLong(RECEIVED_OFFSET, received, ORDER);
        buffer.putLong(LEDGER_OFFSET, ledger, ORDER);
        buffer.putShort(FLAGS_OFFSET, (short) flags, ORDER);
        final int count = MemberArea.encode(buffer, MEMBER_AREA_OFFSET, APP_DATA_OFFSET, members);
        buffer.putByte(MEMBER_COUNT_OFFSET, (byte) count);
        buffer.putByte(APP_LENGTH_OFFSET, (byte) applicationData.length);
        buffer.putBytes(APP_DATA_OFFSET, applicationData);
        return bytes;
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        if (PrefixDescriptor.type(buffer, offset) != RecordType.REPLY) {
            return DecodeResult.BAD_TYPE;
        }
        if (length < APP_DATA_OFFSET || length - APP_DATA_OFFSET < (buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF)
                || (buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF) > MAX_APPLICATION_DATA) {
            return DecodeResult.BAD_LENGTH;
        }
        if (buffer.getLong(offset + RECEIVED_OFFSET, ORDER) < 0) {
            return DecodeResult.BAD_FIELD;
        }
        return MemberArea.validate(
                buffer, offset + MEMBER_AREA_OFFSET, offset + APP_DATA_OFFSET,
                buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF);
    }

    /** Reads a record that {@link #validate} found OK. */
    public static ReplyRecord decode(final DirectBuffer buffer, final int offset) {
        final byte[] data = new byte[buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF];
        buffer.getBytes(offset + APP_DATA_OFFSET, data);
        return new ReplyRecord(
                new SessionId(buffer.getLong(offset + SESSION_HI_OFFSET, ORDER),
                        buffer.getLong(offset + SESSION_LO_OFFSET, ORDER)),
                buffer.getInt(offset + VQP_NUM_OFFSET, ORDER),
                buffer.getLong(offset + INSTANCE_OFFSET, ORDER),
                buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                buffer.getLong(offset + RECEIVED_OFFSET, ORDER),
                buffer.getLong(offset + LEDGER_OFFSET, ORDER),
                buffer.getShort(offset + FLAGS_OFFSET, ORDER) & 0xFFFF,
                MemberArea.decode(
                        buffer, offset + MEMBER_AREA_OFFSET, buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF),
                data);
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof ReplyRecord that && Arrays.equals(encode(), that.encode());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encode());
    }
}
