package io.vhca.bond.failover;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.RemoteKeys;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpLifecycle;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.recovery.FailureClass;
import io.vhca.recovery.FailureClassifier;
import io.vhca.recovery.wire.FailureReason;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The physical queue pair under a vQP: none, or the one of a {@link PathLink}. Another one is attached only after this
 * one was fenced, drained and dropped. Control lock.
 */
public final class QpAttachment implements QpLifecycle.Attached {
    private final BondQueuePair qp;
    private final BondCore core;
    private final Predicate<Member> giveWay;
    private final Runnable giveUp;
    private final RetryBudget doubts = new RetryBudget();
    private @Nullable PathLink link;
    private @Nullable RemoteKeys keys;
    /** Written while no completion can come. */
    private volatile boolean isPlain;

    /**
     * Without a physical queue pair.
     *
     * @param giveWay makes room on a member for one more, where it can
     * @param giveUp  closes what stands by
     */
    QpAttachment(
            final BondCore core, final BondQueuePair qp, final Predicate<Member> giveWay, final Runnable giveUp) {
        this.core = core;
        this.qp = qp;
        this.giveWay = giveWay;
        this.giveUp = giveUp;
    }

    public @Nullable PathLink link() {
        return link;
    }

    /** The physical QP in use, or null. */
    @Override
    public @Nullable QueuePair physical() {
        return link == null ? null : link.qp();
    }

    @Nullable Member member() {
        final PathLink now = link; // a poller asks without the control lock, inside its CQ's gate
        return now == null ? null : now.member();
    }

    /** Creates the physical QP of a link and gives it every receive that waits. */
    public void equip(final PathLink next) {
        assert core.holdsLock();
        assert link == null : "the physical queue pair before was not dropped";
        link = next;
        keys = null; // those of the connection before: of the peer's other member they say nothing
        isPlain = false;
        final QueuePair physical = create(next);
        qp.settings().onCreated(physical);
        qp.nextIncarnation();
        qp.recvQueue().attachAndOpen(physical, next.member().index(), qp.wrIdPrefix(PhysicalWrId.KIND_RECV));
    }

    private QueuePair create(final PathLink next) {
        qp.requireWhole(); // here and not as it is created: what stands by may have been, while all was whole
        try {
            return next.createQp(qp::createOn);
        } catch (final VerbsException e) {
            if (e.errno() != Errno.ENOMEM || !giveWay.test(next.member())) {
                throw e;
            }
            return next.createQp(qp::createOn);
        }
    }

    /**
     * Closes a link that carried nothing. Its queue pair is destroyed with it: where a vQP has its receives there, they
     * are taken back first.
     */
    public static void discard(final @Nullable BondQueuePair own, final PathLink over) {
        takeBack(own, over);
        over.close();
    }

    /** The same for who closes the link in another way next. */
    public static void takeBack(final @Nullable BondQueuePair own, final PathLink over) {
        if (own != null) {
            ((QpAttachment) own.lifecycle().attachment()).unequip(over);
        }
    }

    /** Forgets a link's QP, which carried nothing, before it is destroyed; of a link that is not in use, nothing. */
    public void unequip(final PathLink gone) {
        assert core.holdsLock();
        if (link == gone) {
            takeSharedReceives();
            qp.recvQueue().detach();
            link = null;
        }
    }

    /** The connection stands: sends shall go to its QP, once their gate is open. */
    void attachSends(final PathLink made, final Peer peer) {
        assert core.holdsLock();
        final RemoteKeys known = peer.keys(made.remoteMember(), made.remoteGeneration());
        keys = known;
        final QueuePair physical = made.qp();
        if (physical != null) {
            qp.settings().onConnected(physical);
        }
        qp.sendQueue()
                .attach(
                        made.qp(),
                        made.member().index(),
                        qp.wrIdPrefix(PhysicalWrId.KIND_SEND),
                        aimed(known));
    }

    /** The same of a peer without the bond: what hardware says is the application's own. */
    void attachPlain(final PathLink made) {
        assert core.holdsLock();
        isPlain = true;
        final QueuePair physical = made.qp();
        if (physical != null) {
            qp.settings().onConnected(physical);
        }
        qp.sendQueue().attach(
                physical, made.member().index(), qp.wrIdPrefix(PhysicalWrId.KIND_SEND), RemoteKeys.PLAIN);
    }

    /** More is known of the peer's keys, or of its ledger word, than when the connection was made. */
    void renewKeys() {
        assert core.holdsLock();
        if (link != null && keys != null) {
            qp.sendQueue().keys(aimed(keys));
        }
        qp.sendQueue().onKeyResolved();
    }

    /** The peer turned out to be another one, whose keys count from now on. */
    void keysOf(final Peer peer) {
        assert core.holdsLock();
        final PathLink now = link;
        if (now != null && keys != null) {
            keys = peer.keys(now.remoteMember(), now.remoteGeneration());
            renewKeys();
        }
    }

    /** The keys of the connection in use, or null. */
    public @Nullable RemoteKeys keys() {
        return keys;
    }

    private @Nullable RemoteKeys aimed(final RemoteKeys known) {
        return qp.ledger().aim(qp.sendQueue(), known, qp.wrIdPrefix(PhysicalWrId.KIND_MARK));
    }

    /**
     * How a send's completion status is to be taken: NONE for the application's own, else the reason of the path
     * failure. Inside the send CQ's gate.
     */
    @Override
    public FailureReason classifySend(final int status, final int vendorErr, final long sequence) {
        if (isPlain) {
            return FailureReason.NONE;
        }
        final boolean isFailover =
                switch (classOf(status, vendorErr)) {
                    case FAIL_OVER -> true;
                    case DOUBTFUL -> doubts.isWorthAnother(sequence);
                    case SUCCESS, PASS_THROUGH, NEVER_A_CAUSE -> false;
                };
        return isFailover ? FailureClassifier.reason(WcStatus.fromCode(status)) : FailureReason.NONE;
    }

    /**
     * The same for a receive, inside the receive CQ's gate. What is in doubt is the application's own there: a path
     * that ends brings no message, and so fails no receive.
     */
    @Override
    public FailureReason classifyReceive(final int status, final int vendorErr) {
        return !isPlain && classOf(status, vendorErr) == FailureClass.FAIL_OVER
                ? FailureClassifier.reason(WcStatus.fromCode(status))
                : FailureReason.NONE;
    }

    private FailureClass classOf(final int status, final int vendorErr) {
        final Member on = member();
        final boolean active = on != null && on.isUp() && !on.isGoingDown();
        return FailureClassifier.classify(WcStatus.fromCode(status), vendorErr, active);
    }

    /** False when the peer's device at the other end of the link is known to have come back since: the link is dead. */
    public boolean isCurrent(final Peer peer) {
        return link == null || keys == null || peer.isCurrent(link.remoteMember(), keys);
    }

    @Override
    public boolean isPlain() {
        return isPlain;
    }

    @Override
    public void giveUpStandby() {
        giveUp.run();
    }

    /** The QP of the link in use is about to be destroyed with its device: takes what came, and posts nothing more. */
    @Override
    public void letGo(final PathLink gone) {
        assert core.holdsLock();
        if (link == gone) {
            closeGates();
            pollIntoOwed();
        }
    }

    /** True when a message arrived on the physical QP in use, be it polled by the application or not. */
    public boolean hasReceived() {
        collect();
        return link != null && qp.recvQueue().received() > 0;
    }

    /** From now on posts only enqueue, and what sends completed is kept back: the peer has the last word on them. */
    void closeGates() {
        assert core.holdsLock();
        qp.sendQueue().closeGate();
        qp.recvQueue().closeGate();
        qp.holdBack(true);
    }

    /** The connection carries: what waits is posted, and completions are reported as they come. */
    void openGates() {
        assert core.holdsLock();
        assert link != null : "there is no connection to send over";
        qp.holdBack(false);
        qp.sendQueue().openGate();
    }

    /** Gives nothing more to hardware for now; what completes is reported as ever. */
    public void stopSending() {
        assert core.holdsLock();
        qp.sendQueue().closeGate();
    }

    /** How many messages arrived in the life of the vQP. */
    long received() {
        return qp.recvQueue().received();
    }

    /** True when the hardware has no request that must complete. */
    public boolean isQuiet() {
        collect();
        return qp.sendQueue().oldestAwaited() < 0;
    }

    /**
     * Moves the physical QP to ERR with a marker behind each queue, or destroys it where that cannot be. One that was
     * never connected is destroyed too: it has nothing to give back, and some devices say of no queue that it is empty.
     */
    void fence() {
        assert core.holdsLock();
        closeGates();
        final PathLink old = link;
        if (old != null && !(old.hasCarried() && fence(old))) {
            // Destroying swallows completions: take them first.
            pollIntoOwed();
            old.close();
            link = null;
        }
    }

    private boolean fence(final PathLink old) {
        assert core.holdsLock();
        return old.fence(
                qp.wrIdPrefix(PhysicalWrId.KIND_SEND_MARKER),
                qp.wrIdPrefix(PhysicalWrId.KIND_RECV_MARKER),
                core.scratchWr());
    }

    /** Polls; true when nothing more can come: all requests are back, or there is no QP. */
    boolean isDrained() {
        assert core.holdsLock();
        pollIntoOwed();
        return link == null || qp.own().isDrained(link.member().tellsLastWqe());
    }

    /** Takes what the CQs hold and destroys the QP; what was not polled by now never counts. */
    void finishDrain() {
        assert core.holdsLock();
        pollIntoOwed();
        if (link != null && link.member().isAlive() && qp.own().lacksLastWqe()) {
            link.member().tellsLastWqe(false);
        }
        drop();
    }

    /** Takes what the CQs hold, and keeps it for the application, which hears of it whatever becomes of the member. */
    void pollIntoOwed() {
        assert core.holdsLock();
        qp.pollIntoOwed(true);
    }

    /** The same of a member in use, which tells of its completions itself. */
    public void collect() {
        assert core.holdsLock();
        qp.pollIntoOwed(false);
    }

    /**
     * The vQP goes to ERR, and its physical QP with it: hardware may know of no error. What has completed by now
     * counts, and nothing that completes later. The connection stands until either side ends it.
     */
    void stop() {
        assert core.holdsLock();
        qp.sendQueue().closeGate();
        qp.recvQueue().detach();
        if (link != null) {
            fence(link); // where that cannot be, its device is dead
        }
        pollIntoOwed();
        if (link != null && qp.bondSrq() != null) {
            link.destroyQp(); // those that share its receives want them back
        }
        qp.nextIncarnation();
    }

    /**
     * Destroys the QP, where there is one. What it completed since the CQs were polled may stay in a member's CQ: some
     * devices leave it there. By then it is flushed, or of a life before, so nobody sees it any more.
     */
    void drop() {
        assert core.holdsLock();
        takeSharedReceives();
        final PathLink old = link;
        link = null;
        qp.sendQueue().closeGate();
        qp.recvQueue().detach();
        if (old != null) {
            old.close();
        }
        qp.nextIncarnation();
    }

    /** A device forgets the completions of a QP that is destroyed; of shared receives nothing else would ever tell. */
    private void takeSharedReceives() {
        if (link != null && qp.bondSrq() != null) {
            pollIntoOwed();
        }
    }

    /** The path in use, for people. */
    public String describe() {
        return link == null ? "" : link.member().name() + " -> " + link.remote().getHostAddress();
    }
}
