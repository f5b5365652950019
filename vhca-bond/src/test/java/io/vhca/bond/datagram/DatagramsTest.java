package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AddressHandle;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeFabric;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queue pairs for datagrams, with a whole bond at either end. */
class DatagramsTest {
    private static final long WATCHDOG_NS = 2_000 * MS;
    private static final long HEARTBEAT_NS = 100 * MS;
    private static final int AT_A_TIME = 128;
    private static final int ENDS = 5;
    private static final int HANDLES = 60;

    private final TwoBonds bonds = new TwoBonds(options -> options.watchdogNs(WATCHDOG_NS).heartbeatNs(HEARTBEAT_NS));
    private final DatagramEnd one = bonds.closing(new DatagramEnd(bonds.a));
    private final DatagramEnd two = bonds.closing(new DatagramEnd(bonds.b));
    private final AddressHandle there = one.to("10.1.0.2");
    private final String ofOne = " of " + one.qp().qpNum();

    @BeforeEach
    void receives() {
        two.receives(4);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private static FakeQp physical(final DatagramEnd end) {
        return (FakeQp) Objects.requireNonNull(end.qp().home().physical());
    }

    private void send(final long wrId, final String text) {
        assertThat(one.send(wrId, text, there, two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
    }

    private void assertLive(final String ofA, final String ofB) {
        assertThat(one.lives()).as(bonds.a.journal()).isEqualTo(ofA);
        assertThat(two.lives()).as(bonds.b.journal()).isEqualTo(ofB);
    }

    // ---- whom ---------------------------------------------------------------------------------------------------

    @Test
    void aDatagramArrivesAndNamesItsSendersVirtualNumber() {
        assertLive("a0", "b0");
        send(1, "one");
        send(2, "two");
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
        assertThat(physical(one).qpNum()).isNotEqualTo(one.qp().qpNum());
    }

    @Test
    void anyAddressOfABondIsThatOfItsQueuePairs() {
        assertThat(one.send(1, "one", one.to("10.2.0.2"), two.qp().qpNum())).isEqualTo(1);
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne);
    }

    @Test
    void whatOneHandleWasToldHoldsForAnotherOfTheSameBond() {
        send(1, "one");
        final int asked = bonds.fabric.heard().size();
        assertThat(one.send(2, "two", one.to("10.2.0.2"), two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
        assertThat(bonds.fabric.heard()).hasSize(asked);
    }

    @Test
    void whoSpeaksWhileItIsAskedForIsFoundByThatAtOnce() {
        final long partNs = bonds.a.verbs().core().config().pathTimeoutNs() / DestinationQuery.HEDGES;
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        assertThat(one.send(1, "early", there, two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
        bonds.advance(partNs + MS);
        bonds.fabric.heal();
        assertThat(two.polled()).isEmpty();
        assertThat(two.send(2, "back", two.to("10.1.0.1"), one.qp().qpNum())).isEqualTo(1);
        bonds.settle();
        assertThat(two.polled()).contains("0 early" + ofOne);
    }

    @Test
    void anUnsignaledOneCompletesNothing() {
        one.post(1, WrOpcode.SEND, 0, "one", there, two.qp().qpNum());
        send(2, "two");
        assertThat(one.polled()).containsExactly("2 SUCCESS");
        assertThat(two.polled()).hasSize(2);
    }

    @Test
    void aNumberThatNobodyHasLosesItsDatagramsAndNobodyElses() {
        assertThat(one.send(1, "lost", there, two.qp().qpNum() + 1)).isEqualTo(1);
        send(2, "two");
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 two" + ofOne);
    }

    @Test
    void anAddressThatNobodyHasLosesItsDatagramsWhenNobodyAnswers() {
        assertThat(one.send(1, "lost", one.to("10.1.0.77"), two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
        assertThat(one.polled()).as("who is asked may answer yet").isEmpty();
        bonds.advance(10_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void whoComesLaterIsFoundByALaterDatagram() {
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        send(1, "lost");
        bonds.advance(10_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        bonds.b.device(0).port(true);
        bonds.advance(10_000 * MS);
        send(2, "lost too");
        bonds.advance(1_000 * MS);
        send(3, "three");
        assertThat(one.polled()).containsExactly("2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 three" + ofOne);
    }

    @Test
    void aDestroyedHandleIsRefusedAndWhatWaitedForItIsLost() {
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        bonds.settle();
        final AddressHandle gone = one.to("10.1.0.2");
        one.send(1, "lost", gone, two.qp().qpNum());
        bonds.settle();
        gone.close();
        one.send(2, "lost", there, two.qp().qpNum());
        bonds.advance(10_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(one.send(3, "never", gone, two.qp().qpNum())).isEqualTo(-Errno.EINVAL);
    }

    /** With nobody who posts or is asked meanwhile. */
    @Test
    void whatWaitsBehindADestroyedHandleGoesOn() {
        send(1, "one");
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        final AddressHandle gone = one.to("10.1.0.77");
        one.send(2, "lost", gone, two.qp().qpNum());
        one.send(3, "three", there, two.qp().qpNum());
        bonds.settle();
        assertThat(one.polled()).as("who is asked may answer yet").isEmpty();
        gone.close();
        bonds.settle();
        assertThat(one.polled()).containsExactly("2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 three" + ofOne);
    }

    // ---- moves --------------------------------------------------------------------------------------------------

    @Test
    void theNextMemberIsGivenNothingOfAQueueThatWasOverrun() {
        assertLive("a0", "b0");
        NativeMemory.putByte(one.qp().nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(one.qp().state()).isEqualTo(QpState.ERR);
        assertThat(one.lives()).isEmpty();
        assertThat(bonds.a.count(Counter.FAILED)).isEqualTo(1);
    }

    @Test
    void whoseMemberGoesDownMovesAndIsMetWhereItLivesNow() {
        send(1, "one");
        bonds.b.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertLive("a1", "b1");
        send(2, "two");
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
    }

    @Test
    void aShorterMiimonCountsAtOnce() {
        bonds.a.context().admin().set(List.of("miimon=60s"));
        bonds.advance(1_000 * MS);
        bonds.a.context().admin().drain("a0");
        bonds.advance(1_000 * MS);
        assertThat(one.lives()).isEqualTo("a0");
        bonds.a.context().admin().set(List.of("miimon=100ms"));
        bonds.settle();
        assertThat(one.lives()).isEqualTo("a1");
    }

    @Test
    void theSenderMovesToo() {
        send(1, "one");
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertLive("a1", "b1");
        send(2, "two");
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
    }

    /** Of all that is sent to, at each heartbeat and each move: late answers would be asked for again. */
    @Test
    void notAllDestinationsAreAskedForAtOnce() {
        final List<DatagramEnd> ends = endsThatSend(new ArrayList<>());
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        bonds.advance(HEARTBEAT_NS);
        assertThat(bonds.a.linksOn(0)).hasSize(AT_A_TIME);
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.linksOn(0)).isEmpty();
        assertThat(ends).flatExtracting(end -> end.qp().destinations())
                .hasSize(ENDS * HANDLES)
                .allMatch(to -> to.contains("READY at 10.1.0.2"));
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(bonds.a.linksOn(1)).hasSize(AT_A_TIME);
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        assertLive("a1", "b1");
        assertThat(ends).flatExtracting(end -> end.qp().destinations())
                .allMatch(to -> to.contains("READY at 10.2.0.2"));
    }

    /** To each of the handles. */
    private List<DatagramEnd> endsThatSend(final List<AddressHandle> handles) {
        final List<DatagramEnd> ends =
                Stream.generate(() -> bonds.closing(new DatagramEnd(bonds.a))).limit(ENDS).toList();
        for (int i = 0; i < HANDLES; i++) {
            final AddressHandle to = one.to("10.1.0.2");
            handles.add(to);
            for (final DatagramEnd end : ends) {
                end.send(i, "used", to, two.qp().qpNum());
                bonds.settle();
                assertThat(end.polled()).hasSize(1);
            }
        }
        return ends;
    }

    /** Many may be asked for that nobody sends to any more, and answers to none of them. */
    @Test
    void whatADatagramWaitsForTakesNoTurn() {
        final List<AddressHandle> handles = new ArrayList<>();
        final List<DatagramEnd> ends = endsThatSend(handles);
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(bonds.a.linksOn(1)).hasSize(AT_A_TIME);
        ends.getLast().send(HANDLES, "awaited", handles.getLast(), two.qp().qpNum());
        bonds.settle();
        assertThat(bonds.a.linksOn(1)).hasSize(AT_A_TIME + 1);
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        assertThat(ends.getLast().polled()).containsExactly(HANDLES + " SUCCESS");
        assertThat(bonds.a.linksOn(1)).isEmpty();
    }

    @Test
    void aPathThatIsCutUnheardIsFoundOutByTheHeartbeat() {
        send(1, "one");
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        send(2, "lost");
        bonds.advance(5_000 * MS);
        assertLive("a1", "b1");
        send(3, "three");
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 three" + ofOne);
    }

    @Test
    void whatHardwareHadCountsAsSentAndWhatWaitsIsSentOverTheNext() {
        send(1, "one");
        bonds.fabric.stop(true);
        send(2, "lost");
        bonds.a.device(0).port(false);
        bonds.fabric.stop(false);
        bonds.advance(2_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne);
    }

    @Test
    void withoutAMemberItLivesNowhereAndReturnsWithTheFirst() {
        send(0, "zero");
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        assertThat(one.lives()).isEmpty();
        send(1, "lost");
        bonds.a.device(1).port(true);
        bonds.advance(5_000 * MS);
        assertLive("a1", "b1");
        send(2, "two");
        assertThat(one.polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 zero" + ofOne, "1 two" + ofOne);
    }

    @Test
    void aDeviceThatDiesIsLeft() {
        send(1, "one");
        bonds.b.device(0).die();
        bonds.advance(5_000 * MS);
        send(2, "two");
        bonds.advance(1_000 * MS);
        assertLive("a1", "b1");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
        assertThat(bonds.b.device(0).context()).isNull();
    }

    /** On separate networks one must follow the other: no path that is dead is waited for to its end. */
    @Test
    void whoMovesIsFollowedLongBeforeADeadPathTimesOut() {
        final AddressHandle back = two.to("10.1.0.1");
        final long partNs = bonds.a.verbs().core().config().pathTimeoutNs() / DestinationQuery.HEDGES;
        one.receives(4);
        send(1, "one");
        two.send(1, "back", back, one.qp().qpNum());
        bonds.settle();
        for (final int member : new int[] {0, 1}) {
            bonds.a.device(member).port(false);
            bonds.advance(2 * partNs);
            assertLive("a" + (1 - member), "b" + (1 - member));
            bonds.a.device(member).port(true);
            bonds.advance(2_000 * MS);
            bonds.b.device(1 - member).port(false);
            bonds.advance(2 * partNs);
            assertLive("a" + member, "b" + member);
            bonds.b.device(1 - member).port(true);
            bonds.advance(2_000 * MS);
            bonds.a.device(member).port(false);
            bonds.advance(2 * partNs);
            assertLive("a" + (1 - member), "b" + (1 - member));
            bonds.a.device(member).port(true);
            bonds.advance(2_000 * MS);
        }
    }

    /** However many connections leave the member too. */
    @Test
    void whoseMemberGoesDownMovesBeforeConnectionsDo() {
        bonds.connect();
        send(1, "one");
        final int before = bonds.fabric.heard().size();
        bonds.a.device(0).port(false);
        bonds.settle();
        final byte[] first = bonds.fabric.heard().get(before).data();
        assertThat(DatagramRecord.validate(new UnsafeBuffer(first), 0, first.length)).isEqualTo(DecodeResult.OK);
    }

    /** Questions go by the connection manager, datagrams do not: one that is slow does not stop the other. */
    @Test
    void whoDoesNotAnswerForAWhileStillGetsDatagrams() {
        send(1, "one");
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        for (int i = 0; i < 3; i++) {
            bonds.advance(3_000 * MS);
            two.receives(1);
            send(2 + i, "still");
            assertThat(two.polled()).as("after " + (i + 1) * 3 + " s").isNotEmpty();
        }
        bonds.fabric.heal();
        bonds.advance(3_000 * MS);
        assertLive("a0", "b0");
    }

    /** A driver may wait long for what a network that is out of reach still has of a queue pair that is not in ERR. */
    @Test
    void theQueuePairThatIsLeftIsInErrBeforeItIsDestroyed() {
        send(1, "one");
        final FakeQp before = physical(one);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(before.isClosed()).isTrue();
        assertThat(before.state()).isEqualTo(QpState.ERR);
    }

    // ---- members without room -------------------------------------------------------------------------------------

    @Test
    void whereTheActiveMemberHasNoRoomItLivesOnAnother() {
        bonds.a.device(0).opened().mostQueuePairs(0);
        final DatagramEnd three = bonds.closing(new DatagramEnd(bonds.a));
        assertThat(three.lives()).isEqualTo("a1");
        bonds.advance(1_000 * MS);
        assertThat(three.lives()).isEqualTo("a1");
    }

    @Test
    void itStaysAsItIsWhileTheMemberThatItShouldMoveToHasNoRoom() {
        send(1, "one");
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertLive("a1", "b1");
        final FakeQp before = physical(one);
        bonds.a.device(0).opened().mostQueuePairs(0);
        bonds.a.device(0).port(true);
        bonds.settle();
        bonds.a.context().admin().activate("a0");
        bonds.advance(2_000 * MS);
        assertThat(one.lives()).isEqualTo("a1");
        assertThat(physical(one)).isSameAs(before);
        send(2, "two");
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
        bonds.a.device(0).opened().mostQueuePairs(Integer.MAX_VALUE);
        bonds.advance(2_000 * MS);
        assertLive("a0", "b0");
    }

    @Test
    void aDrainedMemberIsLeftOnceAnotherHasRoom() {
        bonds.a.device(1).opened().mostQueuePairs(0);
        bonds.a.context().admin().drain("a0");
        bonds.advance(1_000 * MS);
        assertThat(one.lives()).isEqualTo("a0");
        bonds.a.device(1).opened().mostQueuePairs(Integer.MAX_VALUE);
        bonds.advance(1_000 * MS);
        assertThat(one.lives()).isEqualTo("a1");
    }

    @Test
    void whatStandsByGivesWayToIt() {
        bonds.connect();
        bonds.advance(2_500 * MS);
        final FakeContext full = bonds.a.device(1).opened();
        full.mostQueuePairs(full.queuePairs().size());
        physical(one).say(AsyncEventType.QP_FATAL);
        bonds.settle();
        assertThat(one.lives()).as(bonds.a.journal()).isEqualTo("a1");
        assertThat(bonds.a.count(Counter.STANDBY_GIVEN_UP)).isEqualTo(1);
    }

    @Test
    void whatStandsByDoesNotGiveWayAgainAndAgainWhereThatDoesNotHelp() {
        for (int i = 0; i < 5; i++) {
            bonds.connect();
        }
        bonds.advance(5_000 * MS);
        bonds.a.device(0).refuse("createQp");
        bonds.a.device(1).refuse("createQp");
        physical(one).say(AsyncEventType.QP_FATAL);
        bonds.advance(2_500 * MS);
        assertThat(bonds.a.count(Counter.STANDBY_GIVEN_UP)).isEqualTo(2);
        bonds.a.device(0).refuse(null);
        bonds.advance(1_000 * MS);
        assertThat(one.lives()).isEqualTo("a0");
    }

    // ---- failures of hardware -------------------------------------------------------------------------------------

    @Test
    void hardwareThatDoesNotCompleteIsLeftByTheWatchdog() {
        send(1, "one");
        final FakeQp silent = physical(one);
        silent.pause(true);
        send(2, "lost");
        bonds.advance(WATCHDOG_NS / 2);
        assertThat(silent.isClosed()).isFalse();
        bonds.advance(2 * WATCHDOG_NS);
        assertThat(silent.isClosed()).isTrue();
        send(3, "three");
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 three" + ofOne);
    }

    @Test
    void aPhysicalQueuePairThatFailsByItselfIsReplaced() {
        send(1, "one");
        final FakeQp before = physical(one);
        before.say(AsyncEventType.QP_FATAL);
        bonds.advance(2_000 * MS);
        assertThat(before.isClosed()).isTrue();
        send(2, "two");
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
    }

    @Test
    void whatHardwareCouldNotSendForNobodysFaultGoesOutOverAnother() {
        send(1, "one");
        bonds.fabric.stop(true);
        send(2, "two");
        physical(one).failOldest(WcStatus.FATAL_ERR);
        bonds.fabric.stop(false);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        bonds.advance(2_000 * MS);
        assertThat(one.polled()).containsExactly("2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 one" + ofOne, "1 two" + ofOne);
    }

    @Test
    void anErrorOfTheApplicationsOwnEndsIt() {
        send(1, "one");
        bonds.fabric.stop(true);
        send(2, "two");
        send(3, "three");
        physical(one).failOldest(WcStatus.LOC_PROT_ERR);
        bonds.fabric.stop(false);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 LOC_PROT_ERR");
        bonds.settle();
        assertThat(one.qp().state()).isEqualTo(QpState.ERR);
        assertThat(one.polled()).containsExactly("3 WR_FLUSH_ERR");
        assertThat(one.lives()).isEmpty();
    }

    /** Without the mend the process is gone. */
    @Test
    void ofAReceiveThatFailedNoMemoryIsRead() {
        send(1, "one");
        final DatagramEnd third = bonds.closing(new DatagramEnd(bonds.b));
        assertThat(third.receiveNowhere(7)).isEqualTo(1);
        physical(third).failOldestReceive(WcStatus.LOC_PROT_ERR);
        assertThat(third.polled()).containsExactly("7 LOC_PROT_ERR");
    }

    @Test
    void whatWasNotSentBeforeThatIsFlushedAndNotLost() {
        send(1, "one");
        bonds.fabric.stop(true);
        send(2, "two");
        one.send(3, "three", there, two.qp().qpNum() + 1);
        bonds.settle();
        physical(one).failOldest(WcStatus.LOC_PROT_ERR);
        bonds.fabric.stop(false);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 LOC_PROT_ERR");
        bonds.settle();
        assertThat(one.polled()).containsExactly("3 WR_FLUSH_ERR");
    }

    // ---- refusals -------------------------------------------------------------------------------------------------

    @Test
    void whatIsNotCarriedIsRefusedByTheErrnoOfItsReason() {
        final int to = two.qp().qpNum();
        assertThat(one.post(1, WrOpcode.RDMA_WRITE, SendFlags.SIGNALED, "no", there, to))
                .isEqualTo(-Errno.EOPNOTSUPP);
        bonds.fabric.stop(true);
        for (int i = 0; i < DatagramEnd.DEPTH; i++) {
            assertThat(one.send(i, "fill", there, to)).isEqualTo(1);
        }
        assertThat(one.send(9, "full", there, to)).isEqualTo(-Errno.ENOMEM);
        bonds.fabric.stop(false);
        one.qp().modify(new QpAttributes().qpState(QpState.RESET));
        assertThat(one.send(9, "reset", there, to)).isEqualTo(-Errno.EINVAL);
        one.bringUp();
        assertThatThrownBy(() -> one.qp().modify(new QpAttributes().qpState(QpState.SQD)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThat(one.qp().state()).isEqualTo(QpState.RTS);
    }
}
