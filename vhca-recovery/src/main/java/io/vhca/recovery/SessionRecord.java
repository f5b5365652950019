package io.vhca.recovery;

import static io.vhca.recovery.PrefixDescriptor.ORDER;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The record in the REQ that recovers, closes or (out of band) first connects a vQP: exactly what rdma_cm leaves in a
 * REQ.
 *
 * <pre>
 *   0        4          6        8            16           24            28
 *   | prefix | reserved | reason | session hi | session lo | sender vQPN | target vQPN |
 *   32      36         40         48       56
 *   | epoch | patience | received | ledger |
 * </pre>
 *
 * @param type RECOVER, CLOSE or OOB
 * @param reason code of the {@link FailureReason} that the sender saw
 * @param session the vQP's session
 * @param senderQpNum the sender's vQPN
 * @param targetQpNum the vQPN asked for
 * @param epoch the attempt, unsigned
 * @param patienceUs how long the sender waits for an answer, in microseconds, unsigned; 0 where it does not say
 * @param received messages consumed from the sender's vRQ since the vQP was born, frozen
 * @param ledger the sender's ledger word, frozen
 */
public record SessionRecord(
        RecordType type,
        int reason,
        SessionId session,
        int senderQpNum,
        int targetQpNum,
        int epoch,
        int patienceUs,
        long received,
        long ledger) {
    static final int RESERVED_OFFSET = PrefixDescriptor.SIZE;
    static final int REASON_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int SESSION_HI_OFFSET = REASON_OFFSET + Short.BYTES;
    static final int SESSION_LO_OFFSET = SESSION_HI_OFFSET + Long.BYTES;
    static final int SENDER_OFFSET = SESSION_LO_OFFSET + Long.BYTES;
    static final int TARGET_OFFSET = SENDER_OFFSET + Integer.BYTES;
    static final int EPOCH_OFFSET = TARGET_OFFSET + Integer.BYTES;
    static final int PATIENCE_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int RECEIVED_OFFSET = PATIENCE_OFFSET + Integer.BYTES;
    static final int LEDGER_OFFSET = RECEIVED_OFFSET + Long.BYTES;

    private static final long US = 1_000;
    private static final long MAX_PATIENCE_US = 0xFFFF_FFFFL;

    /** Bytes of the record. */
    public static final int SIZE = LEDGER_OFFSET + Long.BYTES;

    static {
        PrefixDescriptor.checkSize("SessionRecord", SIZE, PrefixDescriptor.MAX_REQ_SIZE);
    }

    /** Throws IllegalArgumentException for a type that does not belong here. */
    public SessionRecord {
        if (!belongs(type)) {
            throw new IllegalArgumentException("a SessionRecord is RECOVER, CLOSE or OOB, not " + type);
        }
    }

    /** The same record with another word for the sender's vQPN; the bond puts the member that speaks beside it. */
    public SessionRecord withSender(final int qpNum) {
        return new SessionRecord(type, reason, session, qpNum, targetQpNum, epoch, patienceUs, received, ledger);
    }

    /** The same record with another ledger word; an OOB record carries the sender's bond instance there. */
    public SessionRecord withLedger(final long word) {
        return new SessionRecord(type, reason, session, senderQpNum, targetQpNum, epoch, patienceUs, received, word);
    }

    /**
     * How long the side that is asked may drain before it answers: half of what the sender waits, as each way takes
     * time too.
     *
     * @param longestNs what it would take otherwise
     */
    public long drainNs(final long longestNs) {
        return patienceUs == 0 ? longestNs : Math.min(longestNs, Integer.toUnsignedLong(patienceUs) * US / 2);
    }

    /** The same record, from somebody who waits that long for the answer. */
    public SessionRecord withPatience(final long waitNs) {
        final int us = (int) Math.clamp(waitNs / US, 1, MAX_PATIENCE_US);
        return new SessionRecord(type, reason, session, senderQpNum, targetQpNum, epoch, us, received, ledger);
    }

    private static boolean belongs(final RecordType type) {
        return type == RecordType.RECOVER || type == RecordType.CLOSE || type == RecordType.OOB;
    }

    /** Writes the record. */
    public void encode(final MutableDirectBuffer buffer, final int offset) {
        PrefixDescriptor.encode(buffer, offset, type);
        buffer.putShort(offset + RESERVED_OFFSET, (short) 0, ORDER);
        buffer.putShort(offset + REASON_OFFSET, (short) reason, ORDER);
        buffer.putLong(offset + SESSION_HI_OFFSET, session.hi(), ORDER);
        buffer.putLong(offset + SESSION_LO_OFFSET, session.lo(), ORDER);
        buffer.putInt(offset + SENDER_OFFSET, senderQpNum, ORDER);
        buffer.putInt(offset + TARGET_OFFSET, targetQpNum, ORDER);
        buffer.putInt(offset + EPOCH_OFFSET, epoch, ORDER);
        buffer.putInt(offset + PATIENCE_OFFSET, patienceUs, ORDER);
        buffer.putLong(offset + RECEIVED_OFFSET, received, ORDER);
        buffer.putLong(offset + LEDGER_OFFSET, ledger, ORDER);
    }

    /** The record as private data. */
    public byte[] encode() {
        final byte[] bytes = new byte[SIZE];
        encode(new UnsafeBuffer(bytes), 0);
        return bytes;
    }

    /** Judges foreign bytes; never throws. */
    public static DecodeResult validate(final DirectBuffer buffer, final int offset, final int length) {
        final DecodeResult prefix = PrefixDescriptor.validate(buffer, offset, length);
        if (prefix != DecodeResult.OK) {
            return prefix;
        }
        if (!belongs(PrefixDescriptor.type(buffer, offset))) {
            return DecodeResult.BAD_TYPE;
        }
        if (length < SIZE) {
            return DecodeResult.BAD_LENGTH;
        }
        return buffer.getLong(offset + RECEIVED_OFFSET, ORDER) < 0 ? DecodeResult.BAD_FIELD : DecodeResult.OK;
    }

    /** Reads a record that {@link #validate} found OK. */
    public static SessionRecord decode(final DirectBuffer buffer, final int offset) {
        return new SessionRecord(
                PrefixDescriptor.type(buffer, offset),
                buffer.getShort(offset + REASON_OFFSET, ORDER) & 0xFFFF,
                new SessionId(buffer.getLong(offset + SESSION_HI_OFFSET, ORDER),
                        buffer.getLong(offset + SESSION_LO_OFFSET, ORDER)),
                buffer.getInt(offset + SENDER_OFFSET, ORDER),
                buffer.getInt(offset + TARGET_OFFSET, ORDER),
                buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                buffer.getInt(offset + PATIENCE_OFFSET, ORDER),
                buffer.getLong(offset + RECEIVED_OFFSET, ORDER),
                buffer.getLong(offset + LEDGER_OFFSET, ORDER));
    }
}
