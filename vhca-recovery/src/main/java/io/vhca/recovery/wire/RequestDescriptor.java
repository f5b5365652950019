package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Layout of a {@link RecoveryRequest} in a REQ: exactly what rdma_cm leaves there. The last word is the ledger in a
 * {@link SessionRecord}, and the bond's instance in an {@link OutOfBandRecord}.
 *
 * <pre>
 *   0        4          6        8         24             28
 *   | prefix | reserved | reason | session | sender, vQPN | target vQPN |
 *   32      36               40         48                   56
 *   | epoch | answer timeout | received | ledger or instance |
 * </pre>
 */
final class RequestDescriptor {
    static final int RESERVED_OFFSET = PrefixDescriptor.SIZE;
    static final int REASON_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int SESSION_OFFSET = REASON_OFFSET + Short.BYTES;
    static final int SENDER_OFFSET = SESSION_OFFSET + SessionIdDescriptor.SIZE;
    static final int TARGET_OFFSET = SENDER_OFFSET + SenderDescriptor.SIZE;
    static final int EPOCH_OFFSET = TARGET_OFFSET + Integer.BYTES;
    static final int ANSWER_TIMEOUT_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int RECEIVED_OFFSET = ANSWER_TIMEOUT_OFFSET + Integer.BYTES;
    static final int LEDGER_OFFSET = RECEIVED_OFFSET + Long.BYTES;
    static final int INSTANCE_OFFSET = RECEIVED_OFFSET + Long.BYTES;

    /** Bytes of either record. */
    static final int SIZE = LEDGER_OFFSET + Long.BYTES;

    static {
        PrefixDescriptor.checkSize("SessionRecord", SIZE, PrefixDescriptor.MAX_REQ_SIZE);
        PrefixDescriptor.checkSize("OutOfBandRecord", INSTANCE_OFFSET + Long.BYTES, PrefixDescriptor.MAX_REQ_SIZE);
    }

    private RequestDescriptor() {}

    /** A record, but for its last word. */
    static MutableDirectBuffer encode(final MemberId sender, final RecoveryRequest request) {
        final MutableDirectBuffer buffer = new UnsafeBuffer(new byte[SIZE]);
        PrefixDescriptor.encode(buffer, 0, request.type());
        buffer.putShort(REASON_OFFSET, (short) request.reason().code(), ORDER);
        SessionIdDescriptor.encode(buffer, SESSION_OFFSET, request.session());
        SenderDescriptor.encode(buffer, SENDER_OFFSET, sender, request.senderQpNum());
        buffer.putInt(TARGET_OFFSET, request.targetQpNum(), ORDER);
        buffer.putInt(EPOCH_OFFSET, request.epoch(), ORDER);
        buffer.putInt(ANSWER_TIMEOUT_OFFSET, (int) request.answerTimeoutUs(), ORDER);
        buffer.putLong(RECEIVED_OFFSET, request.counts().received(), ORDER);
        return buffer;
    }

    /** Judges foreign bytes behind a prefix that is OK; never throws. */
    static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        if (length < SIZE) {
            return DecodeResult.BAD_LENGTH;
        }
        return buffer.getLong(offset + RECEIVED_OFFSET, ORDER) < 0 ? DecodeResult.BAD_FIELD : DecodeResult.OK;
    }

    /** Reads the request of a record that {@link #validate} found OK. */
    static RecoveryRequest decode(final DirectBuffer buffer, final int offset, final long ledger) {
        return new RecoveryRequest(
                PrefixDescriptor.type(buffer, offset),
                FailureReason.fromCode(buffer.getShort(offset + REASON_OFFSET, ORDER) & 0xFFFF),
                SessionIdDescriptor.decode(buffer, offset + SESSION_OFFSET),
                SenderDescriptor.qpNum(buffer, offset + SENDER_OFFSET),
                buffer.getInt(offset + TARGET_OFFSET, ORDER),
                buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                Integer.toUnsignedLong(buffer.getInt(offset + ANSWER_TIMEOUT_OFFSET, ORDER)),
                new ReceiverCounts(buffer.getLong(offset + RECEIVED_OFFSET, ORDER), ledger));
    }
}
