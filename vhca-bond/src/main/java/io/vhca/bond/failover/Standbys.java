package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.Channels;
import io.vhca.bond.link.PathChannel;
import io.vhca.bond.member.Member;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What stands by for the vQPs of a bond: the {@link Standby} of each, made by and by while nothing is wrong, and the
 * channels of the paths on which some do. Control lock.
 */
final class Standbys implements PathChannel.Listener {
    /** So many are begun at once, so that they are in nobody's way. */
    private static final int BATCH = 16;
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Recoveries recoveries;
    private final BondCore core;
    private final Channels channels;
    private final Set<Standby> wanting = new LinkedHashSet<>();
    private long nextLookNs;
    private int numbers;

    Standbys(final Recoveries recoveries) {
        this.recoveries = recoveries;
        core = recoveries.scope().core();
        channels = new Channels(core, recoveries.scope().links(), this);
    }

    Standby create(final QpRecovery recovery, final BondQueuePair qp) {
        return new Standby(
                this, recovery, qp, new StandbyRecords(core, recoveries.scope().members(), recovery, qp.qpNum()));
    }

    BondCore core() {
        return core;
    }

    /** When one is made again that has ended at this time. */
    long againAt(final long nowNs) {
        return nowNs + core.config().pathTimeoutNs();
    }

    Channels channels() {
        return channels;
    }

    int nextNumber() {
        return ++numbers;
    }

    /** Whether the bond keeps any. */
    boolean isOn() {
        return core.config().standsBy();
    }

    // ---- made -------------------------------------------------------------------------------------------------------

    /** The vQP has none and shall have one. */
    void want(final Standby standby, final long nowNs) {
        assert core.holdsLock();
        if (isOn() && !wanting.contains(standby)) {
            lookBy(nowNs + PACE_NS);
            wanting.add(standby);
        }
    }

    /** The bond looks then at the latest whether something is to be made, or is not needed any more. */
    void lookBy(final long atNs) {
        if (nextLookNs - atNs > 0 || !isWatching()) {
            nextLookNs = atNs;
        }
    }

    /** While there is something to do, or something that may not be needed any more. */
    private boolean isWatching() {
        return !wanting.isEmpty() || !channels.isEmpty();
    }

    void forget(final Standby standby) {
        assert core.holdsLock();
        wanting.remove(standby);
    }

    int doWork(final long nowNs) {
        assert core.holdsLock();
        int work = channels.poll(nowNs);
        if (isWatching() && nowNs - nextLookNs >= 0) {
            nextLookNs = nowNs + core.config().pathTimeoutNs();
            channels.endUnneeded();
            if (isOn()) {
                work += makeSome(nowNs);
            } else {
                wanting.clear();
                recoveries.forEach(recovery -> recovery.exchange().standby().drop());
                channels.endAll();
            }
        }
        return work;
    }

    long nextDeadlineNs() {
        return new EarliestDeadline().add(isWatching() ? nextLookNs : Long.MAX_VALUE).atNs();
    }

    private int makeSome(final long nowNs) {
        int room = wanting.isEmpty() ? 0 : Math.min(BATCH, core.config().standbyMax() - count());
        int begun = 0;
        for (final Standby standby : List.copyOf(wanting)) {
            if (room > 0 && standby.make(nowNs)) {
                wanting.remove(standby);
                room--;
                begun++;
            }
        }
        if (begun > 0) {
            nextLookNs = nowNs + PACE_NS;
        }
        return begun;
    }

    /** How many stand by or are being made. */
    private int count() {
        final int[] found = new int[1];
        recoveries.forEach(recovery -> found[0] += recovery.exchange().standby().isMade() ? 1 : 0);
        return found[0];
    }

    /** The member has no room for a queue pair that is needed: one that stands by there gives way; false without. */
    boolean giveWay(final Member member) {
        final Standby[] found = new Standby[1];
        recoveries.forEach(recovery -> {
            if (found[0] == null && recovery.exchange().standby().isIdleOn(member)) {
                found[0] = recovery.exchange().standby();
            }
        });
        if (found[0] != null) {
            found[0].drop();
        }
        return found[0] != null;
    }

    // ---- what channels tell -----------------------------------------------------------------------------------------

    @Override
    public void onMessage(
            final PathChannel channel, final int kind, final int qpNum, final int number, final byte[] data,
            final long nowNs) {
        final QpRecovery recovery = recoveries.find(qpNum);
        if (recovery != null) {
            recovery.exchange().standby().onMessage(channel, kind, number, data, nowNs);
        }
    }

    @Override
    public void onEstablished(final PathChannel channel) {
        nextLookNs = core.nowNs();
    }

    /** What stands by on that path cannot be used any more. */
    @Override
    public void onOver(final PathChannel channel) {
        recoveries.forEach(recovery -> recovery.exchange().standby().onChannelOver(channel));
    }

    // ---- members ----------------------------------------------------------------------------------------------------

    void onDown(final Member member) {
        channels.endOn(member);
    }

    void onUp(final long nowNs) {
        nextLookNs = nowNs;
    }
}
