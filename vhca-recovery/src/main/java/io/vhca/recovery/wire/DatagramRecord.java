package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.DatagramDescriptor.FLAGS_OFFSET;
import static io.vhca.recovery.wire.DatagramDescriptor.INSTANCE_OFFSET;
import static io.vhca.recovery.wire.DatagramDescriptor.MEMBER_COUNT_OFFSET;
import static io.vhca.recovery.wire.DatagramDescriptor.MEMBER_LIST_OFFSET;
import static io.vhca.recovery.wire.DatagramDescriptor.QP_NUM_MASK;
import static io.vhca.recovery.wire.DatagramDescriptor.SENDER_OFFSET;
import static io.vhca.recovery.wire.DatagramDescriptor.UPPER_BYTE_SHIFT;
import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a vQP for datagrams lives: in a REQ that of the sender, who asks for another vQP by it; in the REJ that answers
 * that other one. {@link DatagramDescriptor} has its layout.
 *
 * @param instance       the id of the sender's bond for datagrams
 * @param home           the member that the vQP lives on; null where there is no such vQP, or it lives on none yet
 * @param vQpNum         the vQPN
 * @param physicalQpNum  the number of the physical queue pair on that member; 0 without a home
 * @param flags          {@link #CALL}, {@link #LAST}, {@link #AGAIN}, or 0
 * @param targetQpNum    the vQPN that is asked for, or of an id without a vQP that asks its port; 0 in an answer
 * @param members        the members of the sender's bond, the home first; what does not fit is left out
 */
public record DatagramRecord(
        long instance,
        @Nullable MemberId home,
        int vQpNum,
        int physicalQpNum,
        int flags,
        int targetQpNum,
        List<MemberAddress> members) {
    /** The sender has no way to where the target lives: it shall come to the member that this REQ arrives at. */
    public static final int CALL = 1;
    /** With {@link #CALL}: the sender cannot come where the target lives, all else was tried. */
    public static final int LAST = 1 << 1;

    /** Of a service: the same id has asked before, over another path or longer ago, and had no answer yet. */
    public static final int AGAIN = 1 << 2;

    /** Bytes before the list of members. */
    public static final int SIZE = DatagramDescriptor.SIZE;

    /** On the wire where there is no home: told from a real one by the pQPN, which is 0. */
    private static final MemberId NO_MEMBER = new MemberId(0, 0);

    // Here and not in the Descriptor: a class of constants alone is never initialised.
    static {
        PrefixDescriptor.checkSize("DatagramRecord without members", SIZE, 24);
    }

    /** Throws IllegalArgumentException for a home without a pQPN, or the reverse. The members are copied. */
    public DatagramRecord {
        if (home == null != (physicalQpNum == 0)) {
            throw new IllegalArgumentException("pQPN " + physicalQpNum + " on member " + home);
        }
        members = List.copyOf(members);
    }

    /** The record, without members, and application data behind it. */
    public byte[] encodeBefore(final byte[] applicationData) {
        final byte[] bytes = Arrays.copyOf(encode(SIZE), SIZE + applicationData.length);
        System.arraycopy(applicationData, 0, bytes, SIZE, applicationData.length);
        return bytes;
    }

    /** The record as private data of a REQ. */
    public byte[] encodeRequest() {
        return encode(PrefixDescriptor.MAX_REQ_SIZE);
    }

    /** In a REQ: whether there are more members than it names, for all that is known. */
    public boolean mayLeaveOut() {
        return !MemberListDescriptor.hasRoom(SIZE, PrefixDescriptor.MAX_REQ_SIZE, members);
    }

    /** The same in a REJ. */
    public boolean answerMayLeaveOut() {
        return !MemberListDescriptor.hasRoom(SIZE, PrefixDescriptor.MAX_REJ_SIZE, members);
    }

    /** The record as private data of a REJ. */
    public byte[] encodeAnswer() {
        return encode(PrefixDescriptor.MAX_REJ_SIZE);
    }

    private byte[] encode(final int most) {
        final byte[] bytes = new byte[most];
        final MutableDirectBuffer buffer = new UnsafeBuffer(bytes);
        PrefixDescriptor.encode(buffer, 0, RecordType.DATAGRAM);
        buffer.putLong(INSTANCE_OFFSET, instance, ORDER);
        SenderDescriptor.encode(buffer, SENDER_OFFSET, home == null ? NO_MEMBER : home, vQpNum);
        buffer.putInt(FLAGS_OFFSET, flags << UPPER_BYTE_SHIFT | physicalQpNum & QP_NUM_MASK, ORDER);
        final int count = MemberListDescriptor.encode(buffer, MEMBER_LIST_OFFSET, most, members);
        buffer.putInt(MEMBER_COUNT_OFFSET, count << UPPER_BYTE_SHIFT | targetQpNum & QP_NUM_MASK, ORDER);
        return bytes;
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        if (PrefixDescriptor.type(buffer, offset) != RecordType.DATAGRAM) {
            return DecodeResult.BAD_TYPE;
        }
        if (length < SIZE) {
            return DecodeResult.BAD_LENGTH;
        }
        return MemberListDescriptor.validate(
                buffer, offset + MEMBER_LIST_OFFSET, offset + length,
                buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF);
    }

    /** Reads a record that {@link #validate} found OK. */
    public static DatagramRecord decode(final DirectBuffer buffer, final int offset) {
        final int upperFlags = buffer.getInt(offset + FLAGS_OFFSET, ORDER);
        final int upperCount = buffer.getInt(offset + MEMBER_COUNT_OFFSET, ORDER);
        final int physicalQpNum = upperFlags & QP_NUM_MASK;
        return new DatagramRecord(
                buffer.getLong(offset + INSTANCE_OFFSET, ORDER),
                physicalQpNum == 0 ? null : SenderDescriptor.member(buffer, offset + SENDER_OFFSET),
                SenderDescriptor.qpNum(buffer, offset + SENDER_OFFSET),
                physicalQpNum,
                upperFlags >>> UPPER_BYTE_SHIFT,
                upperCount & QP_NUM_MASK,
                MemberListDescriptor.decode(buffer, offset + MEMBER_LIST_OFFSET, upperCount >>> UPPER_BYTE_SHIFT));
    }
}
