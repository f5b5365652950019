package io.vhca.bond.failover;

import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.FailureReason;

/** What the recovery of one vQP does when a member of the bond changes. Static functions of it; control lock. */
final class MemberNews {
    private MemberNews() {}

    /** A member went down: whatever runs over it fails now, not when the retry budget is spent. */
    static void onDown(
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
        if (recovery.exchange().isTrying(member)) {
            recovery.machine().onConnectFailed(nowNs);
        } else if (recovery.attachment().member() == member) {
            recovery.machine().onPathFailure(reason, nowNs);
        }
    }

    /** The member's device is dead and no QP is left on it: nothing of this vQP comes from there any more. */
    static void onBuried(final QpRecovery recovery, final Member member) {
        if (recovery.isDraining() && recovery.attachment().member() == member) {
            recovery.finishDrain();
        }
    }

    /** The member was removed from the bond. */
    static void onLeft(final QpRecovery recovery, final Member member) {
        if (recovery.machineOrNull() != null) {
            recovery.paths().left(member);
        }
    }

    static void onUp(final QpRecovery recovery, final Member member, final long nowNs) {
        if (recovery.machineOrNull() != null && !recovery.isDead()) {
            recovery.paths().refresh(member);
            recovery.machine().onPathUp(member.index(), nowNs);
        }
    }
}
