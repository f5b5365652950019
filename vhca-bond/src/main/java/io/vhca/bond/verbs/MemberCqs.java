package io.vhca.bond.verbs;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.member.WakingCq;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The physical CQs under a vCQ, one a member; none where the member's device is gone. Inside the vCQ's gate. */
final class MemberCqs {
    /** So many times what is asked for: the first queue pairs fit without a resize, which not every device does. */
    private static final int ROOM = 4;

    private final BondCore core;
    private final Members members;
    private final BondCompletionQueue of;
    private final @Nullable BondCompletionChannel channel;
    private final boolean isWaking;
    /** Of a vCQ of the bond's own: whose each is, and who hears of it. Control lock. */
    private final Map<CompletionQueue, WakingCq> waking = new IdentityHashMap<>(0);

    private @Nullable CompletionQueue[] cqs;
    /** How many physical QPs complete to each. */
    private int[] attached;
    /** What each was asked to tell and has not told yet. An event that waits in the channel is told when it is read. */
    private Request[] requests;

    /** What needs room, and what to do where there is none. */
    enum Asked {
        /** A queue pair. */
        CREATE_QP("createQp", "spread the queue pairs over several CQs"),
        /** More entries. */
        RESIZE_CQ("resizeCq", "ask for fewer entries"),
        /** What the CQ has already. */
        ADD_MEMBER("addMember", "a member needs a device that holds as many");

        private final String verb;
        private final String advice;

        Asked(final String verb, final String advice) {
            this.verb = verb;
            this.advice = advice;
        }
    }

    private enum Request {
        NONE,
        SOLICITED,
        ANY
    }

    MemberCqs(
            final BondCore core,
            final Members members,
            final BondCompletionQueue of,
            final @Nullable BondCompletionChannel channel,
            final boolean isWaking,
            final int cqe) {
        this.core = core;
        this.members = members;
        this.of = of;
        this.channel = channel;
        this.isWaking = isWaking;
        cqs = new CompletionQueue[members.all().size()];
        attached = new int[cqs.length];
        requests = none(new Request[0], cqs.length);
        try {
            for (final Member member : members.all()) {
                cqs[member.index()] = member.part(core.counters(), () -> createOn(member, withRoom(cqe)));
            }
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static Request[] none(final Request[] before, final int count) {
        final Request[] after = Arrays.copyOf(before, count);
        Arrays.fill(after, before.length, count, Request.NONE);
        return after;
    }

    /** How many a member's is made for where the application asks for so many. */
    static int withRoom(final int cqe) {
        return (int) Math.min(Integer.MAX_VALUE, (long) ROOM * cqe);
    }

    /** A physical CQ that is not used yet; outside the gate. */
    CompletionQueue createOn(final Member member, final int cqe) {
        final int size = Math.min(cqe, member.attributes().maxCqe());
        final CompletionQueue made;
        if (isWaking) {
            final WakingCq owner = new WakingCq(members.wakers(), member, size, false);
            made = owner.queue();
            waking.put(made, owner);
        } else {
            made = member.context()
                    .createCq(size, of, channel == null ? null : channel.memberChannel(member.index()));
        }
        core.onMember(member.name(), made, 1);
        return made;
    }

    /** Of one of the bond's own: members that have told are asked to tell again. Control lock. */
    void ask() {
        assert isWaking : "an application asks by itself";
        waking.values().forEach(WakingCq::ask);
    }

    /** A physical QP on that member begins (+1) or ceases (-1) to complete here; the CQs that are in use now. */
    CompletionQueue[] attach(final Member member, final int change) {
        attached[member.index()] += change;
        int count = 0;
        final CompletionQueue[] used = new CompletionQueue[cqs.length];
        for (int i = 0; i < cqs.length; i++) {
            final CompletionQueue cq = cqs[i];
            if (cq != null && attached[i] > 0) {
                used[count++] = cq;
            }
        }
        return Arrays.copyOf(used, count);
    }

    CompletionQueue on(final Member member) {
        final CompletionQueue cq = cqs[member.index()];
        if (cq == null) {
            throw new VerbsException(
                    "createQp", Errno.EIO, member.name(), "the member has no completion queue: its device is dead");
        }
        return cq;
    }

    /**
     * To what size a member's CQ must grow to hold so many, 0 where it is large enough.
     *
     * @param asked what is asked for
     * @throws VerbsException ENOMEM where the member cannot hold as many
     */
    int growth(final Asked asked, final Member member, final int needed) {
        final CompletionQueue cq = cqs[member.index()];
        if (!member.isPresent() || cq != null && cq.cqe() >= needed) {
            return 0;
        }
        // One that is dead comes back with the same limit.
        requireFits(asked, member, needed);
        return cq == null || !member.isAlive() ? 0 : (int) Math.min(needed * 2L, member.attributes().maxCqe());
    }

    /** ENOMEM where the member cannot hold so many. */
    void requireFits(final Asked asked, final Member member, final int needed) {
        final int limit = member.attributes().maxCqe();
        if (limit < needed) {
            throw new VerbsException(
                    asked.verb,
                    Errno.ENOMEM,
                    core.name() + " cq",
                    "after a failover to " + member.name() + " " + needed
                            + " completions could land on it, its limit is " + limit + "; " + asked.advice);
        }
    }

    void resize(final Asked asked, final Member member, final int target) {
        try {
            on(member).resize(target);
            if (requests[member.index()] != Request.NONE) {
                // Not every device says whether a request outlives that.
                arm(member.index(), requests[member.index()] == Request.SOLICITED);
            }
            final WakingCq owner = waking.get(on(member));
            if (owner != null) {
                owner.heard();
            }
        } catch (final VerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.ENOSYS) {
                throw new VerbsException(
                        asked.verb, Errno.ENOMEM, core.name() + " cq",
                        member.name() + " cannot make its completion queue larger than " + on(member).cqe() + "; "
                                + (asked == Asked.CREATE_QP
                                        ? "create it with as many entries as all its queue pairs have requests"
                                        : asked.advice));
            }
            core.ignoredOfDeadInside(e); // nothing will ever land on its queue again
        }
    }

    void set(final int member, final CompletionQueue cq) {
        if (member >= cqs.length) {
            cqs = Arrays.copyOf(cqs, member + 1);
            attached = Arrays.copyOf(attached, member + 1);
            requests = none(requests, member + 1);
        }
        cqs[member] = cq;
        requests[member] = Request.NONE;
    }

    /** Destroys a member's CQ, where there is one. The member may not be in the list yet, or not any more. */
    void close(final Member member) {
        final CompletionQueue cq = member.index() < cqs.length ? cqs[member.index()] : null;
        if (cq != null) {
            final WakingCq owner = waking.remove(cq);
            if (owner == null) {
                cq.close();
            } else {
                owner.close();
            }
            cqs[member.index()] = null;
            core.onMember(member.name(), cq, -1);
        }
    }

    /** How full each is, in words, by the member's name. Control lock. */
    Map<String, String> describe() {
        final Map<String, String> found = new LinkedHashMap<>();
        for (int i = 0; i < cqs.length; i++) {
            final CompletionQueue cq = cqs[i];
            if (cq != null) {
                final int pending = cq.pending();
                found.put(
                        members.all().get(i).name(),
                        (pending < 0 ? "not told" : String.valueOf(pending)) + " of " + cq.cqe() + ", "
                                + attached[i] + " queues");
            }
        }
        return found;
    }

    /** What waits to be polled; -1 where a device that something completes at does not tell. */
    int pending() {
        int count = 0;
        for (int i = 0; i < cqs.length; i++) {
            final CompletionQueue cq = cqs[i];
            final int here = cq == null ? 0 : cq.pending();
            if (here < 0 && attached[i] > 0) {
                return -1;
            }
            count += Math.max(0, here);
        }
        return count;
    }

    /** Asks those that do not know yet: a request at a member that nothing comes from is as good as a new one. */
    void armAll(final boolean solicitedOnly) {
        final Request wanted = solicitedOnly ? Request.SOLICITED : Request.ANY;
        for (int i = 0; i < cqs.length; i++) {
            if (requests[i].compareTo(wanted) < 0) {
                arm(i, solicitedOnly);
            }
        }
    }

    void arm(final int member, final boolean solicitedOnly) {
        final CompletionQueue cq = cqs[member];
        if (cq == null) {
            return;
        }
        try {
            cq.reqNotify(solicitedOnly);
            requests[member] = solicitedOnly ? Request.SOLICITED : Request.ANY;
        } catch (final VerbsException e) {
            core.ignoredOfDeadInside(e); // nothing will ever land on its queue again
        }
    }

    /**
     * Its event was read: it tells nothing more until it is asked again.
     *
     * @param request the application's, which the event uses up
     * @return whether the event is the application's
     */
    boolean heard(final int member, final CompletionQueue cq, final EventRequest request) {
        final boolean isCurrent = cqs[member] == cq;
        final boolean wasForAll = isCurrent && requests[member] == Request.ANY;
        if (isCurrent) {
            // Before the application's is taken: one that comes from now on asks the member again.
            requests[member] = Request.NONE;
        }
        if (wasForAll && request.isArmed() && request.isSolicitedOnly()) {
            // An earlier request asked for more, and a member takes none back. What is there by now the application
            // finds after this event; of a solicited message that comes later it is told as it asked.
            arm(member, true);
            return true;
        }
        return request.take();
    }

    void close() {
        members.all().forEach(this::close);
    }
}
