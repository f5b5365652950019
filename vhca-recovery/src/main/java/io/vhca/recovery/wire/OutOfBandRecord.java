package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The record in the REQ for a vQP that modifyQp alone brought up. It names the bond of the sender, which the receiver
 * cannot know before, and leaves out the ledger word: the receiver reads 0, by which no WR counts as executed. {@link
 * RequestDescriptor} has its layout.
 *
 * @param sender the member that the REQ is sent from
 * @param instance the sender's bond instance id
 * @param request OOB
 */
public record OutOfBandRecord(MemberId sender, long instance, RecoveryRequest request) {
    /** Throws IllegalArgumentException for a type that does not belong here. */
    public OutOfBandRecord {
        if (request.type() != RecordType.OOB) {
            throw new IllegalArgumentException("an OutOfBandRecord is OOB, not " + request.type());
        }
    }

    /** The record as private data. */
    public byte[] encode() {
        final MutableDirectBuffer buffer = RequestDescriptor.encode(sender, request);
        buffer.putLong(RequestDescriptor.INSTANCE_OFFSET, instance, ORDER);
        return buffer.byteArray();
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        return PrefixDescriptor.type(buffer, offset) == RecordType.OOB
                ? RequestDescriptor.validate(buffer, offset, length)
                : DecodeResult.BAD_TYPE;
    }

    /** Reads a record that {@link #validate} found OK. */
    public static OutOfBandRecord decode(final DirectBuffer buffer, final int offset) {
        return new OutOfBandRecord(
                SenderDescriptor.member(buffer, offset + RequestDescriptor.SENDER_OFFSET),
                buffer.getLong(offset + RequestDescriptor.INSTANCE_OFFSET, ORDER),
                RequestDescriptor.decode(buffer, offset, 0));
    }
}
