package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.MemberListeners;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.util.function.BiFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where this bond's peers find it again: one port of 1024, whose number is in every vQPN ({@link QpNumDescriptor}), so
 * that (address, vQPN) is enough to reach a vQP. The port is {@code base_port} and the slot.
 */
public final class RecoveryListener implements MemberListeners.Target {
    private static final int BACKLOG = 1024;

    private final BondCore core;
    private final QpTable qps;
    private final Sessions sessions;
    private final PendingAccepts accepts;
    private final ControlRequests control;
    private final DatagramRequests datagrams;
    private final BiFunction<PathLink, SessionId, byte[]> probes;
    private final MemberListeners listeners;
    private final ProofCheck proofs;

    /** Takes the requests of peers that open the bonds' own connection. */
    @FunctionalInterface
    public interface ControlRequests {
        /**
         * Null where it is taken, else why not: nothing was made for it then.
         *
         * @throws VerbsException where a member has no room for it; nothing is left of it then
         */
        @Nullable Counter onConnect(PathLink request, ConnectHeader header, long nowNs);
    }

    /** Takes the questions of peers where a vQP for datagrams lives. */
    @FunctionalInterface
    public interface DatagramRequests {
        void onAsked(PathLink request, DatagramRecord record, long nowNs);
    }

    /**
     * Listens at the first slot that is free on all members.
     *
     * @param probes the REJ for who asks whether a path carries, by the link of the question and its session
     */
    public RecoveryListener(
            final CmScope scope,
            final RecoveryPort port,
            final QpTable qps,
            final ControlRequests control,
            final DatagramRequests datagrams,
            final BiFunction<PathLink, SessionId, byte[]> probes) {
        core = scope.core();
        sessions = scope.sessions();
        accepts = scope.accepts();
        proofs = new ProofCheck(core, sessions, accepts, port::isOwn);
        this.qps = qps;
        this.control = control;
        this.datagrams = datagrams;
        this.probes = probes;
        MemberListeners bound = null;
        int taken = 0;
        while (bound == null) {
            try {
                bound = MemberListeners.bind(core, scope.members(), this, CmPortSpace.TCP, port.ofSlot(taken));
            } catch (final VerbsException e) {
                if (e.errno() != Errno.EADDRINUSE || ++taken == QpNumDescriptor.SLOTS) {
                    throw e;
                }
            }
        }
        port.slot(taken);
        listeners = bound;
        try {
            listeners.listen(BACKLOG);
        } catch (final RuntimeException | Error e) {
            listeners.close(); // else its ids keep the members busy, which nobody can close then
            throw e;
        }
    }

    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] sent, final ConnectParameters parameters, final long nowNs) {
        assert core.holdsLock();
        final byte[] data = proofs.open(link, sent);
        if (data == null) {
            return;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final DecodeResult control = ConnectHeader.validate(buffer, 0, data.length);
        if (control == DecodeResult.OK) {
            final ConnectHeader header = ConnectHeader.decode(buffer, 0);
            if (header.type() == RecordType.CONTROL) {
                onControl(link, header, nowNs);
                return;
            }
            if (header.type() == RecordType.PROBE) {
                core.counters().add(Counter.REQ_QUESTION, 1);
                link.reject(probes.apply(link, header.session()));
                return;
            }
        }
        if (DatagramRecord.validate(buffer, 0, data.length) == DecodeResult.OK) {
            core.counters().add(Counter.REQ_QUESTION, 1);
            datagrams.onAsked(link, DatagramRecord.decode(buffer, 0), nowNs);
            return;
        }
        DecodeResult verdict = OutOfBandRecord.validate(buffer, 0, data.length);
        if (verdict == DecodeResult.OK) {
            onOutOfBand(link, OutOfBandRecord.decode(buffer, 0), nowNs);
            return;
        }
        if (verdict == DecodeResult.BAD_TYPE) {
            verdict = SessionRecord.validate(buffer, 0, data.length);
        }
        if (verdict != DecodeResult.OK) {
            core.counters().badRequest(verdict);
            refuse(link, BondCounters.rejectCode(verdict), SessionId.NONE);
            return;
        }
        route(link, SessionRecord.decode(buffer, 0), nowNs);
    }

    /** Who is refused is told nothing but that: not even whether the bond that it claims to be is known. */
    private void onControl(final PathLink link, final ConnectHeader header, final long nowNs) {
        final Counter why;
        try {
            why = sessions.isKnown(link.sessionOf(header.session()))
                    ? Counter.REQ_REPEATED
                    : control.onConnect(link, header, nowNs);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            refuse(link, RejectCode.NO_RESOURCES, header.session());
            return;
        }
        if (why != null) {
            core.counters().refused(why, link.remote());
            refuse(link, RejectCode.NO_RESOURCES, header.session());
        }
    }

    /** The asking side made the session: nobody here need have heard of it. */
    private void onOutOfBand(final PathLink link, final OutOfBandRecord record, final long nowNs) {
        final BondQueuePair qp = qps.byNum(record.request().targetQpNum());
        if (qp == null) {
            link.refuseUnknown(record.request().session());
        } else {
            QpRecovery.of(qp).outOfBand().onRequest(record, link, nowNs);
        }
    }

    private void route(final PathLink link, final SessionRecord record, final long nowNs) {
        final RecoveryRequest request = record.request();
        final BondQueuePair qp = qps.byNum(request.targetQpNum());
        final SessionId known = qp == null ? null : QpRecovery.of(qp).session();
        if (qp != null && known != null && known.isShownBy(request.session())) {
            QpRecovery.of(qp).onRequest(record, link, nowNs);
            return;
        }
        if (accepts.recovered(record, link, nowNs)) {
            return;
        }
        final RejectCode end = sessions.endOf(request.session());
        if (end != null) {
            refuse(link, request.type() == RecordType.CLOSE ? RejectCode.CLOSED_ACK : end, request.session());
            return;
        }
        refuse(link, judge(known, link.remote()), request.session());
    }

    /** A vQP of that number exists but not that session: forged, or for one that lived before this process. */
    private RejectCode judge(final @Nullable SessionId known, final InetAddress from) {
        if (known != null) {
            core.counters().refused(Counter.REQ_FORGED, from);
            return RejectCode.BAD_SESSION;
        }
        core.counters().add(Counter.REQ_UNKNOWN_SESSION, 1);
        return RejectCode.UNKNOWN_SESSION;
    }

    private static void refuse(final PathLink link, final RejectCode code, final SessionId session) {
        link.reject(new RejectRecord(code, session, 0).encode());
    }

    public void close() {
        assert core.holdsLock();
        listeners.close();
    }
}
