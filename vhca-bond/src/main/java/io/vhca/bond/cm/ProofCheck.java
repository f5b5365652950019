package io.vhca.bond.cm;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.Proofs;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Sessions;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.Endpoints;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.TrailingHeader;
import java.util.List;
import java.util.function.IntPredicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Judges the proof of a REQ before anything else looks at it: of a bond with a key, what does not prove to come from
 * another bond with that key is refused here, and what does is handed on as without one. Control lock.
 */
final class ProofCheck {
    private final BondCore core;
    private final Sessions sessions;
    private final PendingAccepts accepts;
    private final IntPredicate isAskedHere;

    /** @param isAskedHere whether a bond asks here for the vQP of that number */
    ProofCheck(
            final BondCore core, final Sessions sessions, final PendingAccepts accepts,
            final IntPredicate isAskedHere) {
        this.core = core;
        this.sessions = sessions;
        this.accepts = accepts;
        this.isAskedHere = isAskedHere;
    }

    /**
     * The record of a REQ as without a key, and the link signs its answer; null where it was refused: that is counted
     * and answered.
     */
    byte @Nullable [] open(final PathLink link, final byte[] data) {
        assert core.holdsLock();
        final Proofs proofs = core.proofs();
        final RecordType type = SealedRecord.type(data);
        if (type == null) {
            if (!proofs.isOn() || !SealedRecord.needsProof(data)) {
                return data;
            }
            return refuse(link, Counter.REQ_NO_PROOF, RejectCode.KEY_REQUIRED);
        }
        if (!proofs.isOn()) {
            return refuse(link, Counter.REQ_NO_KEY, RejectCode.NO_KEY);
        }
        final List<AuthKey> keys = proofs.keysOf(link.remote());
        final Endpoints endpoints = new Endpoints(link.remote(), link.local());
        return switch (type) {
            case FIRST, CONTROL -> openOpening(link, data, keys, endpoints);
            case RECOVER, CLOSE, STANDBY, CHANNEL -> openOfSession(link, data, keys, endpoints);
            case OOB -> openOutOfBand(link, data, keys, endpoints);
            case REPLY, REJECT, PROBE, DATAGRAM -> data;
        };
    }

    /**
     * Whether the REQ at an application's port is that of a peer without the bond, and such are served: it has no
     * bond's mark, neither in front nor behind. Whatever has one is a bond's and judged as such, so that nobody makes a
     * plain peer of a bond whose record does not hold.
     */
    boolean isPlain(final byte[] sent) {
        return core.servesPlainPeers()
                && core.wireVersion() == PrefixDescriptor.VERSION
                && !TrailingHeader.isOfBond(sent)
                && turnedBack(sent) == sent;
    }

    /** With the header in front; the same array where it is not behind. */
    private byte[] turnedBack(final byte[] sent) {
        if (core.wireVersion() < PrefixDescriptor.VERSION || TrailingHeader.isOfBond(sent)) {
            return sent;
        }
        final byte[] first = TrailingHeader.turnedBack(sent);
        return first == null ? sent : first;
    }

    /** The same at the port of an application, for which nothing but a FIRST is meant. */
    byte @Nullable [] openFirst(final PathLink link, final byte[] sent) {
        final byte[] turned = turnedBack(sent);
        link.asked(turned);
        final byte[] data = open(link, turned);
        if (data == null) {
            return null;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        DecodeResult verdict = ConnectHeader.validate(buffer, 0, data.length);
        if (verdict == DecodeResult.OK && ConnectHeader.decode(buffer, 0).type() != RecordType.FIRST) {
            verdict = DecodeResult.BAD_TYPE;
        }
        if (verdict != DecodeResult.OK) {
            // A peer without the bond, or garbage: refused, because nothing could be promised to it.
            core.counters().badRequest(verdict);
            return reject(link, BondCounters.rejectCode(verdict), new byte[0]);
        }
        return data;
    }

    private byte @Nullable [] openOfSession(
            final PathLink link, final byte[] data, final List<AuthKey> keys, final Endpoints endpoints) {
        final SessionId named = sessions.find(SealedRecord.targetQpNum(data), SealedRecord.hint(data));
        if (named == null) {
            core.counters().add(Counter.REQ_UNKNOWN_SESSION, 1);
            // Who is asked for another bond's was led here: that it has no such session ends none of that one's.
            final AuthKey key = core.proofs().strangersKey(link.remote());
            if (key != null && isAskedHere.test(SealedRecord.targetQpNum(data))) {
                link.seal(Seal.ofStranger(key, data, endpoints));
            }
            return reject(link, RejectCode.UNKNOWN_SESSION, new byte[0]);
        }
        for (final AuthKey key : keys) {
            final Seal.Opened opened = Seal.open(key, data, named, endpoints);
            if (opened != null) {
                return proven(link, opened);
            }
        }
        return refuse(link, Counter.REQ_BAD_PROOF, RejectCode.BAD_PROOF);
    }

    /** The side that asks has made the session; or this one has, and its peer asks again what it was asked first. */
    private byte @Nullable [] openOutOfBand(
            final PathLink link, final byte[] data, final List<AuthKey> keys, final Endpoints endpoints) {
        final SessionId own = new SessionId(core.instance(), SealedRecord.session(data).lo());
        for (final AuthKey key : keys) {
            final Seal.Opened theirs = Seal.openOutOfBand(key, data, endpoints);
            final Seal.Opened opened = theirs != null ? theirs : Seal.open(key, data, own, endpoints);
            if (opened != null) {
                return proven(link, opened);
            }
        }
        return refuse(link, Counter.REQ_BAD_PROOF, RejectCode.BAD_PROOF);
    }

    private byte @Nullable [] openOpening(
            final PathLink link, final byte[] data, final List<AuthKey> keys, final Endpoints endpoints) {
        final long asking = ConnectHeader.name(data).hi();
        final byte[] nonce = core.proofs().nonceFor(asking);
        for (final AuthKey key : keys) {
            final Seal.Opened opened = Seal.openFirst(key, data, nonce, endpoints);
            if (opened != null) {
                return openNew(link, opened);
            }
        }
        for (final AuthKey key : keys) {
            final Seal.Opened opened = Seal.openFirst(key, data, null, endpoints);
            if (opened != null) {
                core.counters().add(Counter.REQ_CHALLENGED, 1);
                link.seal(opened.seal());
                return reject(link, RejectCode.CHALLENGE, nonce);
            }
        }
        return refuse(link, Counter.REQ_BAD_PROOF, RejectCode.BAD_PROOF);
    }

    /** One that is repeated while its connection is being made is the peer's, by another path; who knows it, judges. */
    private byte @Nullable [] openNew(final PathLink link, final Seal.Opened opened) {
        final SessionId session = opened.seal().session();
        link.seal(opened.seal());
        if (accepts.find(session) == null
                && !sessions.isKnown(session)
                && core.proofs().wasTaken(ConnectHeader.name(opened.data()))) {
            core.counters().refused(Counter.REQ_REPLAYED, link.remote());
            return reject(link, RejectCode.STALE_EPOCH, new byte[0]);
        }
        return opened.data();
    }

    private static byte[] proven(final PathLink link, final Seal.Opened opened) {
        link.seal(opened.seal());
        return opened.data();
    }

    private byte @Nullable [] refuse(final PathLink link, final Counter why, final RejectCode code) {
        core.counters().refused(why, link.remote());
        return reject(link, code, new byte[0]);
    }

    private static byte @Nullable [] reject(final PathLink link, final RejectCode code, final byte[] data) {
        link.reject(new RejectRecord(code, SessionId.NONE, 0, data).encode());
        return null;
    }
}
