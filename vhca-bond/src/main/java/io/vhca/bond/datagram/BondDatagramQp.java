package io.vhca.bond.datagram;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.failover.RetryBudget;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.QpNotes;
import io.vhca.bond.verbs.QpReservation;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.bond.verbs.VirtualQueuePair;
import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A vQP for unreliable datagrams: virtual queues over one physical UD queue pair on one member at a time.
 *
 * <p>A send names a vAH and a vQPN; where that vQP lives now, its bond is asked ({@link DestinationQuery}), once, and
 * again when something moved. Who asks says where it lives itself, so that its datagrams can be told by their sender's
 * vQPN. Threads: as {@link VirtualQueuePair}.
 */
public final class BondDatagramQp extends VirtualQueuePair implements MemberPart {
    private final Datagrams datagrams;
    private final DatagramSendQueue sendQueue;
    private final DatagramAttachment home;
    private final DatagramRoutes routes;
    private final RetryBudget doubts = new RetryBudget();
    private volatile int failedStatus;
    private volatile int failedVendorErr;

    private BondDatagramQp(final Datagrams datagrams, final QpReservation reservation) {
        super(
                reservation, Datagrams.FIRST_INDEX + reservation.index(),
                DatagramSlots.bytes(reservation.init().cap()));
        this.datagrams = datagrams;
        final VerbsScope scope = domain().scope();
        final QpInitAttributes init = reservation.init();
        sendQueue = new DatagramSendQueue(
                this, scope.keys(), scope.handles(), new DatagramSlots(nativeBlock(), init.cap()), init.cap(),
                init.sqSigAll());
        home = new DatagramAttachment(datagrams, this);
        routes = new DatagramRoutes(datagrams, this);
    }

    /** Makes one, or refuses it. Control lock. */
    public static BondDatagramQp create(
            final Datagrams datagrams, final BondProtectionDomain pd, final QpInitAttributes init) {
        QpReservation.checkCqs(pd, init);
        if (init.srq() != null) {
            throw new VerbsException(
                    "createQp", Errno.EOPNOTSUPP, QpReservation.object(pd),
                    "UD queue pairs that receive through an SRQ are not carried by a bond");
        }
        final QpReservation reservation = QpReservation.of(
                pd, init, init.cap().maxSendWr(), init.cap().maxRecvWr(), datagrams.scope().port());
        final BondDatagramQp qp = reservation.make(() -> new BondDatagramQp(datagrams, reservation));
        datagrams.add(qp);
        qp.begin();
        pd.scope().members().addPart(qp);
        return qp;
    }

    // ---- data path ------------------------------------------------------------------------------------------------

    @Override
    public int postSend(final long wrAddress) {
        return sendQueue.post(wrAddress);
    }

    @Override
    public DatagramSendQueue sendQueue() {
        return sendQueue;
    }

    @Override
    public void onKeptBack() {
        super.onKeptBack();
        if (state() != QpState.ERR) {
            onDestinationMissing();
        }
    }

    /**
     * A request failed for a reason of the application's own. Inside a CQ's gate.
     *
     * @param status    of the send that failed, 0 where it was a receive
     * @param vendorErr of the same
     */
    void onOwnError(final int status, final int vendorErr) {
        failedStatus = status;
        failedVendorErr = vendorErr;
        onOwnError();
    }

    /** How often a send that failed for nobody's fault is tried again. */
    RetryBudget doubts() {
        return doubts;
    }

    /** A request waits as nobody knows where it goes. */
    void onDestinationMissing() {
        notes().add(QpNotes.DESTINATION_MISSING);
    }

    @Override
    protected void onNoted() {
        datagrams.attention().add(this);
    }

    // ---- control thread -------------------------------------------------------------------------------------------

    /** Deals with what the data path noted. */
    void onAttention(final long nowNs) {
        final int taken = takeNotes();
        if (isClosed()) {
            return;
        }
        if ((taken & QpNotes.OVERRUN) != 0) {
            tellOverrun();
            tellError(BondError.MEMORY_OVERRUN.status().code(), BondError.MEMORY_OVERRUN.vendorErr());
            enterError();
        } else if ((taken & QpNotes.APPLICATION_ERROR) != 0) {
            tellError(failedStatus, failedVendorErr);
            enterError();
        } else if ((taken & QpNotes.PATH_FAILURE) != 0
                && notes().failure() != FailureReason.NONE
                && state() != QpState.ERR) {
            home.onFailure();
        }
        if ((taken & QpNotes.DESTINATION_MISSING) != 0) {
            routes.waiting(nowNs);
        }
    }

    /** See {@link DatagramAttachment#look} and {@link DatagramRoutes#look}. */
    void look(final long nowNs) {
        home.look(nowNs);
        routes.look(nowNs);
    }

    public DatagramAttachment home() {
        return home;
    }

    public DatagramRoutes routes() {
        return routes;
    }

    /**
     * Takes the first request that waits for a destination as sent, and lost, and completes it: both before anybody
     * polls what is behind it, which would retire it as well. Hardware has nothing before it.
     */
    void loseFirst() {
        bondSendCq().oweNext(wc -> sendQueue.completeNext(wc, sendQueue.lose(), qpNum()));
    }

    /** A physical queue pair for it on a member. */
    QueuePair createOn(final Member member) {
        final QpCapabilities cap = capabilities();
        return domain().on(member).createQp(new QpInitAttributes(
                bondSendCq().on(member), bondRecvCq().on(member), null,
                new QpCapabilities(
                        cap.maxSendWr(), Math.max(1, cap.maxRecvWr()), Math.max(1, cap.maxSendSge()),
                        Math.max(1, cap.maxRecvSge()), cap.maxInlineData()),
                QpType.UD, false));
    }

    /** A handle by which a member sends to itself, and no further. */
    AddressHandle toItself(final Member member) {
        return domain().on(member).createAh(new AhAttributes(
                Gid.of(member.address()), member.gidIndex(), 1, 0, Member.PORT, 0));
    }

    /** The name of the member that it lives on, or an empty text. Control lock. */
    public String lives() {
        final Member on = home.member();
        return on == null ? "" : on.name();
    }

    /** Its physical queue pair; null where it lives nowhere. Control lock. */
    public @Nullable QueuePair physical() {
        return home.physical();
    }

    /** Whom it sends to, in words. Control lock. */
    public List<String> destinations() {
        return routes.describe();
    }

    /** Shows itself to somebody who looks on. Control lock. */
    public void show(final QpVisitor visitor) {
        final Member on = home.member();
        visitor.onQueuePair(
                index(), qpNum(), QpType.UD, state(), null, incarnation(), on == null ? -1 : on.index(), null,
                sendQueue.postedAtGlance(), sendQueue.retired(), recvQueue().received());
    }

    private void enterError() {
        state(QpState.ERR);
        home.leave();
        routes.forget();
        flush();
    }

    /** The device is dead, and its physical objects go. */
    @Override
    public void drop(final Member member) {
        home.onMemberDown(member);
    }

    @Override
    public void rebuild(final Member member) {
        // It moves here when there is a reason to.
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable SharedReceiveQueue srq() {
        return null;
    }

    @Override
    public QpType qpType() {
        return QpType.UD;
    }

    @Override
    protected void change(final QpAttributes change, final QpState to) {
        if (to == QpState.SQD) {
            throw new VerbsException(
                    "modifyQp", Errno.EOPNOTSUPP, toString(), "SQD is not carried by a bond for UD queue pairs");
        }
        settings().change(change, null);
        if (change.has(QpAttrMask.QKEY)) {
            home.qkey(change.qkey());
        }
    }

    @Override
    protected void enter(final QpState to, final QpAttributes change) {
        switch (to) {
            case ERR -> enterError();
            case RESET -> {
                state(QpState.RESET);
                home.leave();
                routes.forget();
                forget();
            }
            case RTR -> {
                state(to);
                home.settle();
            }
            case RTS -> {
                state(to);
                home.open();
            }
            default -> state(to);
        }
    }

    @Override
    protected QpAttributes attributes() {
        return settings().query(state(), null, 0);
    }

    @Override
    protected void leaveHardware() {
        home.leave();
        routes.forget();
    }

    @Override
    protected void unregister() {
        domain().scope().members().removePart(this);
        datagrams.remove(this);
        routes.close();
    }
}
