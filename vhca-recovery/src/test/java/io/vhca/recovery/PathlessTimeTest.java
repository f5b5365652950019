package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What counts as time without a path: waiting for a turn does not, nor does a peer that answers. */
class PathlessTimeTest {
    private static final SessionId SESSION = new SessionId(7, 8);
    private static final ReceiverCounts OWN = new ReceiverCounts(20, 21);
    /** A queue is not the machine's to time, as in a bond. */
    private static final RecoveryConfig CONFIG = RecoveryConfig.builder()
            .recoveryTimeoutNs(10_000)
            .drainTimeoutNs(100)
            .connectTimeoutNs(1L << 40)
            .establishTimeoutNs(600)
            .yieldTimeoutNs(200)
            .minBackoffNs(10)
            .maxBackoffNs(80)
            .closeTimeoutNs(2_000)
            .build();

    private final RecordingActions actions = new RecordingActions();
    private final PathTable paths = new PathTable(2, 1, 50, 400);
    private final RecoveryMachine machine = new RecoveryMachine(
            new VqpIdentity("bond0", SESSION, 5, 6, 1), CONFIG, paths, new Random(1), actions, Journal.NONE);
    private long nowNs = Long.MAX_VALUE - 5_000;

    private void fail() {
        machine.onEstablished(nowNs);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        attempt();
    }

    private void attempt() {
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
    }

    private static RecoveryRequest request(final int epoch, final long answerTimeoutUs) {
        return new RecoveryRequest(RecordType.RECOVER, FailureReason.RETRY_EXC, SESSION, 6, 5, epoch, answerTimeoutUs,
                new ReceiverCounts(40, 41));
    }

    /** Time passes; the timers that are due fire. */
    private RecoveryState after(final long ns) {
        nowNs += ns;
        machine.doWork(nowNs);
        return machine.state();
    }

    private void reject(final RejectCode code) {
        machine.onReject(new RejectRecord(code, SESSION, machine.epoch()), nowNs);
    }

    @Test
    void waitingForATurnWhileThePeerAnswersOthersDoesNotCount() {
        fail();
        machine.reckon(true, true, nowNs);
        assertThat(after(1_000_000)).isEqualTo(RecoveryState.CONNECTING);
        machine.reckon(false, false, nowNs);
        assertThat(after(9_999)).isEqualTo(RecoveryState.CONNECTING);
        assertThat(after(1)).as("the attempt itself counts").isEqualTo(RecoveryState.FAILED);
        assertThat(actions.asked()).contains("fail NO_PATH");
    }

    @Test
    void whereNobodyIsAnsweredWaitingForATurnCounts() {
        fail();
        machine.reckon(true, false, nowNs);
        assertThat(after(10_000)).isEqualTo(RecoveryState.FAILED);
    }

    @Test
    void theHoldIsOfTheAttemptAlone() {
        fail();
        machine.reckon(true, true, nowNs);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.FENCING);
        machine.reckon(false, false, nowNs);
        assertThat(after(10_000)).isEqualTo(RecoveryState.FAILED);
    }

    @Test
    void whileThePeerSpeaksToOthersAPartOfAnAttemptsTimeCounts() {
        fail();
        machine.reckon(false, true, nowNs);
        assertThat(after(8 * 4_000)).isEqualTo(RecoveryState.CONNECTING);
        machine.reckon(false, false, nowNs);
        assertThat(after(5_999)).isEqualTo(RecoveryState.CONNECTING);
        machine.reckon(false, true, nowNs);
        assertThat(after(7)).isEqualTo(RecoveryState.CONNECTING);
        assertThat(after(1)).as("a peer that answers all but this one").isEqualTo(RecoveryState.FAILED);
    }

    @Test
    void aPeerThatPutsOffStopsTheClockButForAPart() {
        fail();
        int rounds = 0;
        while (machine.state() != RecoveryState.FAILED && rounds < 10_000) {
            rounds++;
            reject(RejectCode.TIE_YIELD);
            assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
            if (after(CONFIG.yieldTimeoutNs()) == RecoveryState.FENCING) {
                attempt();
                machine.doWork(nowNs);
            }
        }
        assertThat(rounds * CONFIG.yieldTimeoutNs()).as("eight times as long, and not for ever")
                .isBetween(7 * CONFIG.recoveryTimeoutNs(), 9 * CONFIG.recoveryTimeoutNs());
    }

    /** Out of band: its bond is there and answers others, and never knows of this one. */
    @Test
    void aPeerThatDoesNotKnowOfItWastesTheTimeInFull() {
        machine.start(nowNs);
        attempt();
        final long beganNs = nowNs;
        while (machine.state() != RecoveryState.FAILED && nowNs - beganNs < 8 * CONFIG.recoveryTimeoutNs()) {
            reject(RejectCode.UNKNOWN_SESSION);
            assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
            machine.reckon(false, true, nowNs);
            if (after(CONFIG.maxBackoffNs()) == RecoveryState.FENCING) {
                attempt();
                machine.doWork(nowNs);
            }
        }
        assertThat(machine.state()).isEqualTo(RecoveryState.FAILED);
        assertThat(nowNs - beganNs).isLessThan(2 * CONFIG.recoveryTimeoutNs());
    }

    @Test
    void aPeerThatHasNoRoomOnAnyPathPutsOffToo() {
        fail();
        reject(RejectCode.NO_RESOURCES);
        attempt();
        reject(RejectCode.NO_RESOURCES);
        attempt();
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        assertThat(machine.vainRounds()).isZero();
        assertThat(after(10)).isEqualTo(RecoveryState.FENCING);
        attempt();
        assertThat(machine.nextDeadlineNs() - nowNs).as("an eighth of the pause").isBetween(9_998L, 10_000L);
    }

    /** Anybody may say so: the peer has not been heard. */
    @ParameterizedTest
    @EnumSource(names = {"NO_KEY", "KEY_REQUIRED", "BAD_PROOF"})
    void whoDoesNotProveToBeThePeerPutsNothingOff(final RejectCode ofKeys) {
        fail();
        reject(ofKeys);
        attempt();
        reject(ofKeys);
        attempt();
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        assertThat(machine.vainRounds()).isOne();
        assertThat(after(9_999)).isNotEqualTo(RecoveryState.FAILED);
        assertThat(after(1)).isEqualTo(RecoveryState.FAILED);
    }

    @Test
    void eachRoundOverAllPathsWithoutAWordIsCountedUntilThePeerIsHeard() {
        fail();
        for (int round = 1; round < 4; round++) {
            for (int path = 0; path < 2; path++) {
                assertThat(machine.vainRounds()).isEqualTo(round - 1);
                machine.onConnectFailed(nowNs);
                attempt();
            }
            assertThat(machine.vainRounds()).isEqualTo(round);
            after(80);
            attempt();
        }
        reject(RejectCode.STALE_EPOCH);
        assertThat(machine.vainRounds()).isZero();
        machine.onRequest(request(machine.epoch() + 1, 0), 3, PathId.NONE, nowNs);
        attempt();
        machine.onEstablished(nowNs);
        machine.onReplayed(nowNs);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        assertThat(machine.vainRounds()).isZero();
    }

    @Test
    void whatOneRecoveryHeardSaysNothingOfTheNext() {
        fail();
        for (int path = 0; path < 2; path++) {
            machine.onConnectFailed(nowNs);
            attempt();
        }
        after(80);
        attempt();
        machine.onReply(new RecoveryReply(SESSION, 6, machine.epoch(), new ReceiverCounts(30, 31)), nowNs);
        machine.onReplayed(nowNs);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        assertThat(machine.vainRounds()).isZero();
        machine.onRequest(request(machine.epoch() + 1, 0), 3, PathId.NONE, nowNs);
        attempt();
        machine.onEstablished(nowNs);
        machine.onReplayed(nowNs);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        attempt();
        for (int path = 0; path < 2; path++) {
            machine.onConnectFailed(nowNs);
            attempt();
        }
        assertThat(machine.vainRounds()).isEqualTo(1);
    }

    @Test
    void whileAnAnswerWaitsToBeConfirmedNothingCounts() {
        fail();
        after(9_000);
        for (int i = 0; i < 20; i++) {
            machine.onRequest(request(machine.epoch() + 1, 0), 3 + i, PathId.NONE, nowNs);
            attempt();
            assertThat(machine.state()).isEqualTo(RecoveryState.ANSWERED);
            assertThat(after(599)).isEqualTo(RecoveryState.ANSWERED);
        }
        assertThat(after(1)).isEqualTo(RecoveryState.FENCING);
        assertThat(after(1_000)).as("from then on it does").isEqualTo(RecoveryState.FAILED);
    }

    @Test
    void anAnswerWaitsForItsConfirmationAsLongAsItsReceiverWouldHaveWaitedForIt() {
        for (final long[] pair : new long[][] {{0, 600}, {1, 1_000}, {2, 2_000}, {4_000_000_000L, 4_800}}) {
            final RecoveryMachine asked = new RecoveryMachine(
                    new VqpIdentity("bond0", SESSION, 5, 6, 1), CONFIG, paths, new Random(1), actions, Journal.NONE);
            asked.onEstablished(nowNs);
            asked.onRequest(request(1, pair[0]), 3, PathId.NONE, nowNs);
            asked.onFenced(nowNs);
            asked.onDrained(OWN, nowNs);
            assertThat(asked.nextDeadlineNs() - nowNs).as(pair[0] + " us").isEqualTo(pair[1]);
        }
    }

    @Test
    void aRecoveryThatEndsWellLeavesNoClockRunning() {
        fail();
        machine.onReply(new RecoveryReply(SESSION, 6, 1, new ReceiverCounts(30, 31)), nowNs);
        machine.onReplayed(nowNs);
        machine.reckon(false, false, nowNs);
        assertThat(machine.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }
}
