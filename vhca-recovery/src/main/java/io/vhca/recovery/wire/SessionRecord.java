package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The record in the REQ that recovers or closes a vQP, or makes what stands by for that; {@link RequestDescriptor} has
 * its layout.
 *
 * @param sender the member that the REQ is sent from
 * @param request RECOVER, CLOSE, STANDBY or CHANNEL
 */
public record SessionRecord(MemberId sender, RecoveryRequest request) {
    /** Throws IllegalArgumentException for a type that does not belong here. */
    public SessionRecord {
        if (!belongs(request.type())) {
            throw new IllegalArgumentException(
                    "a SessionRecord is RECOVER, CLOSE, STANDBY or CHANNEL, not " + request.type());
        }
    }

    static boolean belongs(final RecordType type) {
        return switch (type) {
            case RECOVER, CLOSE, STANDBY, CHANNEL -> true;
            case FIRST, OOB, CONTROL, REPLY, REJECT, PROBE, DATAGRAM -> false;
        };
    }

    /** The record as private data. */
    public byte[] encode() {
        final MutableDirectBuffer buffer = RequestDescriptor.encode(sender, request);
        buffer.putLong(RequestDescriptor.LEDGER_OFFSET, request.counts().ledger(), ORDER);
        return buffer.byteArray();
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        return belongs(PrefixDescriptor.type(buffer, offset))
                ? RequestDescriptor.validate(buffer, offset, length)
                : DecodeResult.BAD_TYPE;
    }

    /** Reads a record that {@link #validate} found OK. */
    public static SessionRecord decode(final DirectBuffer buffer, final int offset) {
        final long ledger = buffer.getLong(offset + RequestDescriptor.LEDGER_OFFSET, ORDER);
        return new SessionRecord(
                SenderDescriptor.member(buffer, offset + RequestDescriptor.SENDER_OFFSET),
                RequestDescriptor.decode(buffer, offset, ledger));
    }
}
