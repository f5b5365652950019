package io.vhca.bond.link;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.TrailingHeader;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** How answers of one {@link PathLink} are written and signed, those sent and those that arrive. Control lock. */
final class LinkProof {
    private final BondCore core;
    private @Nullable Seal seal;
    private Agreement agreement = Agreement.LEAST;

    LinkProof(final BondCore core) {
        this.core = core;
    }

    void seal(final @Nullable Seal proof) {
        assert core.holdsLock();
        seal = proof;
    }

    /** The session that a REQ of that name opens: the same without a key. */
    SessionId sessionOf(final SessionId name) {
        return seal == null ? name : seal.session();
    }

    /** A REQ's private data says what its sender understands. */
    void asked(final byte[] sent) {
        agreement = Agreement.asked(core.wireVersion(), sent);
    }

    Agreement agreement() {
        return agreement;
    }

    /** An answer in a version that the asking side knows, so that a proof holds of all that it reads. */
    byte[] written(final byte[] answer) {
        return Agreement.write(answer, Math.min(core.wireVersion(), agreement.version()));
    }

    byte[] signed(final byte[] answer) {
        return seal == null ? written(answer) : seal.answer(written(answer));
    }

    /**
     * An answer as without a key; null where it proves nothing. That the keys are not the same is believed of anybody:
     * nothing follows from it that silence would not lead to.
     *
     * @param takesPlain whether it may be that of a peer without the bond
     */
    byte @Nullable [] opened(final byte[] answer, final boolean takesPlain, final InetAddress from) {
        if (seal == null || answer.length == 0 || takesPlain && !TrailingHeader.isOfBond(answer)) {
            return answer;
        }
        final byte[] plain = seal.open(answer);
        if (plain == null) {
            final RejectRecord record = RejectRecord.read(answer);
            if (record != null && (record.code().isOfKeys() || takesPlain && mayAskAgain(record))) {
                return answer;
            }
            core.counters().refused(BondCounters.Counter.ANSWER_BAD_PROOF, from);
        }
        return plain;
    }

    /** Of a bond that looks for the header in front alone: it is asked again so, and nothing else follows. */
    private static boolean mayAskAgain(final RejectRecord record) {
        return record.code() == RejectCode.GARBAGE;
    }
}
