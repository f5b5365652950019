package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.link.Channels;
import io.vhca.bond.link.PathChannel;
import io.vhca.bond.member.Member;
import io.vhca.bond.verbs.BondQueuePair;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What stands by for the vQPs of a bond: the {@link Standby} of each, made by and by while nothing is wrong, and the
 * channels of the paths on which some do. Control lock.
 */
final class Standbys implements PathChannel.Listener {
    /** So many are begun at once, so that they are in nobody's way. */
    private static final int BATCH = 16;
    /** So many are looked at for that, as there may be none that can be made. */
    private static final int MOST_LOOKED_AT = 64;
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** A link that is up carries a little later; who asks for a neighbour too early asks again after a second. */
    private static final long SETTLES_NS = TimeUnit.MILLISECONDS.toNanos(200);
    /** So long at most the recoveries come first that a member's end causes. */
    private static final long CLEARS_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Recoveries recoveries;
    private final BondCore core;
    private final Channels channels;
    private final SequencedSet<Standby> wanting = new LinkedHashSet<>();
    /** Those that stand by, are being made, or were taken by a recovery that is under way. */
    private final Set<Standby> made = new LinkedHashSet<>();
    /** So many that were looked at one after the other could not be made. */
    private int inVain;

    private long nextLookNs;
    private long probedNs;
    /** Others are being connected. */
    private boolean isWaiting;

    private long waitsSinceNs;
    /** When there was no channel to be ended. */
    private long noneLeftNs;

    private int ups;
    /** Whether the bond kept any in the last turn. */
    private boolean wasOn;
    /** How often peers had said what their members are. */
    private int tellings;
    private int numbers;

    Standbys(final Recoveries recoveries) {
        this.recoveries = recoveries;
        core = recoveries.scope().core();
        wasOn = isOn();
        channels = new Channels(core, recoveries.scope().links(), recoveries.scope().members(), this);
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

    /** How often an own member came up. */
    int ups() {
        return ups;
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
            inVain = 0;
        }
    }

    /** There is something of it now that counts. */
    void begun(final Standby standby) {
        assert core.holdsLock();
        made.add(standby);
    }

    /** There is not any more, and none is wanted. */
    void forget(final Standby standby) {
        assert core.holdsLock();
        made.remove(standby);
        wanting.remove(standby);
    }

    /** Whether there may be one more. */
    boolean hasRoom() {
        return room() > 0;
    }

    private int room() {
        return core.config().standbyMax() - made.size();
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

    int doWork(final long nowNs) {
        assert core.holdsLock();
        if (!channels.hasLeft()) {
            noneLeftNs = nowNs;
        }
        int work = channels.poll(nowNs);
        followOption(nowNs);
        final int told = recoveries.tellings();
        if (told != tellings) {
            tellings = told;
            channels.endOutdated();
            lookAgain(nowNs);
        }
        if (channels.hasSuspects()) {
            channels.lookAtSuspects(channel -> made.stream().anyMatch(standby -> standby.isIdleBy(channel)));
        }
        if (channels.hasLeft() && nowNs - endsLeftAtNs() >= 0) {
            channels.endLeft();
        }
        if (isWatching() && nowNs - nextLookNs >= 0) {
            nextLookNs = nowNs + core.config().pathTimeoutNs();
            channels.endUnneeded();
            probe(nowNs);
            leaveDrained();
            if (isOn()) {
                giveUpSome();
                work += makeSome(nowNs);
            } else {
                wanting.clear();
                recoveries.forEach(recovery -> recovery.exchange().standby().drop());
                channels.endAll();
            }
        }
        return work;
    }

    /** An operator lets the bond keep some from now on: the vQPs that are healthy have none yet. */
    private void followOption(final long nowNs) {
        final boolean hasBegun = isOn() && !wasOn;
        wasOn = isOn();
        if (hasBegun) {
            recoveries.forEach(recovery -> {
                if (recovery.healthyLink() != null) {
                    recovery.exchange().settle(nowNs);
                }
            });
        }
    }

    /** Nothing stands by on a member that an operator has drained, or that is to go. */
    private void leaveDrained() {
        made.stream().filter(Standby::isOnDrained).toList().forEach(Standby::giveUp);
        channels.endOnDrained();
    }

    /** What stands by and does not work any more is found before it is needed. */
    private void probe(final long nowNs) {
        final long everyNs = core.config().heartbeatNs();
        if (everyNs != 0 && nowNs - probedNs >= everyNs) {
            probedNs = nowNs;
            channels.probe();
        }
    }

    /** To end a connection takes longer than to recover one over another member. */
    private long endsLeftAtNs() {
        return recoveries.isAnyUnderWay() ? noneLeftNs + CLEARS_NS : noneLeftNs;
    }

    long nextDeadlineNs() {
        return new EarliestDeadline()
                .add(channels.hasLeft() ? endsLeftAtNs() : Long.MAX_VALUE)
                .add(isWatching() ? nextLookNs : Long.MAX_VALUE)
                .add(channels.hasUnsent() || channels.hasSuspects() ? core.nowNs() : Long.MAX_VALUE)
                .atNs();
    }

    /** Sends what was said: at the end of a turn, or before something in it that takes long. */
    void flush() {
        channels.flush();
    }

    /** Begins some of those that are wanted; who cannot be made now comes behind the others. */
    private int makeSome(final long nowNs) {
        if (mustWait(nowNs)) {
            nextLookNs = nowNs + PACE_NS;
            return 0;
        }
        final int room = Math.min(BATCH, room());
        int begun = 0;
        for (int looked = 0; begun < room && looked < MOST_LOOKED_AT && inVain < wanting.size(); looked++) {
            final Standby first = wanting.removeFirst();
            if (first.make(nowNs)) {
                inVain = 0;
                begun++;
            } else {
                wanting.add(first);
                inVain++;
            }
        }
        if (begun > 0 || room > 0 && inVain < wanting.size()) {
            nextLookNs = nowNs + PACE_NS;
        } else {
            inVain = 0;
            betterSome(nowNs);
        }
        return begun;
    }

    /** What stands by on the member of the peer that is in use as well goes with that: some are made anew elsewhere. */
    private void betterSome(final long nowNs) {
        final List<Standby> poor =
                made.stream().filter(one -> one.hasBetter(nowNs)).limit(BATCH).toList();
        poor.forEach(Standby::giveUp);
        if (!poor.isEmpty()) {
            lookBy(nowNs + PACE_NS);
        }
    }

    /** Connections that are being made come first, and the batch before: for so long as one of them may take. */
    private boolean mustWait(final long nowNs) {
        final boolean isBusy = !wanting.isEmpty() && recoveries.isAnyPending();
        if (isBusy && !isWaiting) {
            waitsSinceNs = nowNs;
        }
        isWaiting = isBusy && nowNs - waitsSinceNs < core.config().pathTimeoutNs();
        return isWaiting;
    }

    /** The member has no room for a queue pair that is needed: one that stands by there gives way; false without. */
    boolean giveWay(final Member member) {
        for (final Standby standby : made) {
            if (standby.isSpareOn(member)) {
                standby.giveWay();
                return true;
            }
        }
        return false;
    }

    /** An operator allows fewer than there are: the oldest are closed, and made again when there is room. */
    private void giveUpSome() {
        final int room = room();
        if (room < 0) {
            made.stream().filter(Standby::isSpare).limit(-room).toList().forEach(Standby::giveUp);
        }
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
        final long nowNs = core.nowNs();
        recoveries.forEach(recovery -> recovery.exchange().standby().learn(channel, nowNs));
        lookAgain(nowNs);
    }

    /** What stands by on that path cannot be used any more. Where the peer has drained it there may be another. */
    @Override
    public void onOver(final PathChannel channel) {
        final long nowNs = core.nowNs();
        recoveries.forEach(recovery -> {
            recovery.exchange().standby().learn(channel, nowNs);
            recovery.exchange().standby().onChannelOver(channel);
        });
        if (channel.isPeerDrained()) {
            lookAgain(nowNs);
        }
    }

    // ---- members ----------------------------------------------------------------------------------------------------

    void onDown(final Member member) {
        if (member.isAlive()) {
            channels.leave(member);
        } else {
            channels.endOn(member);
        }
    }

    void onUp(final long nowNs) {
        ups++;
        lookAgain(nowNs + SETTLES_NS);
    }

    private void lookAgain(final long atNs) {
        nextLookNs = atNs;
        inVain = 0;
    }
}
