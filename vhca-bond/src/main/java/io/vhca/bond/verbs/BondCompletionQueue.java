package io.vhca.bond.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.CqInitAttributes;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.OwedRing;
import io.vhca.bond.queue.TracedGate;
import io.vhca.bond.trace.TraceEventDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A vCQ: one CQ on every member, what is owed, and the queues in error whose requests are flushed.
 *
 * <p>Threads: polled by any application thread, and by the control thread while it drains a vQP; all inside one gate.
 * A completion is translated where the member wrote it, in the application's array.
 */
public final class BondCompletionQueue extends TracedGate implements CompletionQueue, MemberPart {
    private static final int DRAIN_BATCH = 16;

    private final VerbsScope scope;
    private final BondCore core;
    private final Members members;
    private final QpTable qps;
    private final SharedQueues shared;
    private final @Nullable Object cqContext;
    private final @Nullable BondCompletionChannel channel;
    private final MemberCqs memberCqs;
    /** The CQs to which any physical QP completes: only those are polled. */
    private CompletionQueue[] polled = new CompletionQueue[0];
    private final OwedRing owed;
    private final List<FlushSource> flushing = new ArrayList<>();
    /** One of them may have something. Set inside the gate of its queue as well, when a request was posted there. */
    private volatile boolean mayFlush;
    private final int number;
    private int cqe;
    private int reserved;
    private int users;
    private final EventRequest request = new EventRequest();
    private boolean closed;
    /** Nothing is owed, no queue is in error, nobody traces it, and it is open: only members are to be polled. */
    private boolean isPlain = true;
    /** The one CQ to be polled while the queue is plain; null while it is not, and where there are several or none. */
    private @Nullable CompletionQueue only;

    /** What completions are made from that no hardware reported. */
    public interface CompletionSource {
        /** Writes the next one, or returns false when nothing is left. Inside the CQ's gate. */
        boolean next(long wcAddress);
    }

    /** A queue in error whose remaining requests are flushed, one per poll slot. */
    interface FlushSource extends CompletionSource {
        /** How many are left now; more may be posted. Inside the CQ's gate. */
        int size();

        /** Whose queue it is. */
        QueuePair owner();
    }

    public BondCompletionQueue(final VerbsScope scope, final CqInitAttributes init) {
        this(scope, init, false);
    }

    /** One of the bond's own: what completes there gives the bond a turn, which takes it by {@link #pollHeard}. */
    public static BondCompletionQueue waking(final VerbsScope scope, final int cqe) {
        return new BondCompletionQueue(scope, new CqInitAttributes(cqe, null, null, false), true);
    }

    private BondCompletionQueue(final VerbsScope scope, final CqInitAttributes init, final boolean isWaking) {
        this.scope = scope;
        core = scope.core();
        members = scope.members();
        qps = scope.qps();
        shared = scope.shared();
        cqe = init.cqe();
        cqContext = init.cqContext();
        channel = (BondCompletionChannel) init.channel();
        if (init.singleThreaded()) {
            isForOneThread();
        }
        memberCqs = new MemberCqs(core, members, this, channel, isWaking, cqe);
        number = core.nextNumber();
        try {
            owed = new OwedRing(
                    core.name(), number, cqe, bytes -> core.holds(this, bytes),
                    damage -> core.overranInside(this, damage));
        } catch (final RuntimeException | Error e) {
            members.all().forEach(memberCqs::close); // as where there is no memory
            throw e;
        }
        core.begins(owed, this);
        reserved = cqe;
        if (channel != null) {
            channel.retain();
        }
        members.addPart(this);
        core.traceCq(TraceEventDescriptor.CQ_CREATED, number, cqe);
        core.beginTrace(this);
    }

    @Override
    public boolean isOuter() {
        return true;
    }

    @Override
    public int tracedEvent() {
        return TraceEventDescriptor.POLLED;
    }

    @Override
    protected void onChanged() {
        plain(false);
    }

    /** Whether only members are to be polled; to be told again when those change. Inside the gate. */
    private void plain(final boolean value) {
        isPlain = value;
        only = value && polled.length == 1 ? polled[0] : null;
    }

    @Override
    public void drop(final Member member) {
        enter();
        try {
            memberCqs.close(member);
        } finally {
            leave();
        }
        tell(true);
    }

    @Override
    public void rebuild(final Member member) {
        memberCqs.requireFits(MemberCqs.Asked.ADD_MEMBER, member, reserved);
        final CompletionQueue cq = memberCqs.createOn(member, Math.max(reserved, MemberCqs.withRoom(cqe)));
        enter();
        try {
            memberCqs.set(member.index(), cq);
            if (request.isArmed()) {
                // Somebody sleeps until there is a completion, which may well come from here.
                memberCqs.arm(member.index(), request.isSolicitedOnly());
            }
        } finally {
            leave();
        }
    }

    /** A physical QP on that member begins (+1) or ceases (-1) to complete here. */
    public void attach(final Member member, final int change) {
        enter();
        try {
            polled = memberCqs.attach(member, change);
            plain(isPlain);
        } finally {
            leave();
        }
    }

    /** The physical CQ on a member; control path. */
    public CompletionQueue on(final Member member) {
        return memberCqs.on(member);
    }

    /**
     * Makes room for the requests of one more queue: all of them, and a marker, can land here at once after a failure,
     * and every QP may fail over to the same member.
     */
    public void reserve(final int requests) {
        makeRoom(MemberCqs.Asked.CREATE_QP, reserved + requests);
        users++;
    }

    private void makeRoom(final MemberCqs.Asked asked, final int needed) {
        for (final Member member : members.all()) {
            final int target = memberCqs.growth(asked, member, needed);
            if (target > 0) {
                enter();
                try {
                    memberCqs.resize(asked, member, target);
                } finally {
                    leave();
                }
            }
        }
        reserved = needed;
    }

    /** Takes a reservation back that no queue came to use. */
    public void unreserve(final int requests) {
        users--;
        reserved -= requests;
    }

    public void release(final int requests, final QueuePair qp) {
        unreserve(requests);
        forget(qp);
    }

    @Override
    public Context context() {
        return scope.context();
    }

    @Override
    public @Nullable Object cqContext() {
        return cqContext;
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public int cqe() {
        return cqe;
    }

    // ---- for who looks, control lock --------------------------------------------------------------------------

    public int number() {
        return number;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Requests that may complete here at once. */
    public int reserved() {
        return reserved;
    }

    /** Completions that the bond keeps for the application, as seen in passing. */
    public int owedAtGlance() {
        return owed.countAtGlance();
    }

    /** How full it is at each member, in words, by the member's name. */
    public Map<String, String> atMembers() {
        return memberCqs.describe();
    }

    @Override
    public int pending() {
        core.lock();
        enter();
        try {
            final int atMembers = memberCqs.pending();
            return closed || atMembers < 0 ? atMembers : owed.countAtGlance() + flushes() + atMembers;
        } finally {
            leave();
            core.unlock();
        }
    }

    // ---- polling ----------------------------------------------------------------------------------------------

    @Override
    public int poll(final long wcAddress, final int maxEntries) {
        enterOwn();
        try {
            final CompletionQueue cq = only;
            return cq != null ? pollOnly(cq, wcAddress, maxEntries)
                    : isPlain ? pollMembers(wcAddress, 0, maxEntries) : pollAll(wcAddress, maxEntries);
        } finally {
            leave();
        }
    }

    /** As {@link #poll(long, int)}, of one that is {@link #waking}; what completes later is told. Control lock. */
    public int pollHeard(final long wcAddress, final int maxEntries) {
        memberCqs.ask();
        return poll(wcAddress, maxEntries);
    }

    /** The common case, without a loop: what is kept for one takes the registers that a completion needs. */
    private int pollOnly(final CompletionQueue cq, final long wcAddress, final int maxEntries) {
        final int got = cq.poll(wcAddress, maxEntries);
        if (got <= 0) {
            return 0;
        }
        final int count = got == 1 ? translate(wcAddress) ? 1 : 0 : translateAll(wcAddress, got);
        return got == maxEntries && count < got ? pollOn(cq, wcAddress, count, maxEntries) : count;
    }

    private int pollOn(final CompletionQueue cq, final long wcAddress, final int count, final int maxEntries) {
        return count + pollMember(cq, wcAddress + (long) count * WcDescriptor.SIZE, maxEntries - count);
    }

    private int pollMembers(final long wcAddress, final int already, final int maxEntries) {
        int count = already;
        final CompletionQueue[] cqs = polled;
        for (int i = 0; i < cqs.length && count < maxEntries; i++) {
            count += pollMember(cqs[i], wcAddress + (long) count * WcDescriptor.SIZE, maxEntries - count);
        }
        return count;
    }

    /** What is owed first, and the flushes of queues in error last. */
    private int pollAll(final long wcAddress, final int maxEntries) {
        if (closed) {
            return -Errno.EINVAL;
        }
        int count = pollMembers(wcAddress, owed.drainTo(wcAddress, maxEntries), maxEntries);
        if (mayFlush) {
            count += flush(wcAddress + (long) count * WcDescriptor.SIZE, maxEntries - count);
        }
        if (isTraced()) {
            tellPolled(wcAddress, count);
        }
        plain(owed.isEmpty() && flushing.isEmpty() && !isTraced());
        return count;
    }

    private int pollMember(final CompletionQueue cq, final long wcAddress, final int max) {
        int count = 0;
        int asked;
        int got;
        do {
            asked = max - count;
            final long at = wcAddress + (long) count * WcDescriptor.SIZE;
            got = cq.poll(at, asked);
            if (got > 0) {
                // One at a time is the common case; the loop costs more than its body.
                count += got == 1 ? (translate(at) ? 1 : 0) : translateAll(at, got);
            }
            // Hidden completions freed slots: ask again, so that "fewer than asked" keeps meaning "empty".
        } while (got == asked && count < max);
        return count;
    }

    /** Translates what was polled and closes up the gaps that hidden completions leave; how many are left. */
    private int translateAll(final long at, final int got) {
        int kept = 0;
        int done = 0;
        while (done < got) {
            final long wc = at + (long) done * WcDescriptor.SIZE;
            final int sends = ConnectedCompletions.translateSends(qps, wc, got - done);
            final int seen = sends != 0 ? sends : translate(wc) ? 1 : 0;
            if (kept != done && seen != 0) {
                NativeMemory.copy(wc, at + (long) kept * WcDescriptor.SIZE, (long) seen * WcDescriptor.SIZE);
            }
            kept += seen;
            done += sends != 0 ? sends : 1;
        }
        return kept;
    }

    private boolean translate(final long wc) {
        return ConnectedCompletions.translate(qps, shared, wc);
    }

    private int flush(final long wcAddress, final int max) {
        mayFlush = false; // what is posted from now on is seen, or says so again
        int count = 0;
        for (int i = 0; i < flushing.size() && count < max; i++) {
            final FlushSource source = flushing.get(i);
            while (count < max && source.next(wcAddress + (long) count * WcDescriptor.SIZE)) {
                count++;
            }
        }
        if (count >= max) {
            mayFlush = true;
        }
        return count;
    }

    /** A queue in error was posted to. Inside the gate of that queue. */
    void onPostedInError() {
        mayFlush = true;
    }

    // ---- control thread -----------------------------------------------------------------------------------------

    /**
     * Takes what the member CQs hold and keeps it for the application, in order: how a drain makes progress when the
     * application does not poll.
     *
     * @param mayEventsDie a member's own events may never be heard
     */
    public void pollIntoOwed(final boolean mayEventsDie) {
        enter();
        try {
            for (final CompletionQueue cq : polled) {
                for (int i = 0; i < reserved + DRAIN_BATCH; i++) {
                    final long wc = owed.claim();
                    if (cq.poll(wc, 1) != 1) {
                        break;
                    }
                    if (translate(wc)) {
                        owe(wc);
                    }
                }
            }
        } finally {
            leave();
        }
        tell(mayEventsDie);
    }

    /** The entry claimed last is complete. */
    private void owe(final long wc) {
        owed.commit();
        plain(false);
        request.owed(NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET));
    }

    /** Owes the application what the source writes, one completion after the other, until it has no more. */
    public void oweAll(final CompletionSource source) {
        enter();
        try {
            for (long wc = owed.claim(); source.next(wc); wc = owed.claim()) {
                owe(wc);
            }
        } finally {
            leave();
        }
        tell(false);
    }

    /** Owes the application the next one of the source's, where it has one. */
    public void oweNext(final CompletionSource source) {
        enter();
        try {
            final long wc = owed.claim();
            if (!source.next(wc)) {
                return;
            }
            owe(wc);
        } finally {
            leave();
        }
        tell(false);
    }

    public void addFlushSource(final FlushSource source) {
        enter();
        try {
            if (!flushing.contains(source)) {
                flushing.add(source);
                plain(false);
            }
            mayFlush = true;
        } finally {
            leave();
        }
        notifyIfArmed();
    }

    /** A queue pair goes, or goes to RESET: what was not polled of its life is not seen in the next. */
    public void forget(final QueuePair qp) {
        enter();
        try {
            flushing.removeIf(source -> source.owner() == qp);
            owed.purge(qp.qpNum());
        } finally {
            leave();
        }
    }

    // ---- notification -------------------------------------------------------------------------------------------

    @Override
    public void reqNotify(final boolean onlySolicited) {
        final boolean pending;
        enterOwn();
        try {
            request.arm(onlySolicited);
            memberCqs.armAll(onlySolicited);
            pending = !request.isSolicitedOnly() && !owed.isEmpty() || flushes() > 0;
        } finally {
            leave();
        }
        if (pending) {
            notifyIfArmed();
        }
    }

    private int flushes() {
        int count = 0;
        for (final FlushSource source : mayFlush ? flushing : List.<FlushSource>of()) {
            count += source.size();
        }
        return count;
    }

    private void tell(final boolean mayEventsDie) {
        enter();
        final boolean isDue = request.isDue(mayEventsDie);
        leave();
        if (isDue) {
            notifyIfArmed();
        }
    }

    /** One event on the channel, when one was asked for; called without the gate. */
    public void notifyIfArmed() {
        if (channel != null && disarm()) {
            channel.offer(this);
        }
    }

    /** The event of a member's CQ: as {@link #disarm}. */
    boolean heard(final int member, final CompletionQueue physical) {
        enter();
        try {
            return memberCqs.heard(member, physical, request);
        } finally {
            leave();
        }
    }

    /** Consumes the application's request for an event; false when there is none. */
    private boolean disarm() {
        enter();
        final boolean was = request.take();
        leave();
        return was;
    }

    @Override
    public void resize(final int newCqe) {
        scope.limits().checkCqe("resizeCq", core.name() + " cq", newCqe);
        core.lock();
        try {
            if (newCqe < cqe) {
                pollIntoOwed(false); // what the bond hides is no completion of the application's
            }
            if (closed || owed.countAtGlance() > newCqe) {
                throw new VerbsException(
                        "resizeCq", Errno.EINVAL, core.name() + " cq",
                        closed ? "the completion queue was destroyed" : owed.countAtGlance() + " completions wait");
            }
            makeRoom(MemberCqs.Asked.RESIZE_CQ, reserved + newCqe - cqe);
            cqe = newCqe;
        } finally {
            core.unlock();
        }
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            if (users > 0) {
                throw new VerbsException(
                        "destroyCq", Errno.EBUSY, core.name() + " cq",
                        users + " queues of queue pairs still complete to it; destroy those first");
            }
            members.removePart(this);
            enter();
            try {
                closed = true;
                plain(false);
                memberCqs.close();
                polled = new CompletionQueue[0];
                owed.close();
                core.ends(owed);
            } finally {
                leave();
            }
            if (channel != null) {
                channel.release(this);
            }
            core.dropEvents(this);
            core.endTrace(this);
            core.traceCq(TraceEventDescriptor.CQ_CLOSED, number, 0);
            core.ends(this);
            scope.children().remove(this);
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " cq " + number;
    }
}
