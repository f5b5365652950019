package io.vhca.bond.datagram;

import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
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
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
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
public final class BondDatagramCmId extends VirtualCmId<BondDatagramQp> {
    /** Private data that rdma_cm carries in a SIDR_REP. */
    private static final int MAX_SIDR_REP = 136;

    private static final PrivateDataLimits LIMITS = new PrivateDataLimits(
            ConnectParameters.MAX_REQ_PRIVATE_DATA - DatagramRecord.SIZE,
            MAX_SIDR_REP - DatagramRecord.SIZE,
            MAX_SIDR_REP - new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0).encode().length);

    private final BondCore core;
    private @Nullable ServiceResolution resolution;
    private @Nullable PathLink request;

    public BondDatagramCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        super(channel, idContext, CmPortSpace.UDP, LIMITS);
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
        if (!events().admits(link, nowNs)) {
            return;
        }
        final BondDatagramCmId child = new BondDatagramCmId(events(), idContext());
        child.request = link;
        child.requestedAt(this, link);
        events().request(
                child, link,
                new BondCmEvent(
                        CmEventType.CONNECT_REQUEST, child, this, 0,
                        Arrays.copyOfRange(data, DatagramRecord.SIZE, data.length), from),
                nowNs);
    }

    void established(final byte[] data, final ConnectParameters parameters) {
        state(State.ROUTED, BondCmEvent.of(CmEventType.ESTABLISHED, this, data, parameters));
    }

    void unreachable(final int status, final byte[] data) {
        state(State.ROUTED, BondCmEvent.of(CmEventType.UNREACHABLE, this, status, data));
    }

    /** Which vQP this id stands for: its own, or one that the application names. */
    DatagramRecord record(final int qpNum) {
        final BondDatagramQp own = ownQp();
        return own != null
                ? own.routes().record(0, 0)
                : new DatagramRecord(core.datagramInstance(), null, qpNum, 0, 0, 0, List.of());
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    /** A queue pair of RDMA_PS_UDP is in RTS at once: it has no peer to wait for. */
    @Override
    protected BondDatagramQp create(final ProtectionDomain pd, final QpInitAttributes attributes) {
        final BondDatagramQp created = (BondDatagramQp) pd.createQp(attributes);
        created.modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(BondLimits.PORT)
                .qkey(ConnectParameters.UDP_QKEY));
        created.modify(new QpAttributes().qpState(QpState.RTR));
        created.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
        return created;
    }

    @Override
    protected void begin(final ConnectParameters parameters) {
        final ServiceResolution started = new ServiceResolution(
                this, new PathCandidates(scope(), peerAddresses(), PathPreference.PEERS), peerPort(), parameters);
        resolution = started;
        core.later(started::start);
    }

    /** Answers with the queue pair of this id, or where it has none with the one that the parameters name. */
    @Override
    protected void answer(final ConnectParameters parameters) {
        final BondDatagramQp own = ownQp();
        final int qpNum = own == null ? parameters.qpNum() : own.qpNum();
        final int qkey = parameters.qkey() == 0 ? ConnectParameters.UDP_QKEY : parameters.qkey();
        Objects.requireNonNull(request)
                .acceptDatagrams(record(qpNum).encodeBefore(parameters.privateData()), qpNum, qkey);
        state(State.ANSWERED, BondCmEvent.of(CmEventType.ESTABLISHED, this, 0));
    }

    @Override
    protected void refuse(final byte[] privateData) {
        state(State.ANSWERED);
        Objects.requireNonNull(request)
                .reject(new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0, privateData).encode());
    }

    @Override
    public void disconnect() {
        throw wrong("disconnect", "an id of RDMA_PS_UDP has no connection");
    }

    @Override
    protected void giveUp() {
        if (resolution != null) {
            resolution.cancel();
        }
        if (request != null) {
            request.close();
        }
    }
}
