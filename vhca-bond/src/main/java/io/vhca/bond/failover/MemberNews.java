package io.vhca.bond.failover;

import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.recovery.wire.FailureReason;

/** What the recoveries of a bond do when a member of it changes. Control lock. */
final class MemberNews implements MemberObserver {
    private final Recoveries recoveries;

    MemberNews(final Recoveries recoveries) {
        this.recoveries = recoveries;
    }

    /** Whatever runs over the member fails now, not when the retry budget is spent. */
    @Override
    public void onDown(final Member member, final FailureReason reason, final long nowNs) {
        recoveries.forEach(recovery -> down(recovery, member, reason, nowNs));
    }

    private static void down(
            final QpRecovery recovery, final Member member, final FailureReason reason, final long nowNs) {
        if (recovery.machineOrNull() == null || recovery.isDead()) {
            return;
        }
        recovery.paths().refresh(member);
        if (recovery.exchange().isTrying(member)) {
            recovery.machine().onConnectFailed(nowNs);
        } else if (recovery.attachment().member() == member) {
            recovery.machine().onPathFailure(reason, nowNs);
        }
    }

    @Override
    public void onUp(final Member member, final long nowNs) {
        recoveries.forEach(recovery -> {
            if (recovery.machineOrNull() != null && !recovery.isDead()) {
                recovery.paths().refresh(member);
                recovery.machine().onPathUp(member.index(), nowNs);
            }
        });
    }

    /** Connections over the member are made anew, over the same path: another place in its table is its GID. */
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

    /** What the member's paths had against them is forgotten. */
    @Override
    public void onForgiven(final Member member) {
        recoveries.forEach(recovery -> {
            if (recovery.machineOrNull() != null) {
                recovery.paths().forgive(member);
            }
        });
    }

    /** No QP is left on the member: nothing comes from there any more. */
    @Override
    public void onBuried(final Member member) {
        recoveries.forEach(recovery -> {
            if (recovery.isDraining() && recovery.attachment().member() == member) {
                recovery.finishDrain();
            }
        });
    }

    @Override
    public void onLeft(final Member member) {
        recoveries.forEach(recovery -> {
            if (recovery.machineOrNull() != null) {
                recovery.paths().left(member);
            }
        });
    }
}
