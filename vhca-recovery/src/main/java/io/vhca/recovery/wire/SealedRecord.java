package io.vhca.recovery.wire;

import static io.vhca.recovery.wire.PrefixDescriptor.ORDER;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How records look between bonds that have a key: the type is marked, and a proof of 16 bytes stands where the session
 * stands without one. Static functions of bytes; what is signed says {@code io.vhca.recovery.proof.Seal}.
 *
 * <pre>
 *                    proof at
 *   FIRST, CONTROL   24        behind the header, before application data of at most 16 bytes; the header's session is
 *                              a name that both ends make the session of
 *   RECOVER, CLOSE,   8        the session's 16 bytes; what was reserved before the reason is a hint at the session
 *   STANDBY, CHANNEL
 *   OOB               8        the first 8 bytes of the session, which are the instance of the side that made it: the
 *                              sender's, which stands at the end, or the receiver's own
 *   REPLY             4        the session's 16 bytes
 *   REJECT            8        the session's 16 bytes
 * </pre>
 */
public final class SealedRecord {
    /** Bytes of a proof. */
    public static final int PROOF_SIZE = SessionIdDescriptor.SIZE;

    /** What the application may send along in a REQ. */
    public static final int MAX_APPLICATION_DATA = ConnectDescriptor.MAX_APPLICATION_DATA - PROOF_SIZE;

    private static final int MARK = 0x80;

    // Here and not in the Descriptor: a class of constants alone is never initialised.
    static {
        PrefixDescriptor.checkSize("application data of a REQ with a proof", MAX_APPLICATION_DATA, 16);
    }

    private SealedRecord() {}

    /** The type of a record that carries a proof, as far as its prefix tells and its length allows; else null. */
    public static @Nullable RecordType type(final byte[] data) {
        if (data.length < PrefixDescriptor.SIZE || (data[PrefixDescriptor.TYPE_OFFSET] & MARK) == 0) {
            return null;
        }
        final byte[] prefix = Arrays.copyOf(data, PrefixDescriptor.SIZE);
        unmark(prefix);
        final UnsafeBuffer buffer = new UnsafeBuffer(prefix);
        if (PrefixDescriptor.validate(buffer, 0, prefix.length) != DecodeResult.OK) {
            return null;
        }
        final RecordType type = PrefixDescriptor.type(buffer, 0);
        return data.length >= size(type) ? type : null;
    }

    /** Whether bytes without a mark are a REQ that a bond with a key takes with a proof only. */
    public static boolean needsProof(final byte[] data) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        return PrefixDescriptor.validate(buffer, 0, data.length) == DecodeResult.OK
                && switch (PrefixDescriptor.type(buffer, 0)) {
                    case FIRST, CONTROL, RECOVER, CLOSE, STANDBY, CHANNEL, OOB -> true;
                    case REPLY, REJECT, PROBE, DATAGRAM -> false;
                };
    }

    /** The least bytes of a record with a proof. */
    private static int size(final RecordType type) {
        return switch (type) {
            case FIRST, CONTROL -> ConnectDescriptor.SIZE + PROOF_SIZE;
            case RECOVER, CLOSE, STANDBY, CHANNEL, OOB -> RequestDescriptor.SIZE;
            case REPLY -> ReplyDescriptor.APP_DATA_OFFSET;
            case REJECT -> RejectDescriptor.APP_DATA_OFFSET;
            case PROBE, DATAGRAM -> Integer.MAX_VALUE;
        };
    }

    private static int proofOffset(final RecordType type) {
        return switch (type) {
            case FIRST, CONTROL -> ConnectDescriptor.SIZE;
            case RECOVER, CLOSE, STANDBY, CHANNEL, OOB -> RequestDescriptor.SESSION_OFFSET;
            case REPLY -> ReplyDescriptor.SESSION_OFFSET;
            case REJECT -> RejectDescriptor.SESSION_OFFSET;
            case PROBE, DATAGRAM -> throw new IllegalArgumentException(type + " carries no proof");
        };
    }

    private static int proofSize(final RecordType type) {
        return type == RecordType.OOB ? Long.BYTES : PROOF_SIZE;
    }

    /** Marks a record: a proof comes into it. */
    public static void mark(final byte[] data) {
        data[PrefixDescriptor.TYPE_OFFSET] |= (byte) MARK;
    }

    /** Takes the mark away: what is left is the record as without a key. */
    public static void unmark(final byte[] data) {
        data[PrefixDescriptor.TYPE_OFFSET] &= (byte) ~MARK;
    }

    /** The proof in a record of that type. */
    public static byte[] proof(final RecordType type, final byte[] data) {
        return Arrays.copyOfRange(data, proofOffset(type), proofOffset(type) + proofSize(type));
    }

    /** Puts a proof, or what stands in its place, into a record of that type; what is too long for it is left out. */
    public static void putProof(final RecordType type, final byte[] data, final byte[] proof) {
        System.arraycopy(proof, 0, data, proofOffset(type), proofSize(type));
    }

    /** The session in the REQ of a session, without a proof. */
    public static SessionId session(final byte[] request) {
        return SessionIdDescriptor.decode(new UnsafeBuffer(request), RequestDescriptor.SESSION_OFFSET);
    }

    /** Tells sessions of one vQP apart, for the most part, and nothing of what they are. */
    public static int hint(final SessionId session) {
        return session.tag() & 0xFFFF;
    }

    /** The hint in a RECOVER or CLOSE. */
    public static int hint(final byte[] request) {
        return new UnsafeBuffer(request).getShort(RequestDescriptor.RESERVED_OFFSET, ORDER) & 0xFFFF;
    }

    /** Puts the hint into a RECOVER or CLOSE; 0 as long as there is none. */
    public static void putHint(final byte[] request, final int hint) {
        new UnsafeBuffer(request).putShort(RequestDescriptor.RESERVED_OFFSET, (short) hint, ORDER);
    }

    /** The vQPN that a RECOVER or CLOSE asks for. */
    public static int targetQpNum(final byte[] request) {
        return new UnsafeBuffer(request).getInt(RequestDescriptor.TARGET_OFFSET, ORDER);
    }

    /** Whether foreign bytes look like a RECOVER that asks for that vQPN, with a proof or without. */
    public static boolean isRecoverOf(final byte[] data, final int qpNum) {
        return data.length >= RequestDescriptor.SIZE
                && (data[PrefixDescriptor.TYPE_OFFSET] & ~MARK & 0xFF) == RecordType.RECOVER.code()
                && targetQpNum(data) == qpNum;
    }

    /** The instance of the sender of an OOB. */
    public static long instance(final byte[] request) {
        return new UnsafeBuffer(request).getLong(RequestDescriptor.INSTANCE_OFFSET, ORDER);
    }

    /** The record of a REP or a REJ without what rdma_cm fills it up with; null where that cannot be. */
    public static byte @Nullable [] trimmed(final RecordType type, final byte[] answer) {
        final int length = type == RecordType.REPLY
                ? ReplyDescriptor.APP_DATA_OFFSET + (answer[ReplyDescriptor.APP_LENGTH_OFFSET] & 0xFF)
                : RejectDescriptor.APP_DATA_OFFSET + (answer[RejectDescriptor.APP_LENGTH_OFFSET] & 0xFF);
        return length <= answer.length ? Arrays.copyOf(answer, length) : null;
    }

    /** A FIRST or CONTROL with room for the proof behind its header. */
    public static byte[] spread(final byte[] plain) {
        if (plain.length - ConnectDescriptor.SIZE > MAX_APPLICATION_DATA) {
            throw new IllegalArgumentException("private data of " + (plain.length - ConnectDescriptor.SIZE)
                    + " bytes, at most " + MAX_APPLICATION_DATA + " fit beside the bond's header and its proof");
        }
        final byte[] data = Arrays.copyOf(plain, plain.length + PROOF_SIZE);
        final int behind = ConnectDescriptor.SIZE + PROOF_SIZE;
        System.arraycopy(plain, ConnectDescriptor.SIZE, data, behind, plain.length - ConnectDescriptor.SIZE);
        return data;
    }

    /** The reverse of {@link #spread}. */
    public static byte[] joined(final byte[] spread) {
        final int behind = ConnectDescriptor.SIZE + PROOF_SIZE;
        final byte[] plain = Arrays.copyOf(spread, spread.length - PROOF_SIZE);
        System.arraycopy(spread, behind, plain, ConnectDescriptor.SIZE, spread.length - behind);
        return plain;
    }
}
