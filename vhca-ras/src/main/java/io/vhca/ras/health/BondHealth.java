package io.vhca.ras.health;

import io.vhca.api.QpState;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.HealthReporter;
import io.vhca.bond.config.HealthSettings;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.recovery.RecoveryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What a bond's status says of its health: one reporter a kind, as devlink has them of a device. Pure. */
public final class BondHealth {
    /** A status that was not written for so long is one of a thread that does not run; it is written every 250 ms. */
    static final long STUCK_MS = 5_000;

    /** What the names of the counters begin with that reporters have in the status file. */
    public static final String COUNTERS = "health_";

    /** When it wrote its last dump, since 1970. */
    static final String DUMPED_MS = "dumped_ms";

    /** How many errors need nobody's care any more. */
    static final String HEALED = "healed";

    static final String RECOVERIES = "recoveries";

    /** How many there were, of members that are none any more too. */
    static final String ERRORS = "errors";

    /** 1 where it cannot do its work now, else 0. */
    static final String FAILING = "failing";

    private static final int MOST_NAMED = 16;

    /**
     * Who looks at one kind of thing.
     *
     * @param kind       which
     * @param errors     how many there were since the bond was opened
     * @param recoveries after how many of them it was well again
     * @param findings   what is wrong now, a sentence each; none where it is well
     * @param dumpedMs   when it wrote a dump last, since 1970; 0 for never
     * @param setting    what it does by itself
     */
    public record Reporter(
            HealthReporter kind, long errors, long recoveries, List<String> findings, long dumpedMs,
            HealthSettings.Setting setting) {
        /** As it is written and shown. */
        public String name() {
            return kind.text();
        }

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

    private static Reporter reporter(
            final BondStatus bond, final HealthReporter kind, final long errors, final long recoveries,
            final List<String> findings) {
        return new Reporter(
                kind, errors, recoveries, findings, count(bond, counter(kind, DUMPED_MS)), settings(bond).of(kind));
    }

    /** What reporters do by themselves, as the bond's options say. */
    private static HealthSettings settings(final BondStatus bond) {
        final String key = BondOption.HEALTH.name() + " = ";
        try {
            return bond.options().stream()
                    .filter(line -> line.startsWith(key))
                    .findFirst()
                    .map(line -> HealthSettings.parse(line.substring(key.length()), HealthSettings.BY_DEFAULT))
                    .orElse(HealthSettings.BY_DEFAULT);
        } catch (final IllegalArgumentException e) {
            // No bond writes that: somebody has changed the file, or the bond is of a newer version.
            return HealthSettings.BY_DEFAULT;
        }
    }

    /** The name of a counter that a reporter has in the status file. */
    static String counter(final HealthReporter kind, final String what) {
        return COUNTERS + kind.text() + '_' + what;
    }

    private static Reporter members(final BondStatus bond) {
        final List<String> findings = bond.members().stream()
                .filter(member -> !member.up())
                .map(member -> member.name() + " is down, for the " + member.failures() + ". time")
                .toList();
        final long failures = errors(bond, HealthReporter.MEMBER);
        // A status without that counter is an older version's.
        final long recoveries = bond.counters()
                .getOrDefault(
                        counter(HealthReporter.MEMBER, RECOVERIES), Math.max(0, failures - findings.size()));
        return reporter(bond, HealthReporter.MEMBER, failures, recoveries, findings);
    }

    private static Reporter paths(final BondStatus bond) {
        return reporter(
                bond, HealthReporter.PATH, errors(bond, HealthReporter.PATH),
                count(bond, Counter.RECOVERED) - count(bond, Counter.MOVED),
                named(bond, BondHealth::isRecovering, "is without a path"));
    }

    private static boolean isRecovering(final QpRow qp) {
        return isRecovering(qp.recovery());
    }

    /** Whether a queue pair in that state has no path that carries it; null for one that never recovers. */
    static boolean isRecovering(final @Nullable RecoveryState state) {
        return state == RecoveryState.FENCING
                || state == RecoveryState.DRAINING
                || state == RecoveryState.CONNECTING
                || state == RecoveryState.ANSWERED
                || state == RecoveryState.REPLAYING
                || state == RecoveryState.WAITING;
    }

    /** Whether a queue pair is in ERR, and not for the close of its connection, which ends there too. */
    static boolean isFailed(final @Nullable QpState state, final @Nullable RecoveryState recovery) {
        return state == QpState.ERR && recovery != RecoveryState.CLOSED;
    }

    private static Reporter queuePairs(final BondStatus bond) {
        return reporter(
                bond, HealthReporter.QUEUE_PAIR, errors(bond, HealthReporter.QUEUE_PAIR), 0,
                named(bond, qp -> isFailed(qp.state(), qp.recovery()), "is in ERR: vhca snapshot list"));
    }

    /** Whether its thread, if its process lives, has written nothing for so long that it does not run. */
    public static boolean isSilent(final BondStatus bond, final long nowMs) {
        return silentMs(bond, nowMs) >= STUCK_MS;
    }

    private static long silentMs(final BondStatus bond, final long nowMs) {
        return nowMs - bond.publishedMs();
    }

    private static Reporter thread(final BondStatus bond, final boolean isAlive, final long nowMs) {
        final List<String> findings = !isAlive
                ? List.of("process " + bond.pid() + " has ended without closing the bond")
                : isSilent(bond, nowMs)
                        ? List.of("the bond's thread has written nothing for " + silentMs(bond, nowMs) / 1_000
                                + " s: jstack " + bond.pid())
                        : List.of();
        final long errors = errors(bond, HealthReporter.THREAD);
        // Those that are counted are over: a thread that is silent now has not counted that yet.
        return reporter(bond, HealthReporter.THREAD, errors, errors, findings);
    }

    private static Reporter journal(final BondStatus bond) {
        final List<String> findings = new ArrayList<>();
        if (count(bond, counter(HealthReporter.JOURNAL, FAILING)) != 0) {
            findings.add("it cannot be written now: vhca errors says why");
        }
        final long lost = lasting(HealthReporter.JOURNAL, counter -> count(bond, counter))
                - healed(bond, HealthReporter.JOURNAL);
        if (lost > 0) {
            findings.add(lost + " events are lost: vhca errors says why");
        }
        return reporter(
                bond, HealthReporter.JOURNAL, errors(bond, HealthReporter.JOURNAL),
                recoveries(bond, HealthReporter.JOURNAL), List.copyOf(findings));
    }

    /** A process that wrote where it must not: until the queues that it hit are closed, and somebody said so. */
    private static Reporter memory(final BondStatus bond) {
        final long overruns = errors(bond, HealthReporter.MEMORY);
        final long open = overruns - healed(bond, HealthReporter.MEMORY);
        return reporter(
                bond, HealthReporter.MEMORY, overruns, recoveries(bond, HealthReporter.MEMORY),
                open <= 0
                        ? List.of()
                        : List.of("somebody wrote beyond the memory of " + open
                                + " queues: vhca errors says where"));
    }

    private static long healed(final BondStatus bond, final HealthReporter kind) {
        return count(bond, counter(kind, HEALED));
    }

    private static long recoveries(final BondStatus bond, final HealthReporter kind) {
        return count(bond, counter(kind, RECOVERIES));
    }

    private static long errors(final BondStatus bond, final HealthReporter kind) {
        final long failures = bond.counters()
                .getOrDefault(
                        counter(HealthReporter.MEMBER, ERRORS),
                        bond.members().stream().mapToLong(MemberRow::failures).sum());
        return errors(kind, failures, counter -> count(bond, counter));
    }

    /**
     * How often something went wrong since the bond was opened.
     *
     * @param memberFailures of all members
     * @param counters       the bond's
     */
    static long errors(
            final HealthReporter kind, final long memberFailures, final ToLongFunction<Counter> counters) {
        return switch (kind) {
            case MEMBER -> memberFailures;
            case PATH -> counters.applyAsLong(Counter.FAILOVERS) - counters.applyAsLong(Counter.MOVES);
            case QUEUE_PAIR -> counters.applyAsLong(Counter.FAILED);
            case THREAD ->
                counters.applyAsLong(Counter.DUTY_CYCLE_ERRORS) + counters.applyAsLong(Counter.THREADS_STUCK);
            case JOURNAL -> counters.applyAsLong(Counter.JOURNAL_ERRORS);
            case MEMORY -> counters.applyAsLong(Counter.MEMORY_OVERRUNS);
        };
    }

    /** How many errors stay until somebody heals them, since the bond was opened; 0 of those that end by themselves. */
    static long lasting(final HealthReporter kind, final ToLongFunction<Counter> counters) {
        return switch (kind) {
            case JOURNAL -> counters.applyAsLong(Counter.JOURNAL_LOST);
            case MEMORY -> counters.applyAsLong(Counter.MEMORY_OVERRUNS);
            default -> 0;
        };
    }

    private static long count(final BondStatus bond, final Counter counter) {
        return count(bond, counter.name().toLowerCase(Locale.ROOT));
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
