package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.BondError;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A vQP that loses its path, with a whole bond at either end. */
class QpRecoveryTest {
    private final TwoBonds bonds = new TwoBonds();
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void assertConnectedOver(final String member) {
        for (final AppEnd end : List.of(active, passive)) {
            assertThat(end.recovery().machine().state())
                    .as("%s%s", bonds.a.journal(), bonds.b.journal())
                    .isEqualTo(RecoveryState.CONNECTED);
            assertThat(end.recovery().machine().defects()).isZero();
        }
        assertThat(active.recovery().attachment().describe()).startsWith(member);
    }

    @Test
    void aPortThatGoesDownMovesBothEndsToTheOtherNetwork() {
        passive.receives(4);
        active.send(1, "one");
        bonds.settle();
        bonds.a.device(0).port(false);
        bonds.settle();
        assertConnectedOver("a1 -> 10.2.0.2");
        active.send(2, "two");
        bonds.settle();
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        assertThat(passive.text(1, 3)).isEqualTo("two");
        assertThat(bonds.a.count(Counter.FAILOVERS)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.RECOVERED)).isEqualTo(1);
        assertThat(bonds.a.context().failovers())
                .extracting(FailoverReport::reason)
                .containsExactly(FailureReason.PORT_ERR);
        assertThat(bonds.a.context().failovers().getFirst().fromPath()).isEqualTo("a0 -> 10.1.0.2");
        assertThat(bonds.a.context().failovers().getFirst().toPath()).isEqualTo("a1 -> 10.2.0.2");
    }

    @Test
    void aSpentRetryBudgetIsHiddenAndTheRequestSentAgain() {
        passive.receives(2);
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        active.send(1, "one");
        bonds.settle();
        bonds.fabric.expire();
        assertThat(active.polled()).as("the failure is not the application's").isEmpty();
        bonds.advance(2_000 * MS);
        assertConnectedOver("a1");
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS");
        assertThat(bonds.a.count(Counter.REPLAYED)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.NEGOTIATED)).isZero();
    }

    @Test
    void whatThePeerReceivedBeforeTheFailureIsCompletedAndNotSentAgain() {
        passive.receives(4);
        bonds.fabric.stop(true);
        active.send(1, "one");
        active.send(2, "two");
        active.send(3, "three");
        active.physical().executeUnacknowledged();
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertConnectedOver("a1");
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        assertThat(passive.text(0, 3)).isEqualTo("one");
        assertThat(passive.text(1, 3)).isEqualTo("two");
        assertThat(passive.text(2, 5)).isEqualTo("three");
        assertThat(bonds.a.count(Counter.NEGOTIATED)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.REPLAYED)).isEqualTo(2);
    }

    /** The peer's ports are back, which nobody has told this end, and it is in a pause between two rounds. */
    @Test
    void anOperatorNeedNotWaitForTheEndOfAPause() {
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        while (active.recovery().machine().state() != RecoveryState.WAITING) {
            bonds.advance(MS);
        }
        bonds.b.device(0).portSilently(true);
        bonds.b.device(1).portSilently(true);
        bonds.settle();
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.WAITING);
        bonds.a.context().admin().lookAgain();
        bonds.settle();
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
    }

    @Test
    void whatIsPostedDuringARecoveryWaitsAndGoesInOrder() {
        passive.receives(4);
        bonds.a.device(1).port(false);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.WAITING);
        assertThat(active.recovery().healthyLink()).isNull();
        assertThat(active.send(1, "one")).isEqualTo(1);
        assertThat(active.send(2, "two")).isEqualTo(1);
        bonds.settle();
        assertThat(active.polled()).isEmpty();
        bonds.a.device(1).port(true);
        bonds.settle();
        assertConnectedOver("a1");
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.text(0, 3) + passive.text(1, 3)).isEqualTo("onetwo");
    }

    @Test
    void withoutAPathForTheRecoveryTimeoutItFailsInOrderAndSaysSo() {
        passive.receives(4);
        active.receives(2);
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        active.send(1, "one");
        active.send(2, "two");
        bonds.advance(29_000 * MS);
        assertThat(active.polled()).isEmpty();
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsOnly(AsyncEventType.PORT_ERR);
        bonds.advance(2_000 * MS);
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
        assertThat(active.polled())
                .containsExactly("1 RETRY_EXC_ERR", "2 WR_FLUSH_ERR", "0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR");
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.QP_FATAL);
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.a.context().failovers().getLast().error()).isEqualTo(BondError.NO_PATH);
        assertThat(bonds.a.count(Counter.FAILED)).isEqualTo(1);
    }

    /** Each is told in the middle of what the bond does. */
    @Test
    void listenersThatThrowKeepNoQueuePairFromItsEnd() {
        final Runnable throwing = () -> {
            throw new IllegalStateException("an error of the listener's own");
        };
        final CompletionChannel channel = bonds.closing(bonds.a.context().createCompChannel());
        final AppEnd end = bonds.connect(new AppEnd(bonds.a, null, channel), new AppEnd(bonds.b)).active();
        bonds.a.context().onAsyncEvent(throwing);
        bonds.a.channel().onEvent(throwing);
        channel.onEvent(throwing);
        end.receives(1);
        end.cq().reqNotify(false);
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        end.send(1, "one");
        bonds.advance(31_000 * MS);
        assertThat(end.qp().state()).isEqualTo(QpState.ERR);
        assertThat(end.polled()).containsExactly("1 RETRY_EXC_ERR", "0 WR_FLUSH_ERR");
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).contains(AsyncEventType.QP_FATAL);
        assertThat(end.cmEvents()).containsOnly(CmEventType.DISCONNECTED);
        assertThat(bonds.a.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }

    @Test
    void whatWasHeldBackIsNoSuccessWhenThePeerLacksWhatWasReported() {
        passive.receives(4);
        bonds.fabric.stop(true);
        active.send(1, "one");
        active.send(2, "two");
        active.send(3, "three");
        active.physical().completeUnacknowledged();
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        active.physical().completeUnacknowledged();
        bonds.a.device(0).port(false);
        bonds.fabric.stop(false);
        bonds.advance(1_000 * MS);
        assertThat(active.polled()).containsExactly("2 FATAL_ERR", "3 WR_FLUSH_ERR");
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
        assertThat(passive.polled()).noneMatch(text -> text.endsWith("SUCCESS"));
        assertThat(bonds.a.context().failovers().getLast().error()).isEqualTo(BondError.COMMITTED_DATA_LOST);
    }

    @Test
    void whatWasHeldBackIsASuccessWhenNoPathIsLeft() {
        passive.receives(4);
        bonds.fabric.stop(true);
        active.send(1, "one");
        active.send(2, "two");
        active.send(3, "three");
        for (int i = 0; i < 2; i++) {
            active.physical().executeUnacknowledged();
            active.physical().completeUnacknowledged();
        }
        bonds.a.device(1).port(false);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(active.polled()).as("the peer has the last word").isEmpty();
        bonds.advance(31_000 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 RETRY_EXC_ERR");
    }

    @Test
    void aDeviceThatDiesIsLeftAndWhatItHadCompletedCounts() {
        passive.receives(4);
        active.send(1, "one");
        bonds.settle();
        bonds.fabric.stop(true);
        active.send(2, "two");
        bonds.fabric.stop(false);
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        assertConnectedOver("a1");
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        assertThat(bonds.a.device(0).context()).as("nothing keeps the dead device open").isNull();
    }

    @Test
    void theDeviceOfThePeerDies() {
        passive.receives(4);
        active.send(1, "one");
        bonds.settle();
        bonds.b.device(0).die();
        bonds.advance(1_000 * MS);
        assertConnectedOver("a1");
        active.send(2, "two");
        bonds.settle();
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    void aFailureDuringTheReplayIsTheSameProcedureWithTheNextEpoch() {
        passive.receives(8);
        for (int i = 0; i < 4; i++) {
            bonds.a.device(0).port(i % 2 == 1);
            bonds.a.device(1).port(i % 2 == 0);
            active.send(i, "m" + i);
            bonds.advance(100 * MS);
            assertConnectedOver(i % 2 == 0 ? "a1" : "a0");
        }
        assertThat(active.recovery().machine().epoch()).isGreaterThanOrEqualTo(4);
        assertThat(active.recovery().machine().epoch())
                .isEqualTo(passive.recovery().machine().epoch());
        assertThat(active.polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
    }

    @Test
    void anErrorOfTheApplicationsOwnIsReportedAndEndsTheQueuePair() {
        passive.receives(4);
        active.send(1, "one");
        bonds.settle();
        bonds.fabric.stop(true);
        active.send(2, "two");
        active.send(3, "three");
        active.physical().failOldest(WcStatus.LOC_PROT_ERR);
        bonds.fabric.stop(false);
        final List<String> first = active.polled();
        bonds.settle();
        assertThat(first).containsExactly("1 SUCCESS");
        assertThat(active.polled()).containsExactly("2 LOC_PROT_ERR", "3 WR_FLUSH_ERR");
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
        assertThat(active.send(4, "four")).isEqualTo(1);
        assertThat(active.polled()).containsExactly("4 WR_FLUSH_ERR");
        assertThat(bonds.a.count(Counter.FAILOVERS)).isZero();
    }

    @Test
    void thePeerOfAFailedQueuePairIsToldThatItFailed() {
        active.physical().say(AsyncEventType.QP_ACCESS_ERR);
        bonds.settle();
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.QP_ACCESS_ERR);
        passive.send(1, "one");
        bonds.b.device(0).port(false);
        bonds.advance(1_000 * MS);
        assertThat(passive.recovery().machine().state()).isEqualTo(RecoveryState.FAILED);
        assertThat(passive.polled()).hasSize(1);
        assertThat(bonds.b.context().failovers().getLast().error()).isEqualTo(BondError.PEER_FAILED);
    }

    @Test
    void aQueuePairThatTheDeviceTookDownWithItsPortIsRecovered() {
        bonds.a.device(0).portSilently(false);
        active.physical().say(AsyncEventType.QP_FATAL);
        bonds.advance(1_000 * MS);
        assertConnectedOver("a1");
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).doesNotContain(AsyncEventType.QP_FATAL);
    }

    @Test
    void aPeerThatLostItsQueuePairAnswersThatTheSessionIsOver() {
        passive.close();
        bonds.settle();
        assertThat(active.recovery().isAlive()).isFalse();
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(active.send(1, "one")).isEqualTo(1);
        assertThat(active.polled()).containsExactly("1 WR_FLUSH_ERR");
    }

    @Test
    void aDisconnectIsHeardByBothAndFlushesWhatIsLeft() {
        passive.receives(1);
        active.send(1, "one");
        bonds.settle();
        active.id().disconnect();
        bonds.settle();
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS");
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        for (final AppEnd end : List.of(active, passive)) {
            assertThat(end.recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
            assertThat(end.qp().state()).isEqualTo(QpState.ERR);
        }
        assertThat(bonds.a.events()).isEmpty();
        assertThat(bonds.a.count(Counter.FAILOVERS)).as("a close is none").isZero();
        assertThat(bonds.b.count(Counter.FAILOVERS)).isZero();
    }

    @Test
    void aDisconnectDuringARecoveryEndsIt() {
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        active.id().disconnect();
        bonds.advance(3_000 * MS);
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void aMoveToErrorByTheApplicationFlushesAndKeepsThePeerOut() {
        active.receives(2);
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        bonds.settle();
        assertThat(active.polled()).containsExactly("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR");
        assertThat(active.recovery().isDead()).isTrue();
        passive.send(1, "one");
        bonds.advance(1_000 * MS);
        assertThat(passive.recovery().isAlive()).isFalse();
        assertThat(passive.polled()).hasSize(1).allMatch(text -> !text.endsWith("SUCCESS"));
    }

    /** In every way but by a disconnect; a disconnect behind it adds nothing. */
    @ParameterizedTest
    @EnumSource(LifeEnd.class)
    void whoTakesAQueuePairOutOfUseIsDisconnectedAsItsPeerIs(final LifeEnd how) {
        how.end.accept(active);
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        bonds.settle();
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        active.id().disconnect();
        bonds.advance(1_000 * MS);
        assertThat(active.cmEvents()).isEmpty();
        assertThat(passive.cmEvents()).isEmpty();
    }

    /** How an application ends the life of a connected queue pair. */
    private enum LifeEnd {
        ERR(end -> end.qp().modify(new QpAttributes().qpState(QpState.ERR))),
        RESET(end -> end.qp().modify(new QpAttributes().qpState(QpState.RESET))),
        DESTROYED(end -> end.qp().close()),
        DESTROYED_BY_THE_ID(end -> end.id().destroyQp());

        private final Consumer<AppEnd> end;

        LifeEnd(final Consumer<AppEnd> end) {
            this.end = end;
        }
    }

    /** Its connection stands until either end says something; this one does. */
    @Test
    void whoResetsAQueuePairThatHasFailedIsDisconnected() {
        active.physical().say(AsyncEventType.QP_ACCESS_ERR);
        bonds.settle();
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
        assertThat(active.cmEvents()).isEmpty();
        active.qp().modify(new QpAttributes().qpState(QpState.RESET));
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void aQueuePairWhoseMemoryWasOverrunIsDisconnected() {
        active.send(1, "one");
        NativeMemory.putByte(active.qp().nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
        bonds.a.locked(() -> MemoryFence.fence(bonds.a.verbs().core(), active.qp()));
        assertThat(active.polled()).containsExactly("1 FATAL_ERR");
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.QP_FATAL);
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.a.count(Counter.FAILED)).isEqualTo(1);
        bonds.settle();
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void aRecoveryEndsWhereTheMemoryOfItsQueuePairWasOverrun() {
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        assertThat(bonds.a.count(Counter.FAILOVERS)).isEqualTo(1);
        NativeMemory.putByte(active.qp().nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
        for (int i = 0; i < 2; i++) {
            bonds.a.locked(() -> MemoryFence.fence(bonds.a.verbs().core(), active.qp()));
            assertThat(bonds.a.count(Counter.FAILED)).isEqualTo(1);
        }
        assertThat(bonds.a.context().failovers())
                .singleElement()
                .returns(BondError.MEMORY_OVERRUN, FailoverReport::error)
                .returns(FailureReason.PORT_ERR, FailoverReport::reason);
    }

    @Test
    void aDisconnectBeforeTheQueuePairIsDestroyedIsToldOnce() {
        active.id().disconnect();
        active.id().destroyQp();
        bonds.advance(1_000 * MS);
        assertThat(active.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void anIdThatIsClosedWithItsQueuePairHearsNothingMore() {
        active.id().close();
        bonds.settle();
        assertThat(active.cmEvents()).isEmpty();
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void unsignaledRequestsAreReplayedAsWell() {
        passive.receives(4);
        bonds.fabric.stop(true);
        active.post(1, WrOpcode.SEND, "one", 0, 0, 0);
        active.post(2, WrOpcode.SEND, "two", SendFlags.SIGNALED, 0, 0);
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(active.polled()).containsExactly("2 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
    }

    @Test
    void bothEndsAtOnceAgreeOnOneConnection() {
        passive.receives(2);
        active.receives(2);
        bonds.fabric.stop(true);
        active.send(1, "one");
        passive.send(2, "two");
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.b.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertConnectedOver("a1");
        assertThat(active.polled()).containsExactlyInAnyOrder("1 SUCCESS", "0 SUCCESS");
        assertThat(passive.polled()).containsExactlyInAnyOrder("2 SUCCESS", "0 SUCCESS");
        assertThat(bonds.a.context().failovers().getLast().initiator())
                .isNotEqualTo(bonds.b.context().failovers().getLast().initiator());
    }

    @Test
    void toStringNamesTheQueuePairAndItsState() {
        assertThat(active.recovery()).hasToString(active.qp() + " CONNECTED");
        final AppEnd other = bonds.closing(new AppEnd(bonds.a));
        other.alone();
        assertThat(other.recovery().toString()).endsWith("not connected");
        assertThat(other.recovery().session()).isNull();
        bonds.a.locked(() -> assertThat(other.recovery().nextDeadlineNs()).isEqualTo(Long.MAX_VALUE));
    }
}
