package io.vhca.harness.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.bond.config.HealthReporter;
import io.vhca.bond.config.HealthSettings;
import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.recovery.RecoveryState;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reporters of a bond whose member is down and one of whose queue pairs waits for a path. */
class BondHealthTest {
    private final BondStatus bond = SampleBond.of("bond0", 77, 1);

    @Test
    void eachReporterSaysWhatIsWrongNow() {
        assertThat(BondHealth.of(bond, true, bond.publishedMs() + 4_999))
                .extracting(BondHealth.Reporter::name, BondHealth.Reporter::state)
                .containsExactly(
                        tuple("member", "error"), tuple("path", "error"), tuple("queue_pair", "healthy"),
                        tuple("thread", "healthy"), tuple("journal", "healthy"), tuple("memory", "healthy"));
        assertThat(BondHealth.of(bond, true, bond.publishedMs()).get(0)).satisfies(member -> {
            assertThat(member.findings()).containsExactly("soft0 is down, for the 3. time");
            assertThat(member.errors()).isEqualTo(3);
            assertThat(member.recoveries()).isEqualTo(2);
        });
        assertThat(BondHealth.of(bond, true, bond.publishedMs()).get(1).findings())
                .containsExactly("qp:0x3 is without a path");
    }

    /** What was lost stays lost; who has looked after it says so. */
    @Test
    void whatWasHealedIsFoundFaultWithNoMore() {
        final BondStatus before = with(Map.of("journal_lost", 5L, "journal_errors", 2L, "memory_overruns", 1L));
        assertThat(reporter(before, HealthReporter.JOURNAL).findings())
                .containsExactly("5 events are lost: vhca errors says why");
        assertThat(reporter(before, HealthReporter.MEMORY).findings()).hasSize(1);
        final BondStatus after = with(Map.of(
                "journal_lost", 5L, "journal_errors", 2L, "memory_overruns", 1L,
                "health_journal_healed", 4L, "health_journal_recoveries", 1L, "health_journal_dumped_ms", 77L,
                "health_memory_healed", 1L));
        assertThat(reporter(after, HealthReporter.MEMORY).findings()).isEmpty();
        assertThat(reporter(after, HealthReporter.JOURNAL)).satisfies(journal -> {
            assertThat(journal.findings()).containsExactly("1 events are lost: vhca errors says why");
            assertThat(journal.errors()).isEqualTo(2);
            assertThat(journal.recoveries()).isEqualTo(1);
            assertThat(journal.dumpedMs()).isEqualTo(77);
            assertThat(journal.setting()).isEqualTo(new HealthSettings.Setting(5_000, true, false));
        });
        assertThat(reporter(after, HealthReporter.MEMORY).setting()).isEqualTo(HealthSettings.NOTHING);
    }

    @Test
    void aJournalThatFailsNowIsFoundFaultWithBeforeItLosesAnything() {
        final BondStatus failing = with(Map.of("journal_errors", 1L, "health_journal_failing", 1L));
        assertThat(reporter(failing, HealthReporter.JOURNAL).findings())
                .containsExactly("it cannot be written now: vhca errors says why");
        final BondStatus again = with(Map.of("journal_errors", 1L, "health_journal_failing", 0L));
        assertThat(reporter(again, HealthReporter.JOURNAL).findings()).isEmpty();
    }

    @Test
    void aMoveAsPlannedIsNoErrorOfAPath() {
        final BondStatus moved = with(Map.of("failovers", 5L, "recovered", 4L, "moves", 3L, "moved", 3L));
        assertThat(reporter(moved, HealthReporter.PATH)).satisfies(path -> {
            assertThat(path.errors()).isEqualTo(2);
            assertThat(path.recoveries()).isEqualTo(1);
        });
    }

    /** They are counters of Prometheus, which only go up. */
    @Test
    void whatIsCountedOfMembersStaysWhenOneIsRemovedAndOfAThreadWhenItIsSilent() {
        final BondStatus removed = with(Map.of("health_member_errors", 41L, "health_member_recoveries", 40L));
        assertThat(reporter(removed, HealthReporter.MEMBER)).satisfies(member -> {
            assertThat(member.errors()).isEqualTo(41);
            assertThat(member.recoveries()).isEqualTo(40);
        });
        final BondStatus silent = with(Map.of("duty_cycle_errors", 2L));
        assertThat(BondHealth.of(silent, true, bond.publishedMs() + 7_000).get(HealthReporter.THREAD.ordinal()))
                .satisfies(thread -> {
                    assertThat(thread.state()).isEqualTo("error");
                    assertThat(thread.recoveries()).isEqualTo(2);
                });
    }

    /** An orderly end is in ERR as well. */
    @Test
    void aQueuePairWhoseConnectionWasClosedHasNotFailed() {
        assertThat(reporter(with(row(RecoveryState.CLOSED)), HealthReporter.QUEUE_PAIR).findings()).isEmpty();
        for (final RecoveryState failed : Arrays.asList(RecoveryState.FAILED, RecoveryState.IDLE, null)) {
            assertThat(reporter(with(row(failed)), HealthReporter.QUEUE_PAIR).findings())
                    .containsExactly("qp:0x5 is in ERR: vhca snapshot list");
        }
    }

    private static List<QpRow> row(final @Nullable RecoveryState recovery) {
        return List.of(new QpRow(5, QpType.RC, QpState.ERR, recovery, 1, "", "", 9, 8, 7));
    }

    private BondStatus with(final Map<String, Long> counters) {
        return with(counters, bond.queuePairs());
    }

    private BondStatus with(final List<QpRow> queuePairs) {
        return with(Map.of(), queuePairs);
    }

    private BondStatus with(final Map<String, Long> counters, final List<QpRow> queuePairs) {
        return new BondStatus(
                bond.name(), bond.pid(), bond.processStart(), bond.program(), bond.startedMs(), bond.publishedMs(),
                bond.mode(), bond.primary(), bond.reselect(), bond.active(), bond.miimonMs(), bond.updelayMs(),
                bond.downdelayMs(), bond.minLinks(), bond.members(), queuePairs, bond.qpCount(),
                bond.failovers(), bond.failoverCount(), counters, bond.faults(), bond.errors(),
                List.of("health = journal.grace_period=5000,journal.auto_recover=true"));
    }

    private static BondHealth.Reporter reporter(final BondStatus bond, final HealthReporter kind) {
        return BondHealth.of(bond, true, bond.publishedMs()).get(kind.ordinal());
    }

    @Test
    void aThreadThatWritesNothingIsStuckAndAProcessThatEndedIsGone() {
        assertThat(BondHealth.of(bond, true, bond.publishedMs() + 7_200).get(3).findings())
                .containsExactly("the bond's thread has written nothing for 7 s: jstack 77");
        assertThat(BondHealth.of(bond, false, bond.publishedMs()).get(3).findings())
                .containsExactly("process 77 has ended without closing the bond");
    }
}
