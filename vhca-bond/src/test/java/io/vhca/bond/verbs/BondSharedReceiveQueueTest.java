package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BondSharedReceiveQueueTest {
    private static final int MAX_WR = 32;
    private final TwoBonds bonds = new TwoBonds();
    private final Arena arena = Arena.ofConfined();
    private final SharedReceiveQueue srq =
            bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(MAX_WR, 1, 0)));
    private final AppEnd buffers = bonds.closing(new AppEnd(bonds.b));

    @AfterEach
    void close() {
        bonds.close();
        arena.close();
    }

    private int receive(final long wrId) {
        return srq.postRecv(RecvWorkRequest.allocate(arena, 1)
                .wrId(wrId)
                .sge(buffers.into(wrId), 64, buffers.region().lkey()));
    }

    private void receives(final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(receive(i)).isEqualTo(1);
        }
    }

    /** The one too many was made, and its queue pairs had no room on any member. */
    @Test
    void thereAreNoMoreThanTheBondPromisesAndOneThatIsClosedMakesRoom() {
        final int most = bonds.b.context().queryDevice().maxSrq();
        final SrqAttributes small = new SrqAttributes(1, 1, 0);
        for (int others = 1; others < most - 1; others++) {
            bonds.closing(bonds.b.pd().createSrq(small));
        }
        final SharedReceiveQueue last = bonds.b.pd().createSrq(small);
        assertThatThrownBy(() -> bonds.b.pd().createSrq(small))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageContaining("all " + most + " shared receive queues are in use");
        last.close();
        bonds.closing(bonds.b.pd().createSrq(small));
    }

    @Test
    void messagesOfSeveralQueuePairsTakeReceivesInTheirOrder() {
        receives(4);
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two = bonds.connect(srq);
        one.active().send(1, "one");
        bonds.settle();
        two.active().send(2, "two");
        bonds.settle();
        assertThat(one.passive().polled()).containsExactly("0 SUCCESS");
        assertThat(two.passive().polled()).containsExactly("1 SUCCESS");
        assertThat(buffers.text(0, 3) + buffers.text(1, 3)).isEqualTo("onetwo");
    }

    @Test
    void receivesFollowTheQueuePairsToAnotherMemberAndNoneIsLost() {
        receives(4);
        final TwoBonds.Connection pair = bonds.connect(srq);
        pair.active().send(1, "one");
        bonds.settle();
        bonds.b.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertThat(pair.passive().recovery().attachment().describe()).startsWith("b1");
        for (int i = 2; i < 5; i++) {
            pair.active().send(i, "m" + i);
        }
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS");
        assertThat(pair.passive().polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
    }

    @Test
    void aDeviceThatDoesNotSayThatItIsDoneCostsOneDrainTimeout() {
        bonds.b.device(0).muteLastWqe();
        bonds.b.device(1).muteLastWqe();
        receives(4);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(pair.passive().recovery().healthyLink()).as("it waits for the event").isNull();
        bonds.advance(2_000 * MS);
        assertThat(pair.passive().recovery().attachment().describe()).startsWith("b1");
        bonds.b.device(0).port(true);
        bonds.advance(100 * MS);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void whatDiesWithItsDeviceComesBack() {
        receives(4);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.b.device(0).die();
        bonds.advance(2_000 * MS);
        for (int i = 0; i < 4; i++) {
            pair.active().send(i, "m" + i);
        }
        bonds.settle();
        assertThat(pair.active().polled()).hasSize(4);
        assertThat(pair.passive().polled()).hasSize(4).allMatch(text -> text.endsWith("SUCCESS"));
    }

    @Test
    void queuePairsThatSitOnAllReceivesFollowThoseThatHaveNone() {
        final TwoBonds.Connection first = bonds.connect(srq);
        receives(2);
        final TwoBonds.Connection second = bonds.connect(srq);
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        second.active().send(1, "one");
        bonds.settle();
        bonds.fabric.expire();
        assertThat(second.active().polled()).isEmpty();
        bonds.advance(5_000 * MS);
        assertThat(second.active().polled()).containsExactly("1 SUCCESS");
        assertThat(first.active().recovery().healthyLink()).isNotNull();
    }

    private void assertFourArrive(final TwoBonds.Connection over) {
        for (int i = 0; i < 4; i++) {
            over.active().send(i, "m" + i);
        }
        bonds.settle();
        assertThat(over.active().polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
    }

    /** Its queue pair is of no use any more, and sits on half of the receives. */
    @Test
    void oneInErrorLeavesItsReceivesToTheOthersAtOnce() {
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        receives(4);
        bonds.b.locked(() -> one.passive().recovery().onApplicationError(bonds.nowNs()));
        assertThat(bonds.b.device(1).sharedReceives()).as("all of them").isEqualTo(4);
        assertFourArrive(two);
        assertThat(one.passive().cmEvents()).as("its connection stands").isEmpty();
        one.active().id().disconnect();
        bonds.settle();
        assertThat(one.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    /** Time stands: nobody needs to move for them. */
    @Test
    void theReceivesOfTheLastQueuePairOnAMemberGoToTheOtherAtOnce() {
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        receives(4);
        assertThat(two.passive().recovery().attachment().describe()).startsWith("b1");
        one.active().close();
        one.passive().close();
        assertFourArrive(two);
        assertThat(two.passive().polled()).hasSize(4).allMatch(text -> text.endsWith("SUCCESS"));
        assertThat(bonds.b.count(Counter.FAILOVERS)).isZero();
    }

    @Test
    void theLimitRaisesAnEventOnce() {
        receives(3);
        srq.armLimit(2);
        final TwoBonds.Connection pair = bonds.connect(srq);
        assertThat(srq.query().limit()).isEqualTo(2);
        pair.active().send(1, "one");
        pair.active().send(2, "two");
        pair.active().send(3, "three");
        bonds.settle();
        pair.passive().poll();
        assertThat(bonds.b.events()).extracting(AsyncEvent::type)
                .containsExactly(AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(srq.query().limit()).isZero();
        srq.armLimit(1);
        assertThat(bonds.b.events()).as("it is low already").hasSize(1);
        assertThatThrownBy(() -> srq.armLimit(MAX_WR + 1)).isInstanceOf(VerbsException.class);
    }

    /** It had been told by the poll that found the event, inside the gate of the completion queue. */
    @Test
    void whoIsToldOfTheLimitMayCallTheQueuesThatItCameBy() {
        receives(3);
        srq.armLimit(2);
        final TwoBonds.Connection pair = bonds.connect(srq);
        final BondCompletionQueue cq = (BondCompletionQueue) pair.passive().cq();
        final List<AsyncEvent> taken = new ArrayList<>();
        final List<Boolean> free = new ArrayList<>();
        bonds.b.context().onAsyncEvent(() -> {
            free.add(cq.tryEnter());
            if (free.getLast()) {
                cq.leave();
                taken.addAll(bonds.b.events());
                receives(2);
                srq.armLimit(2);
                assertThat(pair.passive().polled()).isEmpty();
                cq.reqNotify(false);
            }
        });
        pair.active().send(1, "one");
        pair.active().send(2, "two");
        bonds.settle();
        assertThat(pair.passive().polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        bonds.settle();
        assertThat(free).containsExactly(true);
        assertThat(taken).containsExactly(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, srq));
        assertThat(srq.query().limit()).isEqualTo(2);
    }

    @Test
    void eventsOfOneThatWasClosedAreNotGivenOut() {
        receives(1);
        srq.armLimit(2);
        srq.close();
        assertThat(bonds.b.context().getAsyncEvent(0)).isNull();
    }

    /** A device may leave completions of the former one behind. */
    @Test
    void oneThatTakesTheIndexOfAnotherDoesNotTakeItsCompletions() {
        final BondSharedReceiveQueue former = (BondSharedReceiveQueue) srq;
        final TwoBonds.Connection pair = bonds.connect(srq);
        assertThat(former.physical(1)).isNotNull();
        pair.active().close();
        pair.passive().close();
        bonds.settle();
        srq.close();
        final BondSharedReceiveQueue next = (BondSharedReceiveQueue)
                bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(MAX_WR, 1, 0)));
        bonds.connect(next);
        assertThat(next.index()).isEqualTo(former.index());
        assertThat(next.physical(1)).isNull();
    }

    /** They are 16 bits, of which one that is in use for long is not to be given out again. */
    @Test
    void noTwoPhysicalQueuesOfOneHaveTheSameGeneration() {
        bonds.connect(srq);
        final SharedQueues shared = bonds.b.verbs().shared();
        for (int i = 0; i < 1 << 17; i++) {
            assertThat(shared.nextGeneration((BondSharedReceiveQueue) srq)).isBetween(0, 0xFFFF).isNotEqualTo(1);
        }
    }

    @Test
    void aFullQueueAndAWrongRequestAreRefused() {
        receives(MAX_WR);
        assertThat(receive(1)).isEqualTo(-Errno.ENOMEM);
        assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, 2).numSge(2))).isEqualTo(-Errno.EINVAL);
    }

    /** It would be found in the next life, which has not come to its last one. */
    @Test
    void aResetTellsOfNoLastReceive() {
        final TwoBonds.Connection pair = bonds.connect(srq);
        pair.passive().qp().modify(new QpAttributes().qpState(QpState.RESET));
        assertThat(bonds.b.events()).extracting(AsyncEvent::type)
                .doesNotContain(AsyncEventType.QP_LAST_WQE_REACHED);
    }

    @Test
    void ofADestroyedOneNoLimitIsArmed() {
        srq.close();
        assertThatThrownBy(() -> srq.armLimit(1))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(bonds.b.events()).isEmpty();
    }

    @Test
    void inErrorTheLastReceiveIsToldOfAndTheQueueIsBusyUntilThen() {
        receives(2);
        final TwoBonds.Connection pair = bonds.connect(srq);
        assertThatThrownBy(srq::close)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        pair.passive().qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThat(bonds.b.events()).extracting(AsyncEvent::type)
                .containsExactly(AsyncEventType.QP_LAST_WQE_REACHED);
        assertThat(pair.passive().qp().srq()).isSameAs(srq);
        assertThat(srq.pd()).isSameAs(bonds.b.pd());
        pair.passive().close();
        bonds.settle();
        srq.close();
        assertThat(receive(1)).isEqualTo(-Errno.EINVAL);
    }

    /** Somebody wrote beyond its slots: who receives through it fails, it is told, and others go on. */
    @Test
    void whereItIsOverrunItsQueuePairsFailAndNoOther() {
        receives(4);
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two = bonds.connect(srq);
        final TwoBonds.Connection other = bonds.connect();
        final String broken = ": the marker behind vSRQ 000001";
        bonds.b.overrunShared();
        assertThat(bonds.b.context().admin().check())
                .extracting(line -> line.substring(0, line.indexOf(" at ")))
                .containsExactlyInAnyOrder(
                        "bondb srq 1" + broken, one.passive().qp() + broken, two.passive().qp() + broken);
        bonds.settle();
        assertThat(one.passive().qp().state()).isEqualTo(QpState.ERR);
        assertThat(two.passive().qp().state()).isEqualTo(QpState.ERR);
        assertThat(other.passive().qp().state()).isEqualTo(QpState.RTS);
        assertThat(bonds.b.events()).extracting(AsyncEvent::type)
                .contains(AsyncEventType.SRQ_ERR, AsyncEventType.QP_FATAL)
                .containsOnlyOnce(AsyncEventType.SRQ_ERR);
        assertThat(receive(9)).isEqualTo(-Errno.EIO);
        bonds.b.context().admin().check();
        bonds.settle();
        assertThat(bonds.b.events()).as("it was told").isEmpty();
    }

    @Test
    void withFullChecksTheNextReceiveIsRefused() {
        try (TwoBonds full = new TwoBonds(options -> options.set(BondOption.CHECKS, Checks.FULL))) {
            final SharedReceiveQueue looked = full.closing(full.b.pd().createSrq(new SrqAttributes(2, 1, 0)));
            final TwoBonds.Connection pair = full.connect(looked);
            final RecvWorkRequest empty = RecvWorkRequest.allocate(arena, 1).numSge(0);
            assertThat(looked.postRecv(empty)).isEqualTo(1);
            full.b.overrunShared();
            assertThat(looked.postRecv(empty)).isEqualTo(-Errno.EIO);
            full.settle();
            assertThat(pair.passive().qp().state()).isEqualTo(QpState.ERR);
        }
    }

    /** The receives of a member that died would go to the other one, for the queue pairs there. */
    @Test
    void noMemberIsGivenReceivesThatWereOverrun() {
        final TwoBonds.Connection one = bonds.connect(srq);
        final TwoBonds.Connection two =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        receives(4);
        assertThat(bonds.b.device(1).sharedReceives()).isEqualTo(2);
        bonds.b.overrunShared();
        bonds.b.device(0).die();
        bonds.settle();
        assertThat(bonds.b.device(1).sharedReceives()).isEqualTo(2);
        assertThat(one.passive().qp().state()).isEqualTo(QpState.ERR);
        assertThat(two.passive().qp().state()).isEqualTo(QpState.ERR);
    }

    /** Its silence says something of the driver only while the device is there. */
    @Test
    void aDeviceThatDiesBeforeItSaysThatItIsDoneIsWaitedForStillWhenItIsBack() {
        bonds.b.device(0).muteLastWqe();
        receives(4);
        final TwoBonds.Connection pair = bonds.connect(srq);
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(pair.passive().recovery().healthyLink()).as("it waits for the event").isNull();
        bonds.b.device(0).die();
        bonds.advance(2_000 * MS);
        bonds.b.device(0).plug();
        bonds.advance(5_000 * MS);
        assertThat(bonds.b.member(0).isAlive()).isTrue();
        assertThat(bonds.b.member(0).tellsLastWqe()).isTrue();
    }
}
