package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.SendFlags;
import io.vhca.api.QpType;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SilenceMonitorTest {
    private static final long HEARTBEAT_NS = 1_000 * MS;
    private static final long WATCHDOG_NS = 2_000 * MS;
    private final TwoBonds bonds = new TwoBonds(options ->
            options.heartbeatNs(HEARTBEAT_NS).watchdogNs(WATCHDOG_NS).ackTimeout(14).retryCnt(3));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;
    private AppEnd second = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        second = bonds.connect().active();
        passive.receives(8);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private static long probes(final FakeQp qp) {
        return qp.everSent().stream()
                .filter(one -> one.opcode() == WrOpcode.RDMA_WRITE.code() && one.parts().isEmpty())
                .count();
    }

    private SilenceMonitor monitor() {
        return new SilenceMonitor(bonds.a.verbs().core().config(), bonds.a.verbs().qps());
    }

    @Test
    void oneQueuePairOfEachPathIsProbedOnceAHeartbeat() {
        bonds.advance(10 * HEARTBEAT_NS);
        final List<Long> probes = bonds.a.device(0).opened().queuePairs().stream()
                .filter(qp -> qp.qpType() == QpType.RC) // echoes have one of their own
                .map(SilenceMonitorTest::probes)
                .toList();
        assertThat(probes).as("of three on the path").hasSize(3).filteredOn(count -> count > 0).hasSize(1);
        assertThat(probes.stream().mapToLong(Long::longValue).sum()).isBetween(9L, 11L);
    }

    @Test
    void aPathThatDiesWhileNothingIsUnderWayIsFoundOutAndAllOnItMove() {
        bonds.advance(2 * HEARTBEAT_NS);
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.advance(6 * HEARTBEAT_NS);
        for (final AppEnd end : List.of(active, second)) {
            assertThat(end.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
            assertThat(end.recovery().attachment().describe()).startsWith("a1");
        }
        assertThat(bonds.a.context().failovers())
                .extracting(report -> report.reason())
                .contains(FailureReason.HEARTBEAT);
    }

    /** Until probes are with hardware that gets no answer, and that hardware gives them up. */
    private void failProbes() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.advance(HEARTBEAT_NS + HEARTBEAT_NS / 4);
        assertThat(bonds.fabric.expire()).as("probes under way").isPositive();
    }

    /** As after a machine had no turn for as long as the retries last. */
    @Test
    void aProbeThatFailsTakesNothingElseAlongWhereThePathAnswersAgain() {
        bonds.advance(2 * HEARTBEAT_NS);
        failProbes();
        bonds.fabric.heal();
        bonds.advance(4 * HEARTBEAT_NS);
        final long stayed = bonds.a.device(0).opened().queuePairs().size();
        assertThat(bonds.a.context().failovers())
                .as("the one whose probe failed, of two%n%s", bonds.a.journal())
                .hasSize(1);
        assertThat(stayed).as("on the path that answers again").isPositive();
    }

    @Test
    void whereASecondProbeFailsAsWellAllOnThePathMoveAtOnce() {
        bonds.advance(2 * HEARTBEAT_NS);
        failProbes();
        bonds.advance(HEARTBEAT_NS / 4);
        assertThat(bonds.a.context().failovers()).as("found by the next look, one alone").hasSize(1);
        assertThat(bonds.fabric.expire()).as("the others were probed at once").isPositive();
        bonds.advance(HEARTBEAT_NS / 4);
        for (final AppEnd end : List.of(active, second)) {
            assertThat(end.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
            assertThat(end.recovery().attachment().describe()).startsWith("a1");
        }
        assertThat(bonds.a.context().failovers()).hasSize(2);
    }

    @Test
    void aRequestThatHardwareNeverCompletesIsFoundOutByTheWatchdog() {
        active.send(1, "one");
        bonds.fabric.stop(true);
        bonds.advance(WATCHDOG_NS - 600 * MS);
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        bonds.advance(6 * WATCHDOG_NS);
        bonds.fabric.stop(false);
        bonds.advance(2_000 * MS);
        assertThat(active.polled()).as(bonds.a.journal()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.context().failovers())
                .extracting(report -> report.reason())
                .contains(FailureReason.WATCHDOG);
    }

    @Test
    void oneRequestWithoutACompletionOfItsOwnIsNotSilence() {
        active.post(1, WrOpcode.SEND, "one", 0, 0, 0);
        bonds.advance(10 * WATCHDOG_NS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        active.post(2, WrOpcode.SEND, "two", SendFlags.SIGNALED, 0, 0);
        bonds.settle();
        assertThat(active.polled()).containsExactly("2 SUCCESS");
    }

    @Test
    void aReceiverThatIsNotReadyCostsOneRecoveryAndIsGivenMoreTimeThen() {
        for (int i = 0; i < 8; i++) {
            active.send(i, "fill");
        }
        bonds.settle();
        active.send(8, "waits");
        bonds.advance(40 * WATCHDOG_NS);
        assertThat(bonds.a.context().failovers().size()).isBetween(1, 6);
        passive.receive(9);
        bonds.advance(10 * MS);
        assertThat(active.polled()).hasSize(9).last().isEqualTo("8 SUCCESS");
    }

    @Test
    void aQueuePairThatFlushesUnaskedIsRecoveredAtTheSecondLook() {
        active.send(1, "one");
        bonds.fabric.stop(true);
        active.physical().flushUnasked();
        bonds.fabric.stop(false);
        assertThat(active.polled()).isEmpty();
        bonds.advance(2 * HEARTBEAT_NS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.context().failovers())
                .extracting(report -> report.reason())
                .containsExactly(FailureReason.LOCAL_QP_ERROR);
    }

    @Test
    void whatWasNotWatchedWasNotSilent() {
        bonds.fabric.stop(true);
        active.send(1, "one");
        bonds.a.locked(() -> {
            final SilenceMonitor monitor = monitor();
            long nowNs = bonds.nowNs();
            monitor.doWork(nowNs);
            nowNs += 250 * MS;
            monitor.doWork(nowNs);
            // The process was stopped for ten minutes: two periods of it count.
            nowNs += 600_000 * MS;
            assertThat(monitor.doWork(nowNs)).isZero();
            assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        });
        bonds.fabric.stop(false);
    }

    @Test
    void withBothOptionsOffItLooksForUnaskedFlushesAndNobodyElseDoes() {
        final BondConfig config = BondConfig.builder("bond0").heartbeatNs(0).watchdogNs(0).build();
        final SilenceMonitor off = new SilenceMonitor(config, new QpTable());
        final List<Long> looks = new ArrayList<>();
        off.add(looks::add);
        assertThat(off.doWork(5)).isZero();
        assertThat(off.nextDeadlineNs()).isEqualTo(5 + config.silenceNs() / 4);
        assertThat(off.doWork(off.nextDeadlineNs())).isZero();
        assertThat(looks).isEmpty();
    }

    @Test
    void theNextLookComesAQuarterOfTheShorterTimeLater() {
        final SilenceMonitor monitor = new SilenceMonitor(
                BondConfig.builder("bond0").heartbeatNs(400).watchdogNs(800).build(), new QpTable());
        assertThat(monitor.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        monitor.doWork(1_000);
        assertThat(monitor.nextDeadlineNs()).isEqualTo(1_100);
        monitor.doWork(1_050);
        assertThat(monitor.nextDeadlineNs()).isEqualTo(1_100);
        monitor.doWork(1_130);
        assertThat(monitor.nextDeadlineNs()).isEqualTo(1_230);
    }

    @Test
    void aProbeOfAQueuePairThatHasNoPathMeansNothing() {
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        bonds.a.locked(() -> monitor().pathLost(active.qp(), bonds.nowNs()));
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.WAITING);
    }

    /** How many queue pairs use the path that fails, the bonds' own among them. */
    private int onThePath() {
        int count = 0;
        for (final @Nullable BondQueuePair qp : bonds.a.verbs().qps().all()) {
            count += qp != null && QpRecovery.of(qp).attachment().describe().startsWith("a0") ? 1 : 0;
        }
        return count;
    }

    /** The machine has no turn now and then, and nothing is wrong with the path. */
    @Test
    void aProbeThatFailsLongAfterAnotherTakesNothingElseAlongEither() {
        bonds.advance(2 * HEARTBEAT_NS);
        failProbes();
        bonds.fabric.heal();
        bonds.advance(10 * WATCHDOG_NS);
        assertThat(onThePath()).as("one of three has moved").isEqualTo(2);
        failProbes();
        bonds.advance(HEARTBEAT_NS / 4);
        assertThat(onThePath()).as("and one more%n%s", bonds.a.journal()).isEqualTo(1);
    }
}
