package io.vhca.recovery.wire;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Header in the private data of a vQP's first REQ; the application's own private data follows it up to the end (as in
 * rdma_cm, the receiver may see it padded with zeros). {@link ConnectDescriptor} has the layout.
 *
 * @param type {@link RecordType#FIRST}, {@link RecordType#CONTROL} or {@link RecordType#PROBE}
 * @param session the new session
 * @param sender the member that the REQ is sent from
 * @param vQpNum the initiator's vQPN
 */
public record ConnectHeader(RecordType type, SessionId session, MemberId sender, int vQpNum) {
    /** Bytes of the header. */
    public static final int SIZE = ConnectDescriptor.SIZE;

    /** What the application may send along. */
    public static final int MAX_APPLICATION_DATA = ConnectDescriptor.MAX_APPLICATION_DATA;

    /** The same where a proof follows the header. */
    public static final int MAX_APPLICATION_DATA_WITH_PROOF = SealedRecord.MAX_APPLICATION_DATA;

    // Here and not in the Descriptor: a class of constants alone is never initialised.
    static {
        PrefixDescriptor.checkSize("ConnectHeader", SIZE, 24);
        PrefixDescriptor.checkSize("application data of a REQ", MAX_APPLICATION_DATA, 32);
    }

    /** Throws IllegalArgumentException for a type that is neither FIRST nor CONTROL nor PROBE. */
    public ConnectHeader {
        if (!belongs(type)) {
            throw new IllegalArgumentException("a ConnectHeader is FIRST, CONTROL or PROBE, not " + type);
        }
    }

    private static boolean belongs(final RecordType type) {
        return type == RecordType.FIRST || type == RecordType.CONTROL || type == RecordType.PROBE;
    }

    /** Writes the header. */
    public void encode(final MutableDirectBuffer buffer, final int offset) {
        PrefixDescriptor.encode(buffer, offset, type);
        SessionIdDescriptor.encode(buffer, offset + ConnectDescriptor.SESSION_OFFSET, session);
        SenderDescriptor.encode(buffer, offset + ConnectDescriptor.SENDER_OFFSET, sender, vQpNum);
    }

    /**
     * Header and application data in one array; throws IllegalArgumentException above {@link #MAX_APPLICATION_DATA}
     * bytes.
     */
    public byte[] encode(final byte[] applicationData) {
        if (applicationData.length > MAX_APPLICATION_DATA) {
            throw new IllegalArgumentException("private data of " + applicationData.length + " bytes, at most "
                    + MAX_APPLICATION_DATA
                    + " fit beside the bond's header");
        }
        final byte[] bytes = new byte[SIZE + applicationData.length];
        encode(new UnsafeBuffer(bytes), 0);
        System.arraycopy(applicationData, 0, bytes, SIZE, applicationData.length);
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
        return length >= SIZE ? DecodeResult.OK : DecodeResult.BAD_LENGTH;
    }

    /** The session in a header's bytes, which with a key is the name that the sender's bond gives. */
    public static SessionId name(final byte[] header) {
        return SessionIdDescriptor.decode(new UnsafeBuffer(header), ConnectDescriptor.SESSION_OFFSET);
    }

    /** Reads a header that {@link #validate} found OK. */
    public static ConnectHeader decode(final DirectBuffer buffer, final int offset) {
        return new ConnectHeader(
                PrefixDescriptor.type(buffer, offset),
                SessionIdDescriptor.decode(buffer, offset + ConnectDescriptor.SESSION_OFFSET),
                SenderDescriptor.member(buffer, offset + ConnectDescriptor.SENDER_OFFSET),
                SenderDescriptor.qpNum(buffer, offset + ConnectDescriptor.SENDER_OFFSET));
    }
}
