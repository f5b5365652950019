package io.vhca.bond.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.link.MemberListeners;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.ConnectHeader;
import io.vhca.recovery.DatagramRecord;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.OutOfBandRecord;
import io.vhca.recovery.RecordType;
import io.vhca.recovery.RecoveryRequest;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.SessionId;
import io.vhca.recovery.SessionRecord;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where this bond's peers find it again: one port of 1024, whose number is in every vQPN ({@link QpNumDescriptor}), so
 * that (address, vQPN) is enough to reach a vQP. The port is {@code base_port} and the slot.
 */
public final class RecoveryListener implements MemberListeners.Target {
    private static final int BACKLOG = 1024;

    private final BondContext context;
    private final MemberListeners listeners;
    private final int slot;

    public RecoveryListener(final BondContext context) {
        this.context = context;
        final int base = context.config().basePort();
        MemberListeners bound = null;
        int taken = 0;
        while (bound == null) {
            try {
                bound = MemberListeners.bind(context, this, CmPortSpace.TCP, base + taken);
            } catch (final VerbsException e) {
                if (e.errno() != Errno.EADDRINUSE || ++taken == QpNumDescriptor.SLOTS) {
                    throw e;
                }
            }
        }
        slot = taken;
        listeners = bound;
        listeners.listen(BACKLOG);
    }

    public int slot() {
        return slot;
    }

    /** The port at which the bond of a vQPN listens. */
    public int portOf(final int qpNum) {
        return context.config().basePort() + QpNumDescriptor.slot(qpNum);
    }

    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] data, final ConnectParameters parameters, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final DecodeResult control = ConnectHeader.validate(buffer, 0, data.length);
        if (control == DecodeResult.OK) {
            final ConnectHeader header = ConnectHeader.decode(buffer, 0);
            if (header.type() == RecordType.CONTROL) {
                context.controlPlane().onConnect(link, header, nowNs);
                return;
            }
            if (header.type() == RecordType.PROBE) {
                refuse(link, RejectCode.PROBE_ACK, header.session());
                return;
            }
        }
        if (DatagramRecord.validate(buffer, 0, data.length) == DecodeResult.OK) {
            context.datagrams().onAsked(link, DatagramRecord.decode(buffer, 0), nowNs);
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
            context.counters().badRequest(verdict);
            refuse(link, BondCounters.rejectCode(verdict), SessionId.NONE);
            return;
        }
        route(link, SessionRecord.decode(buffer, 0), nowNs);
    }

    /** The asking side made the session: nobody here need have heard of it. */
    private void onOutOfBand(final PathLink link, final OutOfBandRecord record, final long nowNs) {
        final BondQueuePair qp = context.qps().byNum(record.request().targetQpNum());
        if (qp == null) {
            refuseUnknown(link, record.request().session());
        } else {
            qp.recovery().outOfBand().onRequest(record, link, nowNs);
        }
    }

    private void route(final PathLink link, final SessionRecord record, final long nowNs) {
        final RecoveryRequest request = record.request();
        final BondQueuePair qp = context.qps().byNum(request.targetQpNum());
        final SessionId known = qp == null ? null : qp.recovery().session();
        if (qp != null && request.session().equals(known)) {
            qp.recovery().onRequest(record, link, nowNs);
            return;
        }
        final BondCmId accepting = context.sessions().accepting().get(request.session());
        if (accepting != null && accepting.recovered(record, link, nowNs)) {
            return;
        }
        final RejectCode end = context.sessions().endOf(request.session());
        if (end != null) {
            refuse(link, request.type() == RecordType.CLOSE ? RejectCode.CLOSED_ACK : end, request.session());
            return;
        }
        refuse(link, judge(known), request.session());
    }

    /** A vQP of that number exists but not that session: forged, or for one that lived before this process. */
    private RejectCode judge(final @Nullable SessionId known) {
        if (known != null) {
            context.counters().add(BondCounters.Counter.REQ_FORGED, 1);
            return RejectCode.BAD_SESSION;
        }
        context.counters().add(BondCounters.Counter.REQ_UNKNOWN_SESSION, 1);
        return RejectCode.UNKNOWN_SESSION;
    }

    /** Nobody here is to be connected to that peer now; it may ask again. */
    public void refuseUnknown(final PathLink link, final SessionId session) {
        context.counters().add(BondCounters.Counter.REQ_UNKNOWN_SESSION, 1);
        refuse(link, RejectCode.UNKNOWN_SESSION, session);
    }

    private static void refuse(final PathLink link, final RejectCode code, final SessionId session) {
        link.reject(new RejectRecord(code, session, 0).encode());
    }

    public void close() {
        listeners.close();
    }
}
