package io.vhca.bond.failover;

import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.recovery.wire.FailureReason;

/** What the recoveries of all vQPs do when a member of the bond changes. Control lock. */
final class MemberNews implements MemberObserver {
    private final Recoveries recoveries;

    MemberNews(final Recoveries recoveries) {
        this.recoveries = recoveries;
    }

    @Override
    public void onDown(final Member member, final FailureReason reason, final long nowNs) {
        recoveries.forEach(recovery -> onDown(recovery, member, reason, nowNs));
        // The peer begins its part while this side looks after what is left of the member.
        recoveries.standbys().flush();
        recoveries.standbys().onDown(member);
    }

    @Override
    public void onUp(final Member member, final long nowNs) {
        recoveries.forEach(recovery -> onUp(recovery, member, nowNs));
        recoveries.standbys().onUp(nowNs);
    }

    /** Another place in its table is the member's GID: queue pairs there are made anew, over the same path. */
    @Override
    public void onGidMoved(final Member member) {
        recoveries.forEach(recovery -> {
            final PathLink link = recovery.healthyLink();
            if (link != null && link.member() == member) {
                recovery.machine().wantPath(recovery.machine().path());
                recovery.onPathFailure(FailureReason.PLANNED, recoveries.scope().core().nowNs());
            }
        });
    }

    @Override
    public void onForgiven(final Member member) {
        recoveries.forEach(recovery -> {
            if (recovery.machineOrNull() != null) {
                recovery.paths().forgive(member);
            }
        });
    }

    /** What waits for the end of a pause tries every member that is up now. */
    @Override
    public void onLookAgain(final long nowNs) {
        for (final Member member : recoveries.scope().members().all()) {
            if (member.isUp()) {
                onForgiven(member);
                onUp(member, nowNs);
            }
        }
    }

    @Override
    public void onBuried(final Member member) {
        recoveries.forEach(recovery -> onBuried(recovery, member));
    }

    @Override
    public void onLeft(final Member member) {
        recoveries.forEach(recovery -> onLeft(recovery, member));
    }

    /** A member went down: whatever runs over it fails now, not when the retry budget is spent. */
    private static void onDown(
            final QpRecovery recovery, final Member member, final FailureReason reason, final long nowNs) {
        final PlainConnection plain = recovery.plain();
        if (recovery.isDead()) {
            return;
        }
        if (plain != null) {
            if (plain.link().member() == member) {
                plain.fail();
            }
            return;
        }
        if (recovery.machineOrNull() == null) {
            return;
        }
        recovery.paths().refresh(member);
        recovery.exchange().onDown(member);
        if (recovery.exchange().isTrying(member)) {
            recovery.machine().onConnectFailed(nowNs);
        } else if (recovery.attachment().member() == member) {
            recovery.machine().onPathFailure(reason, nowNs);
        }
    }

    /** The member's device is dead and no QP is left on it: nothing of this vQP comes from there any more. */
    private static void onBuried(final QpRecovery recovery, final Member member) {
        if (recovery.isDraining() && recovery.attachment().member() == member) {
            recovery.finishDrain();
        }
    }

    /** The member was removed from the bond. */
    private static void onLeft(final QpRecovery recovery, final Member member) {
        if (recovery.machineOrNull() != null) {
            recovery.paths().left(member);
        }
    }

    private static void onUp(final QpRecovery recovery, final Member member, final long nowNs) {
        if (recovery.machineOrNull() != null && !recovery.isDead()) {
            recovery.paths().refresh(member);
            recovery.machine().onPathUp(member.index(), nowNs);
        }
    }
}
