package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.bond.core.FailoverReport;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Deaths that nobody tells of: the watchdog and the heartbeat find them within a bound, and nobody is asked. Virtual
 * time.
 */
class SilenceTest {
    private static final long MS = BondPair.MS;
    private static final long HEARTBEAT_NS = 200 * MS;
    private static final long WATCHDOG_NS = 100 * MS;
    /** (retry_cnt + 1) * 4.096 us * 2^ack_timeout, as {@link BondPair} sets them. */
    private static final long BUDGET_NS = 3 * (4_096L << 10);
    /** Looks are a quarter of the shorter time apart; recovery itself takes less than that here. */
    private static final long SLACK_NS = 60 * MS;

    private static BondPair pair(final long heartbeatNs, final long watchdogNs) {
        return new BondPair(config -> config.heartbeatNs(heartbeatNs)
                .watchdogNs(watchdogNs)
                .set(BondOption.DETECT, Detect.HARDWARE)
                .drainTimeoutNs(20 * MS)
                .recoveryTimeoutNs(500 * MS));
    }

    private static void assertWorks(final BondPair pair, final int messages) {
        final int before = pair.right.received;
        final int sent = pair.left.sends.size() + messages;
        for (int i = 0; i < messages; i++) {
            pair.left.send();
        }
        assertThat(pair.runUntil(
                        () -> pair.right.received == before + messages && pair.left.sends.size() == sent, 1_000 * MS))
                .isTrue();
    }

    @Test
    void anIdlePairNoticesADeadPathByTheHeartbeatAlone() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            pair.runFor(1_000 * MS);
            assertThat(pair.left.failovers()).as("a healthy path").isEmpty();
            pair.block(0, true, true, true);
            final boolean noticed = pair.runUntil(
                    () -> !pair.left.failovers().isEmpty() && !pair.right.failovers().isEmpty(),
                    HEARTBEAT_NS + BUDGET_NS + SLACK_NS);
            assertThat(noticed).isTrue();
            assertThat(pair.left.failovers().getFirst().reason())
                    .isIn(FailureReason.HEARTBEAT, FailureReason.PEER_REQUEST);
            assertThat(pair.right.failovers().getFirst().reason())
                    .isIn(FailureReason.HEARTBEAT, FailureReason.PEER_REQUEST);
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
            assertWorks(pair, 5);
        }
    }

    @Test
    void aPathThatLosesTheAnswersOfOneSideOnlyIsDeadToo() {
        for (final boolean isToRight : new boolean[] {true, false}) {
            try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
                pair.block(0, isToRight, !isToRight, true);
                assertThat(pair.runUntil(
                                () -> !pair.left.failovers().isEmpty()
                                        && !pair.right.failovers().isEmpty(),
                                2 * (HEARTBEAT_NS + BUDGET_NS + SLACK_NS)))
                        .as("to the right: %s", isToRight)
                        .isTrue();
                assertWorks(pair, 5);
            }
        }
    }

    @Test
    void oneProbeSpeaksForAllQueuePairsOfAPath() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            // Nor does the bonds' own say anything over the other path.
            pair.left.bond.admin().set(List.of("standby=cold"));
            pair.right.bond.admin().set(List.of("standby=cold"));
            pair.connect();
            pair.connect();
            pair.runFor(10 * HEARTBEAT_NS); // the soft device says more than once that a connection is ready to use
            final long before = pair.fabric.sent();
            pair.runFor(10 * HEARTBEAT_NS);
            assertThat(pair.fabric.sent() - before).as("a probe and its answer, each way").isBetween(36L, 44L);
            pair.block(0, true, true, true);
            assertThat(pair.runUntil(
                            () -> pair.left.failovers().size() == 3 && pair.right.failovers().size() == 3,
                            HEARTBEAT_NS + BUDGET_NS + SLACK_NS))
                    .isTrue();
            assertThat(pair.left.failovers()).extracting(FailoverReport::qpNum).doesNotHaveDuplicates();
            assertWorks(pair, 5);
        }
    }

    @Test
    void withoutAHeartbeatAnIdlePairNoticesNothing() {
        try (BondPair pair = pair(0, WATCHDOG_NS)) {
            pair.block(0, true, true, true);
            pair.runFor(10_000 * MS);
            assertThat(pair.left.failovers()).isEmpty();
            assertThat(pair.right.failovers()).isEmpty();
        }
    }

    @Test
    void anIdleReceiverLearnsThatItsPeerDied() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            pair.left.die();
            assertThat(pair.runUntil(
                            () -> !pair.right.failovers().isEmpty(), HEARTBEAT_NS + BUDGET_NS + SLACK_NS + 500 * MS))
                    .isTrue();
            final FailoverReport report = pair.right.failovers().getFirst();
            assertThat(report.reason()).isEqualTo(FailureReason.HEARTBEAT);
            assertThat(report.error()).isEqualTo(BondError.NO_PATH);
        }
    }

    @Test
    void aHangingSenderIsRecoveredByTheWatchdogAndNothingIsLostOrDoubled() {
        try (BondPair pair = pair(0, WATCHDOG_NS)) {
            assertWorks(pair, 3);
            pair.left.devices[0].stallSenders();
            final int sends = BondPair.DEPTH;
            for (int i = 0; i < sends; i++) {
                pair.left.send();
            }
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 3 + sends, WATCHDOG_NS + SLACK_NS + 20 * MS))
                    .isTrue();
            assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
            pair.runFor(100 * MS);
            assertThat(pair.right.received).isEqualTo(3 + sends);
            final FailoverReport report = pair.left.failovers().getFirst();
            assertThat(report.reason()).isEqualTo(FailureReason.WATCHDOG);
            assertThat(report.fenceNs()).as("it never flushes: drain_timeout").isBetween(20 * MS, 21 * MS);
            assertThat(report.replayed()).isEqualTo(sends);
        }
    }

    /** A process that was stopped, or got no processor, looks late: what it did not watch was not silent. */
    @Test
    void thePauseOfAWholeMachineIsNoSilence() {
        try (BondPair pair = pair(0, WATCHDOG_NS)) {
            assertWorks(pair, 3);
            pair.right.polls = false;
            for (int i = 0; i < BondPair.DEPTH; i++) {
                pair.left.send();
            }
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 3 + BondPair.DEPTH, 10 * MS)).isTrue();
            pair.left.send();
            pair.runFor(WATCHDOG_NS / 2);
            assertThat(pair.left.sends).as("the receiver is not ready").hasSize(3 + BondPair.DEPTH);
            pair.nowNs += 10 * WATCHDOG_NS;
            pair.right.polls = true;
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 4 + BondPair.DEPTH, 100 * MS)).isTrue();
            assertThat(pair.left.failovers()).isEmpty();
        }
    }

    @Test
    void whatADeviceFailsThoughItsPortIsUpGoesOverAnother() {
        try (BondPair pair = pair(0, WATCHDOG_NS)) {
            assertWorks(pair, 3);
            final int sends = BondPair.DEPTH;
            for (int i = 0; i < sends; i++) {
                pair.left.send();
            }
            pair.left.devices[0].failSenders();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 3 + sends, 1_000 * MS)).isTrue();
            assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
            pair.runFor(100 * MS);
            assertThat(pair.right.received).isEqualTo(3 + sends);
            assertThat(pair.left.failovers().getFirst().reason()).isEqualTo(FailureReason.LOCAL_QP_ERROR);
            assertThat(pair.left.failovers().getFirst().toPath()).startsWith("left1");
        }
    }

    @Test
    void aRequestThatEveryPathFailsIsTheApplicationsOwn() {
        try (Arena arena = Arena.ofShared();
                BondPair pair = pair(0, WATCHDOG_NS);
                MemoryRegion source = pair.right.pd.regMr(
                        arena.allocate(BondPair.MESSAGE_BYTES), AccessFlags.REMOTE_READ)) {
            assertWorks(pair, 3);
            pair.left.rdma(WrOpcode.RDMA_READ, source.addr(), source.rkey());
            assertThat(pair.runUntil(
                            () -> {
                                for (final SoftDevice device : pair.left.devices) {
                                    device.failSenders();
                                }
                                return pair.left.sends.size() == 4;
                            },
                            5_000 * MS))
                    .isTrue();
            assertThat(pair.left.sends.getLast()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
            assertThat(pair.left.failovers()).hasSize(3);
        }
    }

    @Test
    void aSenderThatHangsWhileIdleIsFoundByItsProbe() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            pair.left.devices[0].stallSenders();
            assertThat(pair.runUntil(
                            () -> !pair.left.failovers().isEmpty(), HEARTBEAT_NS + WATCHDOG_NS + SLACK_NS + 20 * MS))
                    .isTrue();
            assertThat(pair.left.failovers().getFirst().reason()).isEqualTo(FailureReason.HEARTBEAT);
            assertWorks(pair, 5);
        }
    }

    /** No completion is due for it, so that only the probe behind it tells. */
    @Test
    void aSenderThatHangsOnAnUnsignaledRequestIsFoundByTheProbeBehindIt() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            pair.left.devices[0].stallSenders();
            pair.left.send(0);
            assertThat(pair.runUntil(
                            () -> !pair.left.failovers().isEmpty(), HEARTBEAT_NS + WATCHDOG_NS + SLACK_NS + 20 * MS))
                    .isTrue();
            assertThat(pair.left.failovers().getFirst().reason()).as("of this one").isEqualTo(FailureReason.WATCHDOG);
            assertThat(pair.runUntil(() -> pair.right.received == 1, 100 * MS)).isTrue();
        }
    }

    @Test
    void anApplicationThatDoesNotPollIsNoSilence() {
        try (BondPair pair = pair(HEARTBEAT_NS, WATCHDOG_NS)) {
            pair.left.polls = false;
            for (int i = 0; i < 4; i++) {
                pair.left.send();
            }
            pair.runFor(5_000 * MS);
            assertThat(pair.left.failovers()).isEmpty();
            pair.left.polls = true;
            pair.runFor(MS);
            assertThat(pair.left.sends).isEqualTo(Collections.nCopies(4, WcStatus.SUCCESS));
        }
    }

    @Test
    void aReceiverThatIsNotReadyForLongCostsFewRecoveries() {
        try (BondPair pair = pair(0, WATCHDOG_NS)) {
            pair.right.polls = false;
            for (int i = 0; i < 2 * BondPair.DEPTH; i++) {
                pair.left.send();
                pair.runFor(MS);
            }
            pair.runFor(5_000 * MS);
            assertThat(pair.left.failovers()).hasSizeBetween(1, 7);
            pair.right.polls = true;
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2 * BondPair.DEPTH, 10_000 * MS)).isTrue();
            assertThat(pair.right.received).isEqualTo(2 * BondPair.DEPTH);
        }
    }
}
