package io.vhca.bond.datagram;

import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
    /** Paths that the same question is remembered from; a link's end is no matter, so the oldest goes. */
    private static final int MOST_PATHS = 8;

    private static final PrivateDataLimits LIMITS = new PrivateDataLimits(
            ConnectParameters.MAX_REQ_PRIVATE_DATA - DatagramRecord.SIZE,
            ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA - DatagramRecord.SIZE,
            ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA
                    - new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0).encode().length);

    private final BondCore core;
    /** A listener's: who has asked, for as long as the id of the question is open. */
    private final Map<Asker, BondDatagramCmId> asked = new HashMap<>();

    private @Nullable ServiceResolution resolution;
    /** A question's: the paths that it came over, of which the asker may listen to any. */
    private final Deque<PathLink> requests = new ArrayDeque<>();

    private @Nullable Consumer<PathLink> decision;
    private @Nullable Runnable onClose;

    /** Who asks for a service, and what: the same again is the same question, which had no answer in time. */
    private record Asker(long instance, int vQpNum, int port, ByteBuffer data) {
        static Asker of(final DatagramRecord record, final PathLink link, final byte[] data) {
            // A copy of the data: the application gets the array, and may change it.
            return new Asker(record.instance(), record.vQpNum(), port(record, link), ByteBuffer.wrap(data.clone()));
        }

        /**
         * An id without a queue pair is told from others by its port, as its record says. Older bonds say nothing, and
         * the question itself comes from another port where a member has not that one free.
         */
        private static int port(final DatagramRecord record, final PathLink link) {
            if (record.vQpNum() != 0) {
                return 0;
            }
            return record.targetQpNum() == 0 ? link.remotePort() : record.targetQpNum();
        }
    }

    public BondDatagramCmId(final BondEventChannel channel, final @Nullable Object idContext) {
        super(channel, idContext, CmPortSpace.UDP, LIMITS);
        core = channel.scope().core();
    }

    // ---- told by the control thread ---------------------------------------------------------------------------------

    /** A SIDR_REQ for this listener. */
    @Override
    public void onConnectRequest(
            final PathLink link, final byte[] sent, final ConnectParameters from, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(sent);
        final DecodeResult verdict = DatagramRecord.validate(buffer, 0, sent.length);
        if (verdict != DecodeResult.OK) {
            core.counters().badRequest(verdict);
            link.reject(new RejectRecord(BondCounters.rejectCode(verdict), SessionId.NONE, 0).encode());
            return;
        }
        final DatagramRecord record = DatagramRecord.decode(buffer, 0);
        final byte[] data = Arrays.copyOfRange(sent, DatagramRecord.SIZE, sent.length);
        final Asker asker = Asker.of(record, link, data);
        final BondDatagramCmId before = asked.get(asker);
        if (before != null && before.takes(link, (record.flags() & DatagramRecord.AGAIN) != 0)) {
            return;
        }
        if (!events().admits(link, nowNs)) {
            return;
        }
        final BondDatagramCmId child = new BondDatagramCmId(events(), idContext());
        child.requests.add(link);
        child.onClose = () -> asked.remove(asker, child);
        asked.put(asker, child);
        child.requestedAt(this, link);
        events().request(
                child, link,
                new BondCmEvent(
                        CmEventType.CONNECT_REQUEST, child, this, 0, data, from),
                nowNs);
    }

    /**
     * The question of this id came once more: whoever is still to decide answers it too, and what was decided is the
     * answer to who asks again.
     */
    private boolean takes(final PathLink link, final boolean isAgain) {
        final Consumer<PathLink> decided = decision;
        if (decided == null ? state() != State.REQUESTED : !isAgain) {
            return false;
        }
        if (requests.size() == MOST_PATHS) {
            requests.removeFirst().close();
        }
        requests.add(link);
        if (decided != null) {
            try {
                decided.accept(link);
            } catch (final VerbsException e) {
                // The path that it came over is gone: it is asked over another.
                core.counters().ignored(e);
            }
        }
        return true;
    }

    /** Answers over each path that the question came over: who asked listens to one of them at least. */
    private void decide(final Consumer<PathLink> answer) {
        VerbsException refused = null;
        int told = 0;
        for (final PathLink link : requests) {
            try {
                answer.accept(link);
                told++;
            } catch (final VerbsException e) {
                core.counters().ignored(e);
                refused = e;
            }
        }
        if (told == 0 && refused != null) {
            throw refused;
        }
        decision = answer;
    }

    void established(final byte[] data, final ConnectParameters parameters) {
        state(State.ROUTED, BondCmEvent.of(CmEventType.ESTABLISHED, this, data, parameters));
    }

    void unreachable(final int status, final byte[] data) {
        state(State.ROUTED, BondCmEvent.of(CmEventType.UNREACHABLE, this, status, data));
    }

    /** Who asks: the vQP of this id, or where it has none the port that no other id of the bond has. */
    DatagramRecord question(final int flags) {
        final BondDatagramQp own = ownQp();
        return own != null
                ? own.routes().record(flags, 0)
                : new DatagramRecord(core.datagramInstance(), null, 0, 0, flags, ownPort(), List.of());
    }

    /** Which vQP this id stands for: its own, or one that the application names. */
    private DatagramRecord answer(final int qpNum) {
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
                this, new PathCandidates(scope(), peerAddresses(), pastAddresses(), PathPreference.PEERS), peerPort(),
                parameters);
        resolution = started;
        core.later(started::start);
    }

    /** Answers with the queue pair of this id, or where it has none with the one that the parameters name. */
    @Override
    protected void answer(final ConnectParameters parameters) {
        final BondDatagramQp own = ownQp();
        final int qpNum = own == null ? parameters.qpNum() : own.qpNum();
        final int qkey = parameters.qkey() == 0 ? ConnectParameters.UDP_QKEY : parameters.qkey();
        decide(link -> link.acceptDatagrams(answer(qpNum).encodeBefore(parameters.privateData()), qpNum, qkey));
        state(State.ANSWERED, BondCmEvent.of(CmEventType.ESTABLISHED, this, 0));
    }

    @Override
    protected void refuse(final byte[] privateData) {
        state(State.ANSWERED);
        decide(link ->
                link.reject(new RejectRecord(RejectCode.APPLICATION, SessionId.NONE, 0, privateData).encode()));
    }

    @Override
    protected void giveWay() {
        final byte[] mayComeAgain = new RejectRecord(RejectCode.NO_RESOURCES, SessionId.NONE, 0).encode();
        requests.forEach(link -> link.reject(mayComeAgain));
        close();
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
        requests.forEach(PathLink::close);
        if (onClose != null) {
            onClose.run();
        }
    }
}
