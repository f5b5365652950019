package io.vhca.bond.verbs;

import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.member.Member;
import io.vhca.bond.queue.SharedSlots;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A physical SRQ under a vSRQ, on one member, with the vQPs whose physical QPs take receives from it. It lives as long
 * as it has any: destroying it is the only way to get receives back.
 *
 * <p>Threads: what it has outstanding is guarded by the vSRQ's gate; the vQPs are read inside any CQ's gate and written
 * with the control lock held.
 */
public final class PhysicalSrq extends SharedSlots.Holder {
    private static final int FIRST_SLOTS = 16;

    private final BondSharedReceiveQueue of;
    private final Member member;
    private final SharedReceiveQueue queue;
    private final int generation;
    private final List<BondQueuePair> users = new ArrayList<>();
    private volatile Numbers numbers = new Numbers(new int[FIRST_SLOTS], new BondQueuePair[FIRST_SLOTS]);
    /** Inside the vSRQ's gate. */
    private boolean retired;
    /** Inside the vSRQ's gate: a vQP takes receives from it. */
    private boolean used;
    /** Of each physical QP over it, be it used or not. */
    private final List<BondQueuePair> attached = new ArrayList<>();

    /** The hardware does not take receives any more. */
    boolean broken;

    /** Physical QP number to vQP, open addressing; number 0 is no QP's. Not written once published. */
    private record Numbers(int[] qpNums, @Nullable BondQueuePair[] qps) {
        @Nullable BondQueuePair find(final int qpNum) {
            final int mask = qpNums.length - 1;
            for (int i = mix(qpNum) & mask; qpNums[i] != 0; i = i + 1 & mask) {
                if (qpNums[i] == qpNum) {
                    return qps[i];
                }
            }
            return null;
        }

        private void put(final int qpNum, final @Nullable BondQueuePair qp) {
            final int mask = qpNums.length - 1;
            int i = mix(qpNum) & mask;
            while (qpNums[i] != 0 && qpNums[i] != qpNum) {
                i = i + 1 & mask;
            }
            qpNums[i] = qpNum;
            qps[i] = qp;
        }

        private static int mix(final int qpNum) {
            return qpNum * 0x9E37_79B1 >>> 7;
        }
    }

    PhysicalSrq(
            final BondSharedReceiveQueue of,
            final Member member,
            final SharedReceiveQueue queue,
            final int generation) {
        this.of = of;
        this.member = member;
        this.queue = queue;
        this.generation = generation;
    }

    Member member() {
        return member;
    }

    /** What it has, in words, as seen in passing. */
    String describe() {
        return outstanding() + " receives, " + users.size() + " queue pairs" + (retired ? ", retired" : "")
                + (broken ? ", broken" : "");
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    /** Tells it from earlier ones of the same vSRQ; 16 bits. */
    int generation() {
        return generation;
    }

    /** True when no further vQP comes here: its receives are wanted elsewhere. */
    boolean isRetired() {
        return retired;
    }

    /** Inside the vSRQ's gate. */
    void retire() {
        retired = true;
    }

    /**
     * Nobody comes here any more, not even who stands by: what it has comes back when its queue pairs have left. One
     * that uses it may stand by here as well, over another path.
     */
    void leaveStandbys() {
        final List<BondQueuePair> standingBy = new ArrayList<>(attached);
        users.forEach(standingBy::remove);
        for (final BondQueuePair qp : standingBy) {
            qp.lifecycle().attachment().giveUpStandby();
        }
    }

    List<BondQueuePair> users() {
        return users;
    }

    /** Whether one of them stays here, as its peer has no bond. */
    boolean isHeld() {
        return users.stream().anyMatch(user -> user.lifecycle().attachment().isPlain());
    }

    /** Whether any vQP takes receives from it: who only stands by needs none. Inside the vSRQ's gate. */
    boolean isUsed() {
        return used;
    }

    /** Inside the vSRQ's gate. */
    void used(final boolean value) {
        used = value;
    }

    /** A physical QP is about to be created over it, for a vQP that may use it later. */
    void attach(final BondQueuePair qp) {
        attached.add(qp);
    }

    /** One that was created is used from now on, under its number. */
    public void add(final int qpNum, final BondQueuePair qp) {
        users.add(qp);
        publish(qpNum, qp);
        of.used(this);
    }

    /** It was destroyed, or could not be created (number 0). */
    public void detach(final int qpNum, final BondQueuePair qp) {
        if (userOf(qpNum) == qp) {
            users.remove(qp);
            publish(qpNum, null);
        }
        attached.remove(qp);
        if (attached.isEmpty()) {
            of.abandoned(this);
        } else if (users.isEmpty()) {
            of.unused(this);
        }
    }

    private void publish(final int qpNum, final @Nullable BondQueuePair qp) {
        final Numbers old = numbers;
        int size = FIRST_SLOTS;
        while (size < 4 * users.size()) {
            size *= 2;
        }
        final Numbers next = new Numbers(new int[size], new BondQueuePair[size]);
        for (int i = 0; i < old.qpNums.length; i++) {
            if (old.qps[i] != null && old.qpNums[i] != qpNum) {
                next.put(old.qpNums[i], old.qps[i]);
            }
        }
        if (qp != null) {
            next.put(qpNum, qp);
        }
        numbers = next;
    }

    /** The vQP of a completion, or null where it is gone. */
    @Nullable BondQueuePair userOf(final int qpNum) {
        return numbers.find(qpNum);
    }

    /** Destroys it. */
    void close(final BondCounters counters) {
        try {
            queue.close();
        } catch (final VerbsException e) {
            counters.ignoredOfDead(e);
        }
    }
}
