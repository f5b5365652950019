package io.vhca.ras.health;

import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.HealthReporter;
import io.vhca.bond.config.HealthSettings;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.MemberChange;
import io.vhca.ras.jfr.HealthRecorder;
import io.vhca.recovery.wire.FailureReason;
import java.lang.System.Logger;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The reporters of one bond, inside its process: they count, recover and write dumps when they are told to, or by
 * themselves where the option {@code health} says so. Told of turns under the control lock, by the bond's thread;
 * virtual threads recover and write.
 *
 * <p>Without such an option a look costs six counters, four times a second.
 */
public final class HealthReporters implements BondObserver {
    static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Logger LOGGER = System.getLogger(HealthReporters.class.getName());

    private final BondContext bond;
    private final EpochClock clock;
    private final HealthRecorder recorder;
    private final Map<HealthReporter, State> states = new EnumMap<>(HealthReporter.class);
    private volatile long memberFailures;
    /** How many of them are over: their member is up again, or is none any more. */
    private volatile long memberRecoveries;
    /** Those of members that are not up again. Control lock. */
    private final Map<String, Long> openFailures = new HashMap<>();
    private boolean hasLooked;
    private long lookedNs;
    private volatile boolean closed;

    /** Of one reporter. */
    private static final class State {
        /** Bond's thread. */
        private long errors;

        private boolean isDumpDue;
        private final GracePeriod dumps = new GracePeriod();
        private final GracePeriod recovers = new GracePeriod();

        /** Any thread. */
        private volatile long dumpedMs;

        private volatile long healed;
        private volatile long recoveries;
    }

    HealthReporters(final BondContext bond, final EpochClock clock) {
        this.bond = bond;
        this.clock = clock;
        recorder = new HealthRecorder(bond.device().name());
        for (final HealthReporter one : HealthReporter.values()) {
            states.put(one, new State());
        }
    }

    /** Gives a bond its reporters. */
    public static HealthReporters attach(final BondContext bond) {
        final HealthReporters reporters = new HealthReporters(bond, SystemEpochClock.INSTANCE);
        bond.admin().observe(reporters);
        return reporters;
    }

    private State state(final HealthReporter reporter) {
        return Objects.requireNonNull(states.get(reporter));
    }

    // ---- what others see --------------------------------------------------------------------------------------------

    /** What an operator may ask for, by command: why it was not done, or an empty text. Any thread. */
    public Map<String, Supplier<String>> commands() {
        final Map<String, Supplier<String>> commands = new LinkedHashMap<>();
        for (final HealthReporter one : HealthReporter.values()) {
            commands.put("health recover " + one.text(), () -> recover(one, false));
            commands.put("health dump " + one.text(), () -> dump(one, false));
        }
        return commands;
    }

    /** What the status file has of them, by name. */
    public Map<String, LongSupplier> counters() {
        final Map<String, LongSupplier> counters = new LinkedHashMap<>();
        counters.put(BondHealth.counter(HealthReporter.MEMBER, BondHealth.ERRORS), () -> memberFailures);
        counters.put(BondHealth.counter(HealthReporter.MEMBER, BondHealth.RECOVERIES), () -> memberRecoveries);
        counters.put(
                BondHealth.counter(HealthReporter.JOURNAL, BondHealth.FAILING),
                () -> bond.admin().isJournalFailing() ? 1 : 0);
        for (final HealthReporter one : HealthReporter.values()) {
            final State state = state(one);
            counters.put(BondHealth.counter(one, BondHealth.DUMPED_MS), () -> state.dumpedMs);
            if (isHealed(one)) {
                counters.put(BondHealth.counter(one, BondHealth.HEALED), () -> state.healed);
                counters.put(BondHealth.counter(one, BondHealth.RECOVERIES), () -> state.recoveries);
            }
        }
        return counters;
    }

    /** Whether its errors stay until somebody has looked after them; those of the others end by themselves. */
    private static boolean isHealed(final HealthReporter reporter) {
        return reporter == HealthReporter.JOURNAL || reporter == HealthReporter.MEMORY;
    }

    // ---- recover and dump -------------------------------------------------------------------------------------------

    /** Does what can be done now; why it cannot, or an empty text. Any thread that is not inside the bond. */
    String recover(final HealthReporter reporter, final boolean isAutomatic) {
        final long before = lasting(reporter);
        final String refusal = refusal(reporter);
        if (refusal.isEmpty() && isHealed(reporter)) {
            heal(state(reporter), before);
        }
        recorder.recover(reporter.text(), isAutomatic, refusal);
        return refusal;
    }

    private String refusal(final HealthReporter reporter) {
        try {
            return switch (reporter) {
                case MEMBER, PATH -> {
                    bond.admin().lookAgain();
                    yield "";
                }
                case JOURNAL -> bond.admin().reopenJournal();
                case MEMORY -> overrun();
                case QUEUE_PAIR, THREAD -> reporter.text() + " is not recovered: " + reporter.refusal();
            };
        } catch (final VerbsException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void heal(final State state, final long errors) {
        synchronized (state) {
            if (errors > state.healed) {
                state.healed = errors;
                state.recoveries++;
            }
        }
    }

    /** A queue whose memory is not whole is no queue any more: it is well when all of those are closed. */
    private String overrun() {
        final List<String> broken = bond.admin().check();
        return broken.isEmpty()
                ? ""
                : "what was overrun is still open, close it: " + String.join("; ", broken);
    }

    /** Writes down what a reporter looks at; why it could not, or an empty text. Any thread. */
    String dump(final HealthReporter reporter, final boolean isAutomatic) {
        final String failure = HealthDump.write(bond, reporter, errors(reporter));
        if (failure.isEmpty()) {
            state(reporter).dumpedMs = clock.time();
        }
        recorder.dump(reporter.text(), isAutomatic, failure);
        return failure;
    }

    // ---- by themselves ----------------------------------------------------------------------------------------------

    @Override
    public void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {
        if (change == MemberChange.DOWN || change == MemberChange.DIED) {
            memberFailures = memberFailures + 1;
            openFailures.merge(member, 1L, Long::sum);
        } else if (change == MemberChange.UP || change == MemberChange.REMOVED) {
            final Long over = openFailures.remove(member);
            memberRecoveries = memberRecoveries + (over == null ? 0 : over);
        }
    }

    private long errors(final HealthReporter reporter) {
        return BondHealth.errors(reporter, memberFailures, bond.counters()::get);
    }

    private long lasting(final HealthReporter reporter) {
        return BondHealth.lasting(reporter, bond.counters()::get);
    }

    @Override
    public void onTurn(final long nowNs) {
        if (hasLooked && nowNs - lookedNs < LOOK_NS) {
            return;
        }
        hasLooked = true;
        lookedNs = nowNs;
        final HealthSettings settings = bond.admin().config().get(BondOption.HEALTH);
        states.forEach((reporter, state) -> look(reporter, state, settings.of(reporter), nowNs));
    }

    private void look(
            final HealthReporter reporter, final State state, final HealthSettings.Setting setting, final long nowNs) {
        final long errors = errors(reporter);
        if (errors > state.errors) {
            state.errors = errors;
            state.isDumpDue = setting.isToDump();
            recorder.error(reporter.text(), errors);
        }
        final long graceNs = TimeUnit.MILLISECONDS.toNanos(setting.graceMs());
        if (state.isDumpDue && setting.isToDump() && state.dumps.begin(nowNs, graceNs)) {
            state.isDumpDue = false;
            start(reporter, "dump", () -> dump(reporter, true));
        }
        if (setting.isToRecover() && isWrong(reporter, state) && state.recovers.begin(nowNs, graceNs)) {
            start(reporter, "recover", () -> recover(reporter, true));
        }
    }

    /** Only asked of those that are recovered by themselves. */
    private boolean isWrong(final HealthReporter reporter, final State state) {
        return switch (reporter) {
            case MEMBER -> bond.admin().members().stream().anyMatch(member -> !member.up());
            case PATH -> isWithoutPath();
            case JOURNAL, MEMORY -> lasting(reporter) > state.healed;
            case QUEUE_PAIR, THREAD -> false;
        };
    }

    private boolean isWithoutPath() {
        final boolean[] found = new boolean[1];
        bond.admin().visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) ->
                found[0] |= BondHealth.isRecovering(recovery));
        return found[0];
    }

    private void start(final HealthReporter reporter, final String what, final Supplier<String> work) {
        Thread.ofVirtual().name("vhca-health").start(() -> {
            final String failure = closed ? "" : work.get();
            if (!failure.isEmpty()) {
                LOGGER.log(
                        Logger.Level.WARNING,
                        String.format(
                                Locale.ROOT, "%s: health %s %s: %s", bond.device().name(), what, reporter.text(),
                                failure));
            }
        });
    }

    /** Nothing begins from now on. */
    @Override
    public void close() {
        closed = true;
    }
}
