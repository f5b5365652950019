package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;
import static io.vhca.recovery.wire.ReplyDescriptor.APP_DATA_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.APP_LENGTH_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.EPOCH_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.INSTANCE_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.LEDGER_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.MEMBER_COUNT_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.MEMBER_LIST_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.RECEIVED_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.SENDER_OFFSET;
import static io.vhca.recovery.wire.ReplyDescriptor.SESSION_OFFSET;

import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The record in the REP to a first or a later REQ. {@link ReplyDescriptor} has its layout; members that do not fit are
 * left out.
 *
 * @param sender the member that answers
 * @param instance the responder's bond instance id
 * @param reply what it says to the recovery that asked
 * @param members the responder's members, usable ones first
 * @param applicationData the application's own private data
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode below compare the contents
public record ReplyRecord(
        MemberId sender, long instance, RecoveryReply reply, List<MemberAddress> members, byte[] applicationData) {
    /** What the application may send along. */
    public static final int MAX_APPLICATION_DATA = ReplyDescriptor.MAX_APPLICATION_DATA;

    // Here and not in the Descriptor: a class of constants alone is never initialised.
    static {
        PrefixDescriptor.checkSize("ReplyRecord without application data", APP_DATA_OFFSET, 116);
        PrefixDescriptor.checkSize("application data of a REP", MAX_APPLICATION_DATA, 80);
    }

    /** Throws IllegalArgumentException above {@link #MAX_APPLICATION_DATA} bytes. */
    public ReplyRecord {
        if (applicationData.length > MAX_APPLICATION_DATA) {
            throw new IllegalArgumentException("private data of " + applicationData.length + " bytes, at most "
                    + MAX_APPLICATION_DATA + " fit beside the bond's record");
        }
        members = List.copyOf(members);
    }

    /** Whether there may be more members than it names, where it names those. */
    public static boolean mayLeaveOut(final List<MemberAddress> members) {
        return !MemberListDescriptor.hasRoom(MEMBER_LIST_OFFSET, APP_DATA_OFFSET, members);
    }

    /** The record as private data; members that do not fit are left out. */
    public byte[] encode() {
        final byte[] bytes = new byte[APP_DATA_OFFSET + applicationData.length];
        final MutableDirectBuffer buffer = new UnsafeBuffer(bytes);
        PrefixDescriptor.encode(buffer, 0, RecordType.REPLY);
        SessionIdDescriptor.encode(buffer, SESSION_OFFSET, reply.session());
        SenderDescriptor.encode(buffer, SENDER_OFFSET, sender, reply.vQpNum());
        buffer.putLong(INSTANCE_OFFSET, instance, ORDER);
        buffer.putInt(EPOCH_OFFSET, reply.epoch(), ORDER);
        buffer.putLong(RECEIVED_OFFSET, reply.counts().received(), ORDER);
        buffer.putLong(LEDGER_OFFSET, reply.counts().ledger(), ORDER);
        final int count = MemberListDescriptor.encode(buffer, MEMBER_LIST_OFFSET, APP_DATA_OFFSET, members);
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
        return MemberListDescriptor.validate(
                buffer, offset + MEMBER_LIST_OFFSET, offset + APP_DATA_OFFSET,
                buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF);
    }

    /** Reads a record that {@link #validate} found OK. */
    public static ReplyRecord decode(final DirectBuffer buffer, final int offset) {
        final byte[] data = new byte[buffer.getByte(offset + APP_LENGTH_OFFSET) & 0xFF];
        buffer.getBytes(offset + APP_DATA_OFFSET, data);
        return new ReplyRecord(
                SenderDescriptor.member(buffer, offset + SENDER_OFFSET),
                buffer.getLong(offset + INSTANCE_OFFSET, ORDER),
                new RecoveryReply(
                        SessionIdDescriptor.decode(buffer, offset + SESSION_OFFSET),
                        SenderDescriptor.qpNum(buffer, offset + SENDER_OFFSET),
                        buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                        new ReceiverCounts(
                                buffer.getLong(offset + RECEIVED_OFFSET, ORDER),
                                buffer.getLong(offset + LEDGER_OFFSET, ORDER))),
                MemberListDescriptor.decode(
                        buffer, offset + MEMBER_LIST_OFFSET, buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF),
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
