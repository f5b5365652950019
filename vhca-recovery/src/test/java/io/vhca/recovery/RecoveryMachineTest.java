package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.RecoveryTransitions.Reaction;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One machine, told facts by hand: the table, the timers, the answers to each rejection. */
class RecoveryMachineTest {
    private static final SessionId SESSION = new SessionId(7, 8);
    private static final ReceiverCounts OWN = new ReceiverCounts(20, 21);
    private static final RecoveryConfig CONFIG = SmallBounds.CONFIG;

    private final RecordingActions actions = new RecordingActions();
    private final List<String> asked = actions.asked();
    private final MemoryJournal journal = new MemoryJournal(1_000);
    private final PathTable paths = new PathTable(2, 1, 50, 400);
    private RecoveryMachine machine = machine(0);
    private long nowNs;

    private RecoveryMachine machine(final int side) {
        asked.clear();
        return new RecoveryMachine(new VqpIdentity("bond0", SESSION, 5, 6, side), CONFIG, paths, new Random(1),
                actions, journal);
    }

    private static RecoveryRequest request(final RecordType type, final int epoch) {
        return request(type, FailureReason.RETRY_EXC, SESSION, 6, 5, epoch);
    }

    private static RecoveryRequest request(final RecordType type, final FailureReason why, final SessionId session,
            final int sender, final int target, final int epoch) {
        return new RecoveryRequest(type, why, session, sender, target, epoch, 0, new ReceiverCounts(40, 41));
    }

    private static RecoveryReply reply(final int epoch) {
        return new RecoveryReply(SESSION, 6, epoch, new ReceiverCounts(30, 31));
    }

    private static RejectRecord reject(final RejectCode code, final int epoch) {
        return new RejectRecord(code, SESSION, epoch);
    }

    private void drive(final RecoveryState target, final int side) {
        machine = machine(side);
        if (target == RecoveryState.IDLE) {
            return;
        }
        machine.onEstablished(nowNs);
        switch (target) {
            case CONNECTED -> { }
            case FENCING -> machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
            case DRAINING -> {
                drive(RecoveryState.FENCING, side);
                machine.onFenced(nowNs);
            }
            case CONNECTING -> {
                drive(RecoveryState.DRAINING, side);
                machine.onDrained(OWN, nowNs);
            }
            case ANSWERED -> {
                machine.onRequest(request(RecordType.RECOVER, 1), 3, PathId.NONE, nowNs);
                machine.onFenced(nowNs);
                machine.onDrained(OWN, nowNs);
            }
            case REPLAYING -> {
                drive(RecoveryState.CONNECTING, side);
                machine.onReply(reply(1), nowNs);
            }
            case WAITING -> {
                drive(RecoveryState.DRAINING, side);
                paths.localUp(0, false);
                paths.localUp(1, false);
                machine.onDrained(OWN, nowNs);
                paths.localUp(0, true);
                paths.localUp(1, true);
            }
            case CLOSING, CLOSED -> {
                machine.onApplicationClose(nowNs);
                machine.onFenced(nowNs);
                machine.onDrained(OWN, nowNs);
                if (target == RecoveryState.CLOSED) {
                    machine.onReject(reject(RejectCode.CLOSED_ACK, 0), nowNs);
                }
            }
            case FAILED -> machine.onVqpError(nowNs);
            default -> throw new AssertionError(target);
        }
        assertThat(machine.state()).isEqualTo(target);
        asked.clear();
    }

    private void tell(final RecoveryFact fact) {
        switch (fact) {
            case START -> machine.start(nowNs);
            case PATH_FAILURE -> machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
            case FENCED -> machine.onFenced(nowNs);
            case DRAINED -> machine.onDrained(OWN, nowNs);
            case REQUEST -> machine.onRequest(request(RecordType.RECOVER, 9), 4, PathId.NONE, nowNs);
            case REPLY -> machine.onReply(reply(1), nowNs);
            case REJECTED -> machine.onReject(reject(RejectCode.STALE_EPOCH, 5), nowNs);
            case CONNECT_FAILED -> machine.onConnectFailed(nowNs);
            case ESTABLISHED -> machine.onEstablished(nowNs);
            case REPLAYED -> machine.onReplayed(nowNs);
            case PATH_UP -> machine.onPathUp(0, nowNs);
            case APPLICATION_CLOSE -> machine.onApplicationClose(nowNs);
            case TIMER -> machine.doWork(nowNs);
            case VQP_ERROR -> machine.onVqpError(nowNs);
        }
    }

    @Test
    void everyFactInEveryStateDoesWhatTheTableSays() {
        int pairs = 0;
        for (final RecoveryState state : RecoveryState.values()) {
            for (final RecoveryFact fact : RecoveryFact.values()) {
                drive(state, 0);
                final Reaction reaction = RecoveryTransitions.reaction(state, fact);
                if (fact == RecoveryFact.TIMER) {
                    final boolean armed = machine.nextDeadlineNs() != Long.MAX_VALUE;
                    assertThat(armed).as("timer in " + state).isEqualTo(reaction == Reaction.HANDLE);
                    continue;
                }
                final int before = journal.events().size();
                tell(fact);
                final String pair = state + " x " + fact;
                assertThat(machine.defects()).as(pair).isEqualTo(reaction == Reaction.DEFECT ? 1 : 0);
                if (reaction != Reaction.HANDLE) {
                    assertThat(machine.state()).as(pair).isEqualTo(state);
                    assertThat(asked).as(pair).isEmpty();
                } else if (fact != RecoveryFact.PATH_UP && fact != RecoveryFact.PATH_FAILURE
                        && machine.state() == state) {
                    assertThat(journal.events().size() > before
                            || machine.nextDeadlineNs() != Long.MAX_VALUE).as(pair).isTrue();
                }
                pairs++;
            }
        }
        assertThat(pairs).isEqualTo(RecoveryState.values().length * (RecoveryFact.values().length - 1));
    }

    @Test
    void onlyTerminalStatesHaveNoSuccessor() {
        final Set<RecoveryState> terminal = EnumSet.noneOf(RecoveryState.class);
        for (final RecoveryState from : RecoveryState.values()) {
            boolean any = false;
            for (final RecoveryState to : RecoveryState.values()) {
                any |= RecoveryTransitions.allowed(from, to);
            }
            if (!any) {
                terminal.add(from);
            }
        }
        assertThat(terminal).containsExactlyInAnyOrder(RecoveryState.CLOSED, RecoveryState.FAILED);
    }

    @Test
    void theStepsOfAnInitiatorInOrder() {
        drive(RecoveryState.CONNECTED, 0);
        machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(actions.sent()).isEqualTo(new RecoveryRequest(
                RecordType.RECOVER, FailureReason.RETRY_EXC, SESSION, 5, 6, 1, 0, OWN));
        machine.onReply(reply(1), nowNs);
        machine.onReplayed(nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "drain", "connect 0->0 RECOVER 1", "apply 30 31",
                "replay", "openGate");
        assertThat(machine.recoveries()).isEqualTo(1);
        assertThat(machine.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theStepsOfAResponderInOrder() {
        drive(RecoveryState.CONNECTED, 1);
        machine.onRequest(request(RecordType.RECOVER, 1), 3, PathId.NONE, nowNs);
        assertThat(machine.reason()).isEqualTo(FailureReason.PEER_REQUEST);
        assertThat(asked).containsExactly("closeGate", "fence");
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        machine.onEstablished(nowNs);
        machine.onReplayed(nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "drain", "apply 40 41", "answer 3 1 20 21", "replay",
                "openGate");
    }

    @Test
    void aDrainThatDoesNotEndIsFinishedAtItsBoundAndSaysSo() {
        drive(RecoveryState.DRAINING, 0);
        assertThat(machine.doWork(nowNs + 99)).isZero();
        assertThat(machine.nextDeadlineNs()).isEqualTo(nowNs + 100);
        assertThat(machine.doWork(nowNs + 100)).isEqualTo(1);
        assertThat(asked).containsExactly("finishDrain");
        assertThat(journal.events().getLast().kind()).isEqualTo(JournalKind.DRAIN_EXPIRED);
    }

    @Test
    void aRepeatedRequestGetsTheSameAnswerUnderItsOwnToken() {
        drive(RecoveryState.ANSWERED, 1);
        machine.onRequest(request(RecordType.RECOVER, 1), 4, PathId.NONE, nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).containsExactly("fence", "drain", "apply 40 41", "answer 4 1 20 21");
    }

    @Test
    void staleAndForgedRequestsAreRejectedAndChangeNothing() {
        drive(RecoveryState.CONNECTED, 0);
        machine.onRequest(request(RecordType.RECOVER, 0), 1, PathId.NONE, nowNs);
        final FailureReason why = FailureReason.RETRY_EXC;
        for (final RecoveryRequest forged : List.of(
                request(RecordType.RECOVER, why, new SessionId(7, 9), 6, 5, 9),
                request(RecordType.RECOVER, why, SESSION, 7, 5, 9),
                request(RecordType.RECOVER, why, SESSION, 6, 4, 9))) {
            machine.onRequest(forged, 2, PathId.NONE, nowNs);
        }
        assertThat(asked).containsExactly("reject 1 STALE_EPOCH 0", "reject 2 BAD_SESSION 0", "reject 2 BAD_SESSION 0",
                "reject 2 BAD_SESSION 0");
        assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTED);
    }

    @Test
    void equalEpochsWhileBothConnectSideZeroStaysActive() {
        drive(RecoveryState.CONNECTING, 0);
        machine.onRequest(request(RecordType.RECOVER, 1), 4, PathId.NONE, nowNs);
        assertThat(asked).containsExactly("reject 4 TIE_YIELD 1");
        assertThat(machine.state()).isEqualTo(RecoveryState.CONNECTING);
        drive(RecoveryState.CONNECTING, 1);
        machine.onRequest(request(RecordType.RECOVER, 1), 4, PathId.NONE, nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "fence");
        drive(RecoveryState.CONNECTING, 1);
        machine.onReject(reject(RejectCode.TIE_YIELD, 1), nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        machine.onRequest(request(RecordType.RECOVER, 1), 4, PathId.NONE, nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "fence");
    }

    @Test
    void aStaleEpochIsTriedAgainOverTheSamePathWithTheNextOne() {
        drive(RecoveryState.CONNECTING, 0);
        final PathId first = machine.path();
        machine.onReject(reject(RejectCode.STALE_EPOCH, 7), nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "fence", "drain", "connect " + first + " RECOVER 8");
    }

    @Test
    void ofTwoThatAreBehindEachOtherSideOneLetsTheOtherAsk() {
        drive(RecoveryState.CONNECTING, 1);
        machine.onReject(reject(RejectCode.STALE_EPOCH, 2), nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        machine.onRequest(request(RecordType.RECOVER, 2), 4, PathId.NONE, nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "fence");
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.ANSWERED);
    }

    @Test
    void whoIsBehindAPeerThatDoesNotAskAsksAgainAfterAWhile() {
        drive(RecoveryState.CONNECTING, 1);
        final PathId first = machine.path();
        machine.onReject(reject(RejectCode.STALE_EPOCH, 7), nowNs);
        machine.doWork(nowNs + CONFIG.minBackoffNs());
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "fence", "drain", "connect " + first + " RECOVER 8");
    }

    @Test
    void whatTheOtherRejectionsMean() {
        assertThat(afterReject(RejectCode.UNKNOWN_SESSION)).containsExactly("abandonAttempt", "fail PEER_RESTARTED");
        assertThat(afterReject(RejectCode.BAD_SESSION)).containsExactly("abandonAttempt", "fail PEER_RESTARTED");
        assertThat(afterReject(RejectCode.BAD_VERSION)).containsExactly("abandonAttempt", "fail PROTOCOL_VIOLATION");
        assertThat(afterReject(RejectCode.GARBAGE)).containsExactly("abandonAttempt", "fail PROTOCOL_VIOLATION");
        assertThat(afterReject(RejectCode.CLOSED)).containsExactly("abandonAttempt", "disconnected");
        assertThat(afterReject(RejectCode.CLOSED_ACK)).containsExactly("abandonAttempt", "disconnected");
        assertThat(afterReject(RejectCode.FAILED)).containsExactly("abandonAttempt", "fail PEER_FAILED");
        assertThat(afterReject(RejectCode.NO_RESOURCES)).containsExactly("abandonAttempt", "fence");
        assertThat(afterReject(RejectCode.APPLICATION)).containsExactly("abandonAttempt", "fence");
    }

    private List<String> afterReject(final RejectCode code) {
        drive(RecoveryState.CONNECTING, 0);
        machine.onReject(reject(code, 0), nowNs);
        return asked;
    }

    @Test
    void wrongCountsFailTheVqpAndTellThePeer() {
        actions.refuseCounts(BondError.COMMITTED_DATA_LOST);
        drive(RecoveryState.CONNECTED, 1);
        machine.onRequest(request(RecordType.RECOVER, 1), 3, PathId.NONE, nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).endsWith("apply 40 41", "reject 3 FAILED 1", "fail COMMITTED_DATA_LOST");
        drive(RecoveryState.CONNECTING, 0);
        machine.onReply(reply(1), nowNs);
        assertThat(asked).containsExactly("apply 30 31", "abandonAttempt", "fail COMMITTED_DATA_LOST");
    }

    @Test
    void everyPathIsTriedAtOnceThenTheBackOffGrowsAndTheTimeoutEndsIt() {
        drive(RecoveryState.CONNECTED, 0);
        final long startNs = nowNs;
        machine.onPathFailure(FailureReason.PORT_ERR, nowNs);
        final List<Long> pauses = new ArrayList<>();
        while (machine.state() != RecoveryState.FAILED) {
            switch (machine.state()) {
                case FENCING -> machine.onFenced(nowNs);
                case DRAINING -> machine.onDrained(OWN, nowNs);
                case CONNECTING -> machine.onConnectFailed(nowNs);
                default -> {
                    pauses.add(machine.nextDeadlineNs() - nowNs);
                    nowNs = machine.nextDeadlineNs();
                    machine.doWork(nowNs);
                }
            }
        }
        assertThat(asked.stream().filter(line -> line.startsWith("connect")).limit(2))
                .containsExactlyInAnyOrder("connect 0->0 RECOVER 1", "connect 1->0 RECOVER 2");
        assertThat(pauses.get(0)).isBetween(5L, 10L);
        assertThat(pauses.get(1)).isBetween(10L, 20L);
        assertThat(pauses.subList(4, pauses.size() - 1)).allMatch(pause -> pause >= 40 && pause <= 80);
        assertThat(nowNs - startNs).isEqualTo(CONFIG.recoveryTimeoutNs());
        assertThat(asked.getLast()).isEqualTo("fail NO_PATH");
        machine.onRequest(request(RecordType.RECOVER, 500), 9, PathId.NONE, nowNs);
        assertThat(asked.getLast()).startsWith("reject 9 FAILED");
    }

    @Test
    void aMemberThatComesUpIsTriedAtOnce() {
        drive(RecoveryState.WAITING, 0);
        machine.onPathUp(1, nowNs);
        assertThat(asked).containsExactly("fence");
    }

    @Test
    void anUnconfirmedAnswerIsFollowedByAnAttemptOfOurOwn() {
        drive(RecoveryState.ANSWERED, 1);
        nowNs = machine.nextDeadlineNs();
        machine.doWork(nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).containsExactly("fence", "drain", "connect 0->0 RECOVER 2");
    }

    @Test
    void aCloseIsAcknowledgedAfterTheDrain() {
        drive(RecoveryState.CONNECTED, 1);
        machine.onRequest(request(RecordType.CLOSE, 0), 3, PathId.NONE, nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(OWN, nowNs);
        assertThat(asked).containsExactly("closeGate", "fence", "drain", "reject 3 CLOSED_ACK 0", "disconnected");
    }

    @Test
    void aCloseThatNobodyAnswersEndsAtItsBound() {
        drive(RecoveryState.CLOSING, 0);
        nowNs = machine.nextDeadlineNs();
        machine.doWork(nowNs);
        assertThat(asked).containsExactly("abandonAttempt", "connect 1->0 CLOSE 0");
        nowNs = machine.nextDeadlineNs();
        machine.doWork(nowNs);
        assertThat(asked).endsWith("abandonAttempt", "disconnected");
        drive(RecoveryState.CONNECTED, 0);
        machine.onApplicationClose(nowNs);
        machine.doWork(nowNs + CONFIG.closeTimeoutNs());
        assertThat(machine.state()).isEqualTo(RecoveryState.CLOSED);
    }

    @Test
    void aDeadlineOfTheRecoveryThatACloseOvertookFiresOnceAtMost() {
        drive(RecoveryState.CONNECTED, 0);
        machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        nowNs += CONFIG.recoveryTimeoutNs() - 1;
        machine.onApplicationClose(nowNs);
        nowNs += 1;
        machine.doWork(nowNs);
        assertThat(machine.doWork(nowNs)).isZero();
        assertThat(machine.nextDeadlineNs() - nowNs).isPositive();
    }

    @Test
    void outOfBandStartsWithItsOwnRecordAndOutwaitsAPeerThatIsNotThereYet() {
        drive(RecoveryState.IDLE, 0);
        machine.start(nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(new ReceiverCounts(0, 0), nowNs);
        machine.onReject(reject(RejectCode.UNKNOWN_SESSION, 0), nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.WAITING);
        nowNs = machine.nextDeadlineNs();
        machine.doWork(nowNs);
        machine.onFenced(nowNs);
        machine.onDrained(new ReceiverCounts(0, 0), nowNs);
        assertThat(asked).as("over the same path: the peer's bond has answered over it").containsExactly(
                "closeGate", "fence", "drain", "connect 0->0 OOB 1", "abandonAttempt",
                "fence", "drain", "connect 0->0 OOB 2");
    }

    @Test
    void aPathIsSuspectUnlessItWasLeftOnPurpose() {
        for (final FailureReason why : FailureReason.values()) {
            final PathTable table = new PathTable(2, 1, 50, 400);
            final RecoveryMachine fresh = new RecoveryMachine(
                    new VqpIdentity("bond0", SESSION, 5, 6, 0), CONFIG, table, new Random(1), actions, journal);
            fresh.usePath(new PathId(0, 0));
            fresh.onEstablished(0);
            fresh.onPathFailure(why, 10);
            assertThat(table.penaltyNs(new PathId(0, 0), 10) > 0).as(why.toString()).isEqualTo(why.blamesPath());
        }
        for (final FailureReason why : FailureReason.values()) {
            drive(RecoveryState.CONNECTED, 1);
            final PathId path = new PathId(0, 0);
            paths.succeeded(path, nowNs - 1_000);
            machine.usePath(path);
            machine.onRequest(request(RecordType.RECOVER, why, SESSION, 6, 5, 1), 3, path, nowNs);
            assertThat(paths.penaltyNs(path, nowNs) > 0).as("the peer says " + why).isEqualTo(why.blamesPath());
        }
        assertThat(FailureReason.RETRY_EXC.blamesPath()).isTrue();
        assertThat(FailureReason.PORT_ERR.blamesPath()).isTrue();
        assertThat(FailureReason.PLANNED.blamesPath()).isFalse();
        assertThat(FailureReason.PEER_REQUEST.blamesPath()).isFalse();
    }
}
