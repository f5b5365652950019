package io.vhca.recovery;

import static io.vhca.recovery.PrefixDescriptor.ORDER;

import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where a vQP for datagrams lives: in a REQ that of the sender, who asks for another vQP by it; in the REJ that answers
 * that other one.
 *
 * <pre>
 *   0        4          12              16      17           20        21           24
 *   | prefix | instance | vQPN, tagged  | flags | pQPN (24)  | members | target (24) | member area
 * </pre>
 *
 * @param instance       the bond instance id of who speaks
 * @param vQpNum         the vQPN, with the member that it lives on beside it
 * @param physicalQpNum  the number of the physical queue pair on that member; 0: there is no such vQP, or not yet
 * @param flags          {@link #CALL}, {@link #LAST}, or 0
 * @param targetQpNum    the vQPN that is asked for; 0 in an answer
 * @param members        the members of the bond that speaks, the one that the vQP lives on first; what does not fit is
 *                       left out
 */
public record DatagramRecord(
        long instance, int vQpNum, int physicalQpNum, int flags, int targetQpNum, List<MemberAddress> members) {
    /** The sender has no way to where the target lives: it shall come to the member that this REQ arrives at. */
    public static final int CALL = 1;
    /** With {@link #CALL}: the sender cannot come where the target lives, all else was tried. */
    public static final int LAST = 1 << 1;

    static final int INSTANCE_OFFSET = PrefixDescriptor.SIZE;
    static final int VQP_NUM_OFFSET = INSTANCE_OFFSET + Long.BYTES;
    static final int FLAGS_OFFSET = VQP_NUM_OFFSET + Integer.BYTES;
    static final int MEMBER_COUNT_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** Bytes before the member area. */
    public static final int SIZE = MEMBER_COUNT_OFFSET + Integer.BYTES;

    private static final int MASK_24 = 0xFF_FFFF;
    private static final int BYTE_SHIFT = 24;

    static {
        PrefixDescriptor.checkSize("DatagramRecord without members", SIZE, 24);
    }

    /** The members are copied. */
    public DatagramRecord {
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

    /** The record as private data of a REJ. */
    public byte[] encodeAnswer() {
        return encode(PrefixDescriptor.MAX_REJ_SIZE);
    }

    private byte[] encode(final int most) {
        final byte[] bytes = new byte[most];
        final MutableDirectBuffer buffer = new UnsafeBuffer(bytes);
        PrefixDescriptor.encode(buffer, 0, RecordType.DATAGRAM);
        buffer.putLong(INSTANCE_OFFSET, instance, ORDER);
        buffer.putInt(VQP_NUM_OFFSET, vQpNum, ORDER);
        buffer.putInt(FLAGS_OFFSET, flags << BYTE_SHIFT | physicalQpNum & MASK_24, ORDER);
        final int count = MemberArea.encode(buffer, SIZE, most, members);
        buffer.putInt(MEMBER_COUNT_OFFSET, count << BYTE_SHIFT | targetQpNum & MASK_24, ORDER);
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
        return MemberArea.validate(
                buffer, offset + SIZE, offset + length, buffer.getByte(offset + MEMBER_COUNT_OFFSET) & 0xFF);
    }

    /** Reads a record that {@link #validate} found OK. */
    public static DatagramRecord decode(final DirectBuffer buffer, final int offset) {
        final int physical = buffer.getInt(offset + FLAGS_OFFSET, ORDER);
        final int target = buffer.getInt(offset + MEMBER_COUNT_OFFSET, ORDER);
        return new DatagramRecord(
                buffer.getLong(offset + INSTANCE_OFFSET, ORDER),
                buffer.getInt(offset + VQP_NUM_OFFSET, ORDER),
                physical & MASK_24,
                physical >>> BYTE_SHIFT,
                target & MASK_24,
                MemberArea.decode(buffer, offset + SIZE, target >>> BYTE_SHIFT));
    }
}
