package io.vhca.bond.verbs;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.SharedSlots;
import io.vhca.bond.queue.SpinGate;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A vSRQ: receives that go to a physical SRQ on the members where its queue pairs are.
 *
 * <pre>
 *   posted -> waiting -> with a physical SRQ -> completed
 *                ^             |
 *                `-- its last QP left the member: it is destroyed
 * </pre>
 *
 * <p>A receive is with one physical SRQ at a time, and comes back only when that is destroyed. So queue pairs that
 * share belong together: when one has moved and finds nothing on its new member, those on the member that has the
 * receives follow it ({@link #feed}), or it goes back where one of those must stay.
 *
 * <p>Threads: posts and completions inside this gate, which is entered from inside a CQ's; the rest with the control
 * lock held.
 */
public final class BondSharedReceiveQueue extends SpinGate implements SharedReceiveQueue {
    private static final long FIRST_PAUSE_NS = 1_000_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000_000;

    private final BondProtectionDomain pd;
    private final BondCore core;
    private final LocalKeys keys;
    private final SharedQueues shared;
    private final SrqAttributes attributes;
    private final int index;
    private final SharedSlots slots;
    private final Map<BondCompletionQueue, Integer> completesTo = new HashMap<>();
    private final List<BondQueuePair> users = new ArrayList<>();

    /** All physical SRQs that still have queue pairs, retired ones too; not written once published. */
    private volatile PhysicalSrq[] physicals = new PhysicalSrq[0];

    private int limit;
    private boolean closed;
    /** Somebody wrote beyond its slots: no hardware gets any of them any more. */
    private volatile boolean overrun;

    private boolean toldOverrun;
    private volatile boolean starving;
    private boolean started;
    private long pauseNs = FIRST_PAUSE_NS;
    private long nextMoveNs;

    BondSharedReceiveQueue(final BondProtectionDomain pd, final SrqAttributes attributes) {
        this.pd = pd;
        this.attributes = attributes;
        core = pd.scope().core();
        keys = pd.scope().keys();
        shared = pd.scope().shared();
        limit = attributes.limit();
        index = shared.add(this, core.name());
        try {
            slots = new SharedSlots(
                    core.name(), number(), attributes.maxWr(), attributes.maxSge(), this, this::onOverrun);
        } catch (final RuntimeException | Error e) {
            shared.remove(this); // as where there is no memory
            throw e;
        }
        core.holds(slots, slots.bytes());
    }

    int index() {
        return index;
    }

    /** What people call it: 1 and up. */
    public int number() {
        return SharedQueues.number(index);
    }

    public boolean isClosed() {
        return closed;
    }

    /** Receives that are posted and not completed, as seen in passing. */
    public int postedAtGlance() {
        return slots.count();
    }

    /** Those of them that no hardware has. */
    public int waitingAtGlance() {
        return slots.waiting();
    }

    /** What each member has of it, in words, by the member's name. Control lock. */
    public Map<String, String> atMembers() {
        final Map<String, String> found = new LinkedHashMap<>();
        for (final PhysicalSrq one : physicals) {
            found.merge(one.member().name(), one.describe(), (first, second) -> first + "; " + second);
        }
        return found;
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    @Override
    public int postRecv(final long wrAddress) {
        enter();
        try {
            int count = 0;
            if (core.checksEachUse()) {
                look();
            }
            int error = closed ? -Errno.EINVAL : overrun ? -Errno.EIO : 0;
            long wr = wrAddress;
            while (wr != 0 && error == 0) {
                final int numSge = NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET);
                if (!slots.holds(numSge)) {
                    error = -Errno.EINVAL;
                } else if (slots.isFull()) {
                    error = -Errno.ENOMEM;
                } else {
                    slots.post(wr, numSge);
                    count++;
                }
                wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET);
            }
            pump();
            if (error == -Errno.EINVAL && core.checksEachUse()) {
                core.refusedPost("postSrqRecv", this, count, error, closed ? "the queue is closed"
                        : "num_sge is not 0 .. " + attributes.maxSge() + ", for which the queue was created (max_sge);"
                                + " use fewer elements, or create it with more");
            }
            return count > 0 ? count : error;
        } finally {
            leave();
        }
    }

    /** Inside the gate: sees whether the slots are whole, before a device is given what lay in them for a while. */
    private void look() {
        if (!closed && !overrun && core.checksMarkers() && !slots.isWhole()) {
            onOverrun();
        }
    }

    /** Nothing more of it is given to hardware; its queue pairs fail in the next turn. Any thread. */
    private void onOverrun() {
        if (!overrun) {
            overrun = true;
            core.wakeUp();
        }
    }

    /** Gives what waits to the members in use, to each as much as to the others. */
    private void pump() {
        while (slots.isWaiting() && !overrun) {
            final PhysicalSrq to = poorest();
            if (to == null) {
                return;
            }
            final int next = slots.firstWaiting();
            slots.translate(
                    next, keys.snapshot(), to.member().index(),
                    PhysicalWrId.of(PhysicalWrId.prefix(PhysicalWrId.KIND_SHARED, to.generation(), index), next));
            if (to.queue().postRecv(slots.address(next)) == 1) {
                slots.give(to);
            } else {
                // Its device is dying: what it had comes back when its queue pairs are gone.
                to.broken = true;
            }
        }
    }

    private @Nullable PhysicalSrq poorest() {
        PhysicalSrq poorest = null;
        for (final PhysicalSrq one : physicals) {
            final boolean mayHaveMore = one.isUsed() && !one.broken && !one.isRetired();
            if (mayHaveMore && (poorest == null || one.outstanding() < poorest.outstanding())) {
                poorest = one;
            }
        }
        return poorest;
    }

    // ---- completion, inside a CQ's gate -----------------------------------------------------------------------------

    /** The physical SRQ of a completion, or null where it is gone. */
    @Nullable PhysicalSrq physical(final int generation) {
        for (final PhysicalSrq one : physicals) {
            if (one.generation() == generation) {
                return one;
            }
        }
        return null;
    }

    /**
     * A receive was consumed: the completion gets the application's number of it. False where it was taken back from
     * that physical SRQ meanwhile, which happens to who has looked for it and then lost the processor.
     */
    boolean complete(final int slot, final PhysicalSrq by, final long wc) {
        enter();
        final long wrId = slots.wrId(slot);
        if (!slots.complete(slot, by)) {
            leave();
            return false;
        }
        final boolean isLow = limit > 0 && slots.count() < limit;
        if (isLow) {
            limit = 0;
        }
        checkFed();
        leave();
        if (isLow) {
            core.raiseInside(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, this));
        }
        NativeMemory.putLong(wc + WcDescriptor.WR_ID_OFFSET, wrId);
        return true;
    }

    /** A receive came back without a message: a queue pair that held it went to ERR. */
    void comeBack(final int slot, final PhysicalSrq from) {
        enter();
        slots.comeBack(slot, from);
        look();
        pump();
        leave();
    }

    /** Inside the gate: whether a member in use has nothing while another one has something. */
    private void checkFed() {
        final PhysicalSrq[] all = physicals;
        if (all.length < 2 || starving) {
            return;
        }
        for (final PhysicalSrq one : all) {
            if (one.isUsed() && one.outstanding() == 0 && !one.isRetired() && slots.count() > 0) {
                starving = true;
                core.wakeUp();
                return;
            }
        }
    }

    // ---- control lock: where the queue pairs are --------------------------------------------------------------------

    /** A queue pair uses it: what it holds may land on that queue's CQ. */
    void use(final BondQueuePair qp, final BondCompletionQueue cq) {
        if (!completesTo.containsKey(cq)) {
            cq.reserve(attributes.maxWr());
        }
        completesTo.merge(cq, 1, Integer::sum);
        users.add(qp);
    }

    void unuse(final BondQueuePair qp, final BondCompletionQueue cq) {
        users.remove(qp);
        if (completesTo.merge(cq, -1, Integer::sum) == 0) {
            completesTo.remove(cq);
            cq.unreserve(attributes.maxWr());
        }
    }

    /** The physical SRQ for a physical QP of a vQP that is about to be created on that member. */
    public PhysicalSrq attach(final Member member, final BondQueuePair qp) {
        PhysicalSrq found = null;
        for (final PhysicalSrq one : physicals) {
            if (one.member() == member && !one.isRetired() && !one.broken) {
                found = one;
            }
        }
        if (found == null) {
            found = new PhysicalSrq(
                    this, member,
                    createOn(member),
                    shared.nextGeneration(this));
            publish(found, null);
        }
        found.attach(qp);
        return found;
    }

    /** A physical QP over one of them is used from now on. */
    void used(final PhysicalSrq of) {
        enter();
        of.used(true);
        look();
        pump();
        checkFed();
        leave();
    }

    /** None is over that one, only such as stand by: what it has is wanted where the others are. */
    void unused(final PhysicalSrq of) {
        enter();
        of.used(false);
        final boolean hasSome = of.outstanding() > 0 && !of.isRetired();
        leave();
        if (hasSome) {
            retire(of);
        }
    }

    private void retire(final PhysicalSrq one) {
        enter();
        one.retire();
        leave();
        one.leaveStandbys();
    }

    private SharedReceiveQueue createOn(final Member member) {
        final SharedReceiveQueue made =
                pd.on(member).createSrq(new SrqAttributes(attributes.maxWr(), attributes.maxSge(), 0));
        core.onMember(member.name(), made, 1);
        return made;
    }

    /** Its last queue pair is gone: what it had comes back, and goes where the others are. */
    void abandoned(final PhysicalSrq empty) {
        publish(null, empty);
        empty.close(core.counters());
        core.onMember(empty.member().name(), empty.queue(), -1);
        enter();
        slots.comeBack(empty);
        look();
        pump();
        checkFed();
        leave();
    }

    private void publish(final @Nullable PhysicalSrq more, final @Nullable PhysicalSrq less) {
        final List<PhysicalSrq> next = new ArrayList<>(List.of(physicals));
        next.remove(less);
        if (more != null) {
            next.add(more);
        }
        enter();
        physicals = next.toArray(PhysicalSrq[]::new);
        leave();
    }

    boolean isStarving() {
        return starving;
    }

    long nextMoveNs() {
        return nextMoveNs;
    }

    /** Which of its markers are broken; empty where all are whole. */
    String damage() {
        return closed ? "" : slots.damage();
    }

    /** Whether all its markers stand. Any thread. */
    boolean isWhole() {
        return closed || slots.isWhole();
    }

    /** Where it was overrun, its queue pairs fail: what they would receive may land anywhere. */
    int failOverrun() {
        if (!overrun || toldOverrun) {
            return 0;
        }
        toldOverrun = true;
        core.overran(slots, damage());
        for (final BondQueuePair user : users) {
            user.onOverrun();
        }
        core.raise(AsyncEvent.ofSrq(AsyncEventType.SRQ_ERR, this));
        return 1;
    }

    /**
     * Lets queue pairs that sit where the receives are follow those that have none; where one of them stays whatever
     * happens, those that have none go there. Where neither can be it is looked now and then whether they can.
     */
    int feed(final long nowNs) {
        if (!starving || started && nowNs - nextMoveNs < 0) {
            return 0;
        }
        final boolean wasStarted = started;
        final PhysicalSrq poor;
        final PhysicalSrq rich;
        enter(); // the completion of a last receive is seen here, or it sees that it must say so itself
        try {
            starving = false;
            poor = starved();
            rich = poor == null ? null : richest();
        } finally {
            leave();
        }
        if (poor == null || rich == null) {
            return 0;
        }
        final boolean isHeld = rich.isHeld();
        final PhysicalSrq left = isHeld ? poor : rich;
        final Member to = (isHeld ? rich : poor).member();
        started = true;
        // Who goes back to where the receives stay must be reached there: else it would end where it is, and go again.
        if (!left.users().stream().allMatch(user -> user.lifecycle().isMovable(isHeld ? to : null, nowNs))) {
            starving = true;
            nextMoveNs = nowNs + (isHeld ? LONGEST_PAUSE_NS : FIRST_PAUSE_NS);
            return 0;
        }
        retire(left);
        // Who moves may be led somewhere else by its peer: a move that brought nothing must not be repeated in step.
        final boolean isSoon = wasStarted && nowNs - nextMoveNs < LONGEST_PAUSE_NS;
        pauseNs = isSoon ? Math.min(2 * pauseNs, LONGEST_PAUSE_NS) : FIRST_PAUSE_NS;
        nextMoveNs = nowNs + pauseNs;
        for (final BondQueuePair qp : List.copyOf(left.users())) {
            qp.lifecycle().follow(to, nowNs);
        }
        return 1;
    }

    /** A member in use without receives; null for none, or where some are on their way back. Inside the gate. */
    private @Nullable PhysicalSrq starved() {
        PhysicalSrq poor = null;
        for (final PhysicalSrq one : physicals) {
            if (one.isRetired()) {
                return null;
            }
            poor = one.isUsed() && one.outstanding() == 0 ? one : poor;
        }
        return poor;
    }

    /** Inside the gate. */
    private @Nullable PhysicalSrq richest() {
        PhysicalSrq rich = null;
        for (final PhysicalSrq one : physicals) {
            rich = one.outstanding() > (rich == null ? 0 : rich.outstanding()) ? one : rich;
        }
        return rich;
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public void armLimit(final int newLimit) {
        if (newLimit < 0 || newLimit > attributes.maxWr()) {
            throw new VerbsException(
                    "modifySrq", Errno.EINVAL, toString(), "the limit must be 0 .. " + attributes.maxWr());
        }
        core.lock();
        try {
            if (closed) {
                throw new VerbsException(
                        "modifySrq", Errno.EINVAL, toString(), "the shared receive queue was destroyed");
            }
            enter();
            final boolean isLow = newLimit > 0 && slots.count() < newLimit;
            limit = isLow ? 0 : newLimit;
            leave();
            if (isLow) {
                core.raise(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, this));
            }
        } finally {
            core.unlock();
        }
    }

    @Override
    public SrqAttributes query() {
        enter();
        final int now = limit;
        leave();
        return new SrqAttributes(attributes.maxWr(), attributes.maxSge(), now);
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            if (!users.isEmpty()) {
                throw new VerbsException(
                        "destroySrq", Errno.EBUSY, toString(),
                        users.size() + " queue pairs use it: destroy them first");
            }
            enter();
            closed = true;
            leave();
            shared.remove(this);
            core.dropEvents(this);
            pd.childClosed(this);
            core.ends(slots);
            slots.close();
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " srq";
    }
}
