package io.vhca.bond.datagram;

import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.cm.BondCmEvent;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.cm.PathCandidates;
import io.vhca.bond.cm.VirtualCmId;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.member.BondLimits;
import io.vhca.recovery.DatagramRecord;
import io.vhca.recovery.DecodeResult;
import io.vhca.recovery.RejectCode;
import io.vhca.recovery.RejectRecord;
import io.vhca.recovery.SessionId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A virtual CM id of RDMA_PS_UDP: finds out which vQP a service is (SIDR), and makes no connection. Control lock.
 *
 * <pre>
 *   active:   IDLE -> RESOLVED -> ROUTED -> CONNECTING -> ROUTED, told ESTABLISHED or UNREACHABLE
 *   passive:  REQUESTED -> ANSWERED
 *   listener: IDLE -> BOUND -> LISTENING
 * </pre>
 *
 * <p>Both private datas begin with a {@link DatagramRecord}, which names the vQP: who sends none has no bond, and is
 * refused.
 */
public final class BondDatagramCmId extends VirtualCmId {
    /** Private data that rdma_cm carries in a SIDR_REP. */
    private static final int MAX_SIDR_REP = 136;

    private static final int MAX_CONNECT_DATA = ConnectParameters.MAX_REQ_PRIVATE_DATA - DatagramRecord.SIZE;
    private static final int MAX_ACCEPT_DATA = MAX_SIDR_REP - DatagramRecord.SIZE;
    private static final int MAX_REJECT_DATA =
            MAX_SIDR_REP - new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0).encode().length;

    private final BondCore core;
    private @Nullable BondDatagramQp qp;
    private @Nullable ServiceResolution resolution;
    private @Nullable PathLink request;

    public BondDatagramCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        super(channel, idContext, CmPortSpace.UDP);
        core = channel.scope().core();
    }

    // ---- told by the control thread ---------------------------------------------------------------------------------

    /** A SIDR_REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] data, final ConnectParameters from, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final DecodeResult verdict = DatagramRecord.validate(buffer, 0, data.length);
        if (verdict != DecodeResult.OK) {
            core.counters().badRequest(verdict);
            link.reject(new RejectRecord(BondCounters.rejectCode(verdict), SessionId.NONE, 0).encode());
            return;
        }
        final BondDatagramCmId child = new BondDatagramCmId(events(), idContext());
        child.request = link;
        child.requestedAt(this, link);
        events().offer(new BondCmEvent(
                CmEventType.CONNECT_REQUEST, child, this, 0,
                Arrays.copyOfRange(data, DatagramRecord.SIZE, data.length), from));
    }

    void established(final byte[] data, final ConnectParameters parameters) {
        state(State.ROUTED);
        events().offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, data, parameters));
    }

    void unreachable(final int status, final byte[] data) {
        state(State.ROUTED);
        events().offer(new BondCmEvent(
                CmEventType.UNREACHABLE, this, null, status, data, ConnectParameters.of(new byte[0])));
    }

    /** Which vQP this id stands for: its own, or one that the application names. */
    DatagramRecord record(final int qpNum) {
        return qp != null
                ? qp.routes().record(0, 0)
                : new DatagramRecord(core.instance(), null, qpNum, 0, 0, 0, List.of());
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable QueuePair qp() {
        return qp;
    }

    /** A queue pair of RDMA_PS_UDP is in RTS at once: it has no peer to wait for. */
    @Override
    public QueuePair createQp(final ProtectionDomain pd, final QpInitAttributes attributes) {
        core.lock();
        try {
            checkCreation(pd, attributes, QpType.UD);
            final BondDatagramQp created = (BondDatagramQp) pd.createQp(attributes);
            created.modify(new QpAttributes()
                    .qpState(QpState.INIT)
                    .pkeyIndex(0)
                    .portNum(BondLimits.PORT)
                    .qkey(ConnectParameters.UDP_QKEY));
            created.modify(new QpAttributes().qpState(QpState.RTR));
            created.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
            qp = created;
            return created;
        } finally {
            core.unlock();
        }
    }

    @Override
    public void destroyQp() {
        core.lock();
        try {
            final BondDatagramQp gone = qp;
            qp = null;
            if (gone != null) {
                gone.close();
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public void connect(final ConnectParameters parameters) {
        checkLength("connect", parameters.privateData(), MAX_CONNECT_DATA);
        core.lock();
        try {
            check("connect", State.ROUTED);
            final ServiceResolution started = new ServiceResolution(
                    this, new PathCandidates(scope(), peerAddresses(), PathPreference.PEERS), peerPort(), parameters);
            resolution = started;
            state(State.CONNECTING);
            core.later(started::start);
        } finally {
            core.unlock();
        }
    }

    /** Answers with the queue pair of this id, or where it has none with the one that the parameters name. */
    @Override
    public void accept(final ConnectParameters parameters) {
        checkLength("accept", parameters.privateData(), MAX_ACCEPT_DATA);
        core.lock();
        try {
            check("accept", State.REQUESTED);
            final int qpNum = qp == null ? parameters.qpNum() : qp.qpNum();
            final int qkey = parameters.qkey() == 0 ? ConnectParameters.UDP_QKEY : parameters.qkey();
            Objects.requireNonNull(request)
                    .acceptDatagrams(record(qpNum).encodeBefore(parameters.privateData()), qpNum, qkey);
            state(State.ANSWERED);
            events().offer(BondCmEvent.of(CmEventType.ESTABLISHED, this, 0));
        } finally {
            core.unlock();
        }
    }

    @Override
    public void reject(final byte[] privateData) {
        checkLength("reject", privateData, MAX_REJECT_DATA);
        core.lock();
        try {
            check("reject", State.REQUESTED);
            state(State.ANSWERED);
            Objects.requireNonNull(request)
                    .reject(new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0, privateData).encode());
        } finally {
            core.unlock();
        }
    }

    @Override
    public void disconnect() {
        throw wrong("disconnect", "an id of RDMA_PS_UDP has no connection");
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (state() == State.CLOSED) {
                return;
            }
            state(State.CLOSED);
            if (resolution != null) {
                resolution.cancel();
            }
            if (request != null) {
                request.close();
            }
            closeListeners();
            destroyQp();
            events().remove(this);
        } finally {
            core.unlock();
        }
    }
}
