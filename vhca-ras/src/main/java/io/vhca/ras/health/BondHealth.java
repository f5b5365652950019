package io.vhca.ras.health;

import io.vhca.api.QpState;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.recovery.RecoveryState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What a bond's status says of its health: one reporter a kind, as devlink has them of a device. Pure. */
public final class BondHealth {
    /** A status that was not written for so long is one of a thread that does not run; it is written every 250 ms. */
    static final long STUCK_MS = 5_000;

    private static final int MOST_NAMED = 16;

    /**
     * Who looks at one kind of thing.
     *
     * @param name       member, path, queue_pair, thread, journal or memory
     * @param errors     how many there were since the bond was opened
     * @param recoveries after how many of them it was well again
     * @param findings   what is wrong now, a sentence each; none where it is well
     */
    public record Reporter(String name, long errors, long recoveries, List<String> findings) {
        /** As devlink says it. */
        public String state() {
            return findings.isEmpty() ? "healthy" : "error";
        }
    }

    private BondHealth() {}

    /**
     * The reporters of a bond, always the same ones in the same order.
     *
     * @param nowMs since 1970
     */
    public static List<Reporter> of(final BondStatus bond, final boolean isAlive, final long nowMs) {
        return List.of(members(bond), paths(bond), queuePairs(bond), thread(bond, isAlive, nowMs), journal(bond),
                memory(bond));
    }

    private static Reporter members(final BondStatus bond) {
        final List<String> findings = bond.members().stream()
                .filter(member -> !member.up())
                .map(member -> member.name() + " is down, for the " + member.failures() + ". time")
                .toList();
        final long failures = bond.members().stream().mapToLong(MemberRow::failures).sum();
        return new Reporter("member", failures, Math.max(0, failures - findings.size()), findings);
    }

    private static Reporter paths(final BondStatus bond) {
        return new Reporter(
                "path", count(bond, "failovers"), count(bond, "recovered"),
                named(bond, BondHealth::isRecovering, "is without a path"));
    }

    private static boolean isRecovering(final QpRow qp) {
        final RecoveryState state = qp.recovery();
        return state == RecoveryState.FENCING
                || state == RecoveryState.DRAINING
                || state == RecoveryState.CONNECTING
                || state == RecoveryState.ANSWERED
                || state == RecoveryState.REPLAYING
                || state == RecoveryState.WAITING;
    }

    private static Reporter queuePairs(final BondStatus bond) {
        return new Reporter(
                "queue_pair", count(bond, "failed"), 0,
                named(bond, qp -> qp.state() == QpState.ERR, "is in ERR: vhca snapshot list"));
    }

    private static Reporter thread(final BondStatus bond, final boolean isAlive, final long nowMs) {
        final long silentMs = nowMs - bond.publishedMs();
        final List<String> findings = !isAlive
                ? List.of("process " + bond.pid() + " has ended without closing the bond")
                : silentMs < STUCK_MS
                        ? List.of()
                        : List.of("the bond's thread has written nothing for " + silentMs / 1_000 + " s: jstack "
                                + bond.pid());
        final long errors = count(bond, "duty_cycle_errors") + count(bond, "threads_stuck");
        return new Reporter("thread", errors, findings.isEmpty() ? errors : 0, findings);
    }

    private static Reporter journal(final BondStatus bond) {
        final long lost = count(bond, "journal_lost");
        return new Reporter(
                "journal", count(bond, "journal_errors"), 0,
                lost == 0 ? List.of() : List.of(lost + " events are lost: vhca errors says why"));
    }

    /** A process that wrote where it must not has done so for as long as it lives. */
    private static Reporter memory(final BondStatus bond) {
        final long overruns = count(bond, "memory_overruns");
        return new Reporter(
                "memory", overruns, 0,
                overruns == 0
                        ? List.of()
                        : List.of("somebody wrote beyond the memory of " + overruns
                                + " queues: vhca errors says where"));
    }

    private static long count(final BondStatus bond, final String counter) {
        return bond.counters().getOrDefault(counter, 0L);
    }

    private static List<String> named(final BondStatus bond, final Predicate<QpRow> which, final String what) {
        final List<QpRow> found = bond.queuePairs().stream().filter(which).toList();
        final List<String> findings = new ArrayList<>();
        found.stream()
                .limit(MOST_NAMED)
                .forEach(qp -> findings.add("qp:0x" + Integer.toHexString(qp.qpNum()) + " " + what));
        if (found.size() > MOST_NAMED) {
            findings.add("and " + (found.size() - MOST_NAMED) + " more");
        }
        return List.copyOf(findings);
    }
}
