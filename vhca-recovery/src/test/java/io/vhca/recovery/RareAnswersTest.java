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
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What one machine does on the ways that few recoveries take: each line of it matters to somebody who waits. */
class RareAnswersTest {
    private static final SessionId SESSION = new SessionId(7, 8);
    private static final ReceiverCounts OWN = new ReceiverCounts(20, 21);
    private static final PathId FIRST = new PathId(0, 0);
    private static final PathId SECOND = new PathId(1, 0);

    private final RecordingActions actions = new RecordingActions();
    private final List<String> asked = actions.asked();
    private final MemoryJournal journal = new MemoryJournal(1_000);
    private final PathTable paths = new PathTable(2, 1, 50, 400);
    private RecoveryMachine machine = machine(0);
    private long nowNs = 1_000;

    private RecoveryMachine machine(final int side) {
        return new RecoveryMachine(new VqpIdentity("bond0", SESSION, 5, 6, side), SmallBounds.CONFIG, paths,
                new Random(1), actions, journal);
    }

    private void connected(final int side) {
        machine = machine(side);
        machine.usePath(FIRST);
        machine.onEstablished(nowNs);
    }

    /** On the way to the peer over the best path. */
    private void connecting(final int side) {
        connected(side);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTING);
        asked.clear();
    }

    private void drain() {
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
    }

    private static RecoveryRequest request(final RecordType type, final int epoch) {
        return new RecoveryRequest(type, FailureReason.RETRY_EXC, SESSION, 6, 5, epoch, 0, new ReceiverCounts(40, 41));
    }

    private static RecoveryReply reply(final SessionId session, final int epoch) {
        return new RecoveryReply(session, 6, epoch, new ReceiverCounts(30, 31));
    }

    private void rejected(final RejectCode code) {
        machine.onReject(new RejectRecord(code, SESSION, machine.epoch()), nowNs);
    }

    private List<String> journal(final JournalKind kind) {
        return journal.events().stream()
                .filter(event -> event.kind() == kind)
                .map(JournalEvent::note)
                .toList();
    }

    /** Else each end, told that it is behind, may ask again before the other one's REQ is there, for ever. */
    @Test
    void whoIsBehindThePeerSleepsLongerEachTime() {
        connecting(1);
        long shortest = 0;
        for (int longest = 10; longest <= 80; longest *= 2) {
            rejected(RejectCode.STALE_EPOCH);
            assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
            final long pause = machine.nextDeadlineNs() - nowNs;
            assertThat(pause).isBetween((long) longest / 2, (long) longest).isGreaterThanOrEqualTo(shortest);
            shortest = pause;
            nowNs += pause;
            machine.doWork(nowNs);
            drain();
            assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTING);
        }
    }

    @Test
    void theJournalHasEachStepAndWhatWasSaid() {
        connected(0);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        drain();
        machine.onReply(reply(SESSION, 1), nowNs);
        machine.onReplayed(nowNs);
        assertThat(journal.events())
                .extracting(JournalEvent::kind)
                .containsExactly(
                        JournalKind.TRANSITION, JournalKind.PATH_FAILED, JournalKind.TRANSITION,
                        JournalKind.TRANSITION, JournalKind.TRANSITION, JournalKind.NEGOTIATED,
                        JournalKind.TRANSITION, JournalKind.TRANSITION);
        assertThat(journal(JournalKind.NEGOTIATED)).containsExactly("ledger 31");
    }

    @Test
    void theJournalNamesADefectAFailureAndARejection() {
        connected(0);
        machine.onFenced(nowNs);
        assertThat(journal(JournalKind.DEFECT)).containsExactly("FENCED cannot happen in CONNECTED");
        connecting(0);
        machine.onReject(null, nowNs);
        assertThat(journal(JournalKind.REJECT_RECEIVED)).containsExactly("no record");
        connecting(0);
        rejected(RejectCode.FAILED);
        assertThat(journal(JournalKind.REJECT_RECEIVED)).containsExactly("no record", "FAILED");
        assertThat(journal(JournalKind.FAILURE))
                .containsExactly("PEER_FAILED: " + BondError.PEER_FAILED.meaning());
    }

    @Test
    void aFailureOfThePathInTheMiddleStartsTheRoundAnew() {
        connecting(0);
        machine.onReply(reply(SESSION, 1), nowNs);
        asked.clear();
        machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.FENCING);
        assertThat(asked).containsExactly("fence");
        assertThat(journal(JournalKind.PATH_FAILED)).containsExactly("PORT_ERR", "RETRY_EXC");
    }

    @Test
    void aReplyToAnotherAttemptOrOfAnotherSessionIsNone() {
        for (final RecoveryReply wrong : List.of(reply(SESSION, 2), reply(new SessionId(7, 9), 1))) {
            connecting(0);
            final PathId tried = machine.path();
            machine.onReply(wrong, nowNs);
            assertThat(asked).containsExactly("abandonAttempt", "fence");
            assertThat(paths.penaltyNs(tried, nowNs)).isPositive();
        }
        assertThat(journal(JournalKind.NOTE)).containsOnly("the reply is not for this attempt").hasSize(2);
    }

    @Test
    void anAttemptThatWasAnsweredIsNotRepeatedByThePeer() {
        connecting(0);
        machine.onReply(reply(SESSION, 1), nowNs);
        machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        asked.clear();
        machine.onRequest(request(RecordType.RECOVER, 1), 3, FIRST, nowNs);
        assertThat(asked).as("both sides know epoch 1").containsExactly("reject 3 STALE_EPOCH 1");
    }

    @Test
    void whatARecoveryTriedAndHowLongItWaitedIsForgottenByTheNext() {
        connected(0);
        machine.onPathFailure(FailureReason.PLANNED, nowNs);
        drain();
        for (int i = 0; i < 12; i++) {
            if (machine.state() == RecoveryState.CONNECTING) {
                machine.onConnectFailed(nowNs);
            } else {
                nowNs = machine.nextDeadlineNs();
                machine.doWork(nowNs);
            }
            drain();
        }
        while (machine.state() != RecoveryState.CONNECTING) {
            nowNs = machine.nextDeadlineNs();
            machine.doWork(nowNs);
            drain();
        }
        final PathId tried = machine.path();
        machine.onReply(reply(SESSION, machine.epoch()), nowNs);
        machine.onReplayed(nowNs);
        assertThat(paths.consecutiveFailures(tried)).isZero();

        nowNs += 1_000_000;
        machine.onPathFailure(FailureReason.PLANNED, nowNs);
        drain();
        assertThat(machine.state()).as("no path counts as tried").isEqualTo(RecoveryState.CONNECTING);
        machine.onConnectFailed(nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTING);
        machine.onConnectFailed(nowNs);
        drain();
        assertThat(machine.nextDeadlineNs() - nowNs)
                .isBetween(SmallBounds.CONFIG.minBackoffNs() / 2, SmallBounds.CONFIG.minBackoffNs());
    }

    @Test
    void aPathThatAnAttemptFailedOnIsSuspect() {
        connecting(0);
        final PathId tried = machine.path();
        assertThat(tried).isEqualTo(SECOND);
        machine.onConnectFailed(nowNs);
        assertThat(paths.penaltyNs(SECOND, nowNs)).isPositive();
    }

    @Test
    void aPathThatIsAskedForIsTakenThoughOthersAreBetter() {
        connected(0);
        paths.failed(SECOND, nowNs);
        machine.wantPath(SECOND);
        machine.onPathFailure(FailureReason.PLANNED, nowNs);
        drain();
        assertThat(machine.path()).isEqualTo(SECOND);
    }

    @Test
    void whoIsToBeActiveAndHearsTheOtherYieldTriesAnotherPath() {
        connecting(0);
        rejected(RejectCode.TIE_YIELD);
        assertThat(machine.state()).isEqualTo(RecoveryState.FENCING);
        assertThat(paths.penaltyNs(SECOND, nowNs)).isPositive();
        connecting(1);
        rejected(RejectCode.TIE_YIELD);
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
    }

    @Test
    void aPathOverWhichAPeerThatIsNotThereYetHasAnsweredIsKept() {
        machine = machine(0);
        machine.start(nowNs);
        drain();
        assertThat(machine.path()).isEqualTo(FIRST);
        paths.preferLocal(1);
        rejected(RejectCode.BAD_SESSION);
        nowNs = machine.nextDeadlineNs();
        machine.doWork(nowNs);
        drain();
        assertThat(machine.path()).isEqualTo(FIRST);
    }

    @Test
    void aMemberThatComesUpIsTriedThoughItWasTriedBefore() {
        connecting(0);
        machine.onConnectFailed(nowNs);
        drain();
        machine.onConnectFailed(nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        machine.onPathUp(0, nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTING);
        assertThat(machine.path()).isEqualTo(FIRST);
    }

    @Test
    void aRequestWhileClosingIsToldSo() {
        connected(0);
        machine.onApplicationClose(nowNs);
        machine.onRequest(request(RecordType.RECOVER, 5), 3, FIRST, nowNs);
        assertThat(asked).endsWith("reject 3 CLOSED 0");
    }

    @Test
    void ofTwoRequestsThatWaitTheOlderIsTurnedAway() {
        connected(1);
        machine.onRequest(request(RecordType.RECOVER, 1), 3, FIRST, nowNs);
        machine.onRequest(request(RecordType.RECOVER, 2), 4, FIRST, nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "reject 3 STALE_EPOCH 2");
        drain();
        assertThat(asked).endsWith("answer 4 2 20 21");
    }

    @Test
    void whenThePeerClosesWhoWaitedIsToldAndTheLastCloseIsAcknowledged() {
        connected(1);
        machine.onRequest(request(RecordType.RECOVER, 1), 3, FIRST, nowNs);
        machine.onRequest(request(RecordType.CLOSE, 1), 4, FIRST, nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "reject 3 CLOSED 0");
        machine.onRequest(request(RecordType.CLOSE, 1), 5, FIRST, nowNs);
        assertThat(asked).endsWith("reject 4 NO_RESOURCES 0");
        drain();
        assertThat(asked).endsWith("drain", "reject 5 CLOSED_ACK 0", "disconnected");
    }

    @Test
    void bothSidesMayCloseAtOnce() {
        connected(0);
        machine.onApplicationClose(nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.CLOSING);
        asked.clear();
        machine.onRequest(request(RecordType.CLOSE, 0), 4, FIRST, nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(asked).containsExactly("abandonAttempt", "reject 4 CLOSED_ACK 0", "disconnected");
    }

    @Test
    void aCloseOfThePeerHasABoundOfItsOwn() {
        connected(0);
        machine.onRequest(request(RecordType.CLOSE, 0), 4, FIRST, nowNs);
        nowNs += SmallBounds.CONFIG.closeTimeoutNs();
        machine.doWork(nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(asked).endsWith("reject 4 CLOSED_ACK 0", "disconnected");
    }

    @Test
    void aCloseTurnsAwayWhoWaitsAndTriesEveryPathAgain() {
        connected(0);
        machine.onRequest(request(RecordType.RECOVER, 1), 3, FIRST, nowNs);
        machine.onApplicationClose(nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "reject 3 CLOSED 0");
        connecting(0);
        machine.onConnectFailed(nowNs);
        drain();
        machine.onConnectFailed(nowNs);
        drain();
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        machine.onApplicationClose(nowNs);
        drain();
        assertThat(machine.state()).as("there are paths again").isEqualTo(RecoveryState.CLOSING);
    }

    @Test
    void atTheBoundOfADrainItIsFinishedOnceOnly() {
        connected(0);
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        machine.onFenced(nowNs);
        nowNs = machine.nextDeadlineNs();
        assertThat(machine.doWork(nowNs)).isOne();
        assertThat(machine.doWork(nowNs)).isZero();
        assertThat(journal(JournalKind.DRAIN_EXPIRED)).hasSize(1);
    }
}
