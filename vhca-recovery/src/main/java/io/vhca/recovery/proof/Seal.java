package io.vhca.recovery.proof;

import io.vhca.recovery.proof.AuthKey.Purpose;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One REQ that carries a proof, and the proof of its one answer. The proof of a REQ is over all of its record, the
 * session, and where it comes from and goes to; that of an answer is over all of the REQ besides, so that it answers no
 * other.
 *
 * <p>What keeps a REQ from being used again: of a session its epoch, which a later one is past; of one that opens a
 * connection the name, which counts, and the nonce, which is of the bond that is asked ({@link #first}). Immutable but
 * for the cipher of its key; control lock.
 */
public final class Seal {
    /** In place of a nonce: the bond that is asked has not told one. */
    private static final byte[] NO_NONCE = new byte[AuthKey.PROOF_SIZE];

    private final AuthKey key;
    /** Of each of them a bond may sign that has not the session: it cannot see by which key it was asked. */
    private final List<AuthKey> ofStrangers;

    private final Endpoints endpoints;
    private final SessionId session;
    private final byte[] question;

    private Seal(final AuthKey key, final Endpoints endpoints, final SessionId session, final byte[] question) {
        this(key, List.of(key), endpoints, session, question);
    }

    private Seal(
            final AuthKey key, final List<AuthKey> ofStrangers, final Endpoints endpoints, final SessionId session,
            final byte[] question) {
        this.key = key;
        this.ofStrangers = ofStrangers;
        this.endpoints = endpoints;
        this.session = session;
        // rdma_cm may fill it up with zeros on its way.
        this.question = Arrays.copyOf(question, PrefixDescriptor.MAX_REQ_SIZE);
    }

    /**
     * A REQ and what proves its answer.
     *
     * @param data its private data
     * @param seal null where there is no key
     */
    public record Question(byte[] data, @Nullable Seal seal) {}

    /**
     * A REQ that was proven.
     *
     * @param data the record as without a key
     * @param seal what its answer is to be signed with
     */
    public record Opened(byte[] data, Seal seal) {}

    /** The session that the REQ is of, or that it opens; NONE where this end does not know it. */
    public SessionId session() {
        return session;
    }

    // ---- REQs of a session ------------------------------------------------------------------------------------------

    /**
     * Signs a RECOVER, CLOSE or OOB.
     *
     * @param plain the record as without a key, with its session
     */
    public static Question ask(final AuthKey key, final byte[] plain, final Endpoints endpoints) {
        return ask(key, List.of(key), plain, endpoints);
    }

    /**
     * The same of a bond that has several keys for the peer.
     *
     * @param all those, with the one that signs
     */
    public static Question ask(
            final AuthKey key, final List<AuthKey> all, final byte[] plain, final Endpoints endpoints) {
        final SessionId session = SealedRecord.session(plain);
        final byte[] data = plain.clone();
        SealedRecord.mark(data);
        final RecordType type = type(data);
        if (type != RecordType.OOB) {
            SealedRecord.putHint(data, SealedRecord.hint(session));
        }
        SealedRecord.putProof(type, data, key.sign(Purpose.QUESTION, endpoints.bytes(), data));
        return new Question(data, new Seal(key, all, endpoints, session, data));
    }

    /**
     * Judges a RECOVER or CLOSE.
     *
     * @param candidate the session that it would be of
     * @return null where it does not prove that
     */
    public static @Nullable Opened open(
            final AuthKey key, final byte[] data, final SessionId candidate, final Endpoints endpoints) {
        return openBy(key, data, candidate, AuthKey.bytes(candidate), endpoints);
    }

    /** Judges an OOB whose sender has made the session. */
    public static @Nullable Opened openOutOfBand(final AuthKey key, final byte[] data, final Endpoints endpoints) {
        final SessionId session = new SessionId(SealedRecord.instance(data), SealedRecord.session(data).lo());
        return openBy(key, data, session, AuthKey.bytes(session), endpoints);
    }

    private static @Nullable Opened openBy(
            final AuthKey key, final byte[] data, final SessionId session, final byte[] shown,
            final Endpoints endpoints) {
        final RecordType type = type(data);
        final byte[] question = Arrays.copyOf(data, PrefixDescriptor.MAX_REQ_SIZE);
        final byte[] proof = SealedRecord.proof(type, question);
        final byte[] plain = question.clone();
        SealedRecord.putProof(type, plain, shown);
        if (!key.verifies(proof, Purpose.QUESTION, endpoints.bytes(), plain)) {
            return null;
        }
        SealedRecord.unmark(plain);
        if (type != RecordType.OOB) {
            SealedRecord.putHint(plain, 0);
        }
        return new Opened(plain, new Seal(key, endpoints, session, question));
    }

    // ---- REQs that open a connection --------------------------------------------------------------------------------

    /**
     * Signs a FIRST or CONTROL.
     *
     * @param plain the record as without a key; its session is a name that this bond gives once
     * @param nonce what the bond that is asked has told this one to sign with; null where it has not
     */
    public static Question first(
            final AuthKey key, final byte[] plain, final byte @Nullable [] nonce, final Endpoints endpoints) {
        final byte[] data = SealedRecord.spread(plain);
        SealedRecord.mark(data);
        final byte[] known = nonce == null ? NO_NONCE : nonce;
        SealedRecord.putProof(type(data), data, key.sign(Purpose.QUESTION, signedOfFirst(data, known, endpoints)));
        return new Question(data, new Seal(key, endpoints, sessionOf(key, data, known), data));
    }

    /** Judges a FIRST or CONTROL; null where it does not prove that its sender has the key and was told the nonce. */
    public static @Nullable Opened openFirst(
            final AuthKey key, final byte[] data, final byte @Nullable [] nonce, final Endpoints endpoints) {
        final byte[] known = nonce == null ? NO_NONCE : nonce;
        final byte[] proof = SealedRecord.proof(type(data), data);
        if (!key.verifies(proof, Purpose.QUESTION, signedOfFirst(data, known, endpoints))) {
            return null;
        }
        final byte[] plain = SealedRecord.joined(data);
        SealedRecord.unmark(plain);
        return new Opened(plain, new Seal(key, endpoints, sessionOf(key, data, known), data));
    }

    private static byte[][] signedOfFirst(final byte[] data, final byte[] nonce, final Endpoints endpoints) {
        final byte[] unsigned = Arrays.copyOf(data, PrefixDescriptor.MAX_REQ_SIZE);
        SealedRecord.putProof(type(data), unsigned, new byte[AuthKey.PROOF_SIZE]);
        return new byte[][] {endpoints.bytes(), nonce, unsigned};
    }

    private static SessionId sessionOf(final AuthKey key, final byte[] data, final byte[] nonce) {
        return key.session(Purpose.SESSION, nonce, AuthKey.bytes(ConnectHeader.name(data)));
    }

    // ---- answers ----------------------------------------------------------------------------------------------------

    /** Signs a REP or a REJ. */
    public byte[] answer(final byte[] plain) {
        final byte[] data = plain.clone();
        SealedRecord.mark(data);
        SealedRecord.putProof(type(data), data, new byte[AuthKey.PROOF_SIZE]);
        final byte[] proof = session.equals(SessionId.NONE)
                ? key.sign(Purpose.STRANGERS_ANSWER, endpoints.bytes(), question, data)
                : key.sign(Purpose.ANSWER, AuthKey.bytes(session), question, data);
        SealedRecord.putProof(type(data), data, proof);
        return data;
    }

    /** What signs the answer to a REQ of a session that this bond does not have. */
    public static Seal ofStranger(final AuthKey key, final byte[] data, final Endpoints endpoints) {
        return new Seal(key, endpoints, SessionId.NONE, data);
    }

    /** The answer as without a key; null where it does not prove that it answers this REQ. */
    public byte @Nullable [] open(final byte[] answer) {
        final RecordType type = SealedRecord.type(answer);
        if (type != RecordType.REPLY && type != RecordType.REJECT) {
            return null;
        }
        final byte[] plain = SealedRecord.trimmed(type, answer);
        if (plain == null) {
            return null;
        }
        final byte[] proof = SealedRecord.proof(type, plain);
        SealedRecord.putProof(type, plain, new byte[AuthKey.PROOF_SIZE]);
        if (!key.verifies(proof, Purpose.ANSWER, AuthKey.bytes(session), question, plain)
                && (type == RecordType.REPLY || !isOfStranger(proof, plain))) {
            return null;
        }
        SealedRecord.putProof(type, plain, AuthKey.bytes(session));
        SealedRecord.unmark(plain);
        return plain;
    }

    private boolean isOfStranger(final byte[] proof, final byte[] plain) {
        return ofStrangers.stream()
                .anyMatch(one -> one.verifies(proof, Purpose.STRANGERS_ANSWER, endpoints.bytes(), question, plain));
    }

    private static RecordType type(final byte[] data) {
        final RecordType type = SealedRecord.type(data);
        if (type == null) {
            throw new IllegalArgumentException("no record that carries a proof");
        }
        return type;
    }
}
