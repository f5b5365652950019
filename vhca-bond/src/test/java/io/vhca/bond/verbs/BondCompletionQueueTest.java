package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.WorkCompletion;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.Completion;
import io.vhca.bond.fake.FakeCq;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A virtual CQ over the CQs of its members, and the channel that tells of it. */
class BondCompletionQueueTest {
    private final TwoBonds bonds = new TwoBonds();
    private final CompletionChannel channel = bonds.a.context().createCompChannel();
    private final AppEnd active = new AppEnd(bonds.a, null, channel);
    private final TwoBonds.Connection pair = bonds.connect(active, new AppEnd(bonds.b));
    private final CompletionQueue cq = active.cq();

    @AfterEach
    void close() {
        active.close();
        channel.close();
        bonds.close();
    }

    @Test
    void anEventComesOnceForEachRequestToBeNotified() {
        pair.passive().receives(4);
        cq.reqNotify(false);
        active.send(1, "one");
        active.send(2, "two");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
        assertThat(channel.getCqEvent(0)).isNull();
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        active.send(3, "three");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).as("nobody asked").isNull();
        assertThat(active.polled()).containsExactly("3 SUCCESS");
    }

    /** To ask is a system call on many a device; a bond has several, and most of them say nothing. */
    @Test
    void aMemberThatWasAskedAndSaidNothingIsNotAskedAgain() {
        pair.passive().receives(4);
        final FakeCq idle = (FakeCq) ((BondCompletionQueue) cq).on(bonds.a.member(1));
        final int before = idle.timesArmed();
        for (int i = 1; i <= 3; i++) {
            cq.reqNotify(false);
            active.send(i, "one");
            bonds.settle();
            assertThat(channel.getCqEvent(0)).as("event %d", i).isSameAs(cq);
            assertThat(active.polled()).containsExactly(i + " SUCCESS");
        }
        assertThat(idle.timesArmed() - before).as("asked once").isEqualTo(1);
        cq.reqNotify(false);
        bonds.a.context().admin().activate("a1");
        bonds.advance(100 * MS);
        active.send(4, "four");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).as("and tells, when its turn has come").isSameAs(cq);
    }

    @Test
    void whoAskedForSolicitedMessagesAloneAndThenForAllIsToldOfAll() {
        pair.passive().receives(1);
        cq.reqNotify(true);
        cq.reqNotify(false);
        active.send(1, "one");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    @Test
    void whoHasAskedIsToldAlsoWhereTheQueueGrewMeanwhile() {
        pair.passive().receives(4);
        for (final boolean onlySolicited : new boolean[] {false, true}) {
            cq.reqNotify(onlySolicited);
            cq.resize(cq.cqe() * 5);
            active.send(1, "one");
            bonds.settle();
            assertThat(channel.getCqEvent(0)).isEqualTo(onlySolicited ? null : cq);
            assertThat(active.polled()).containsExactly("1 SUCCESS");
        }
    }

    @Test
    void whatIsToBeFlushedWaitsToBePolled() {
        active.receives(10);
        assertThat(cq.pending()).isZero();
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThat(cq.pending()).isEqualTo(10);
        bonds.settle();
        assertThat(cq.pending()).isEqualTo(10);
        assertThat(active.polled()).hasSize(10);
        assertThat(cq.pending()).isZero();
    }

    /** Queue pairs in error may stay for long, and there may be many. */
    @Test
    void whatWasFlushedToItsEndIsNotLookedAtUntilItIsPostedToAgain() {
        final AtomicInteger looks = new AtomicInteger();
        ((BondCompletionQueue) cq).addFlushSource(new BondCompletionQueue.FlushSource() {
            @Override
            public boolean next(final long wcAddress) {
                looks.incrementAndGet();
                return false;
            }

            @Override
            public int size() {
                looks.incrementAndGet();
                return 0;
            }

            @Override
            public QueuePair owner() {
                return pair.passive().qp();
            }
        });
        active.receives(3);
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThat(active.polled()).hasSize(3);
        final int before = looks.get();
        assertThat(active.polled()).isEmpty();
        cq.reqNotify(false);
        assertThat(cq.pending()).isZero();
        assertThat(looks).hasValue(before);
        assertThat(active.receive(3)).isEqualTo(1);
        assertThat(active.send(4, "late")).isEqualTo(1);
        assertThat(cq.pending()).isEqualTo(2);
        assertThat(active.polled()).containsExactlyInAnyOrder("3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR");
        assertThat(active.polled()).isEmpty();
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    /** As many as are asked for at a time. */
    @Test
    void whatIsLeftOfAFlushComesWithTheNextPoll() {
        active.receives(3);
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        bonds.settle();
        try (Arena arena = Arena.ofConfined()) {
            final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
            for (int i = 0; i < 3; i++) {
                assertThat(cq.poll(wc)).isEqualTo(1);
                assertThat(wc.wrId()).isEqualTo(i);
            }
            assertThat(cq.poll(wc)).isZero();
        }
    }

    @Test
    void aMemberThatWasRemovedLimitsNothingAnyMore() {
        final FakeDevice large = bonds.spare("a2", "10.1.0.33");
        final DeviceAttributes of = large.attributes();
        large.attributes(new DeviceAttributes(
                of.fwVer(), of.nodeGuid(), of.maxMrSize(), of.maxQp(), of.maxQpWr(), of.maxSge(), of.maxCq(),
                2 * of.maxCqe(), of.maxMr(), of.maxPd(), of.maxQpRdAtom(), of.maxQpInitRdAtom(), of.atomicCap(),
                of.maxAh(), of.maxSrq(), of.maxSrqWr(), of.maxSrqSge(), of.maxInlineData(), 1));
        bonds.a.context().admin().add("a2");
        final BondCompletionQueue own = (BondCompletionQueue) cq;
        assertNoRoomFor(own, of.maxCqe(), "a0");
        bonds.a.context().admin().remove("a0");
        bonds.a.context().admin().remove("a1");
        bonds.advance(2_000 * MS);
        assertThat(bonds.a.context().admin().members()).extracting(MemberStatus::name).containsExactly("a2");
        own.reserve(of.maxCqe());
        assertNoRoomFor(own, of.maxCqe(), "a2");
        bonds.spare("a3", "10.1.0.34");
        assertThatThrownBy(() -> bonds.a.context().admin().add("a3"))
                .hasMessageStartingWith("addMember on ")
                .hasMessageContaining("after a failover to a3 ");
        own.unreserve(of.maxCqe());
    }

    @Test
    void whereThereIsNoRoomForMoreEntriesTheResizeIsNamed() {
        final BondCompletionQueue own = (BondCompletionQueue) cq;
        final int rest = bonds.a.device(0).attributes().maxCqe() - own.reserved();
        own.reserve(rest);
        final int before = cq.cqe();
        assertThatThrownBy(() -> cq.resize(before + 1))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageStartingWith("resizeCq on ")
                .hasMessageContaining("ask for fewer entries");
        assertThat(cq.cqe()).isEqualTo(before);
        own.unreserve(rest);
    }

    private static void assertNoRoomFor(final BondCompletionQueue own, final int requests, final String member) {
        assertThatThrownBy(() -> own.reserve(requests))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageContaining("after a failover to " + member);
    }

    /** An idle member's queue has nothing, whatever its device says. */
    @Test
    void whereAMemberInUseDoesNotTellItIsNotKnownWhatWaits() {
        final BondCompletionQueue own = (BondCompletionQueue) cq;
        ((FakeCq) own.on(bonds.a.member(1))).tellsPending(false);
        assertThat(cq.pending()).isZero();
        ((FakeCq) own.on(bonds.a.member(0))).tellsPending(false);
        assertThat(cq.pending()).isEqualTo(-1);
    }

    @Test
    void whoSleepsIsWokenByACompletionThatTheRecoveryFound() {
        pair.passive().receives(4);
        bonds.fabric.stop(true);
        active.send(1, "one");
        active.physical().executeUnacknowledged();
        cq.reqNotify(false);
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aRequestMadeWhileSomethingIsOwedIsAnsweredAtOnce() {
        pair.passive().receives(4);
        active.send(1, "one");
        bonds.settle();
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        cq.reqNotify(false);
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    @Test
    void whoWaitsForSolicitedMessagesOnlyHearsOfThoseAndOfErrors() {
        cq.reqNotify(true);
        active.send(1, "one");
        pair.passive().receives(1);
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isNull();
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        active.send(2, "two");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    @Test
    void aMemberThatCameBackIsArmedLikeTheOthers() {
        cq.reqNotify(false);
        bonds.a.device(1).die();
        bonds.advance(500 * MS);
        bonds.a.device(1).plug();
        bonds.advance(500 * MS);
        pair.passive().receives(1);
        bonds.a.context().admin().activate("a1");
        bonds.advance(100 * MS);
        active.send(1, "one");
        bonds.settle();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    @Test
    void completionsOfAPhysicalQueuePairThatIsGoneAreHidden() {
        pair.passive().receives(1);
        bonds.fabric.stop(true);
        active.send(1, "one");
        final long stale = active.physical().everSent().getFirst().wrId();
        bonds.fabric.stop(false);
        bonds.a.context().admin().activate("a1");
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        active.physical().injectSend(new Completion(stale, 0, 0, 0, 0, 0, 1, 0, 0));
        active.physical().injectSend(new Completion(-1, 0, 0, 0, 0, 0, 1, 0, 0));
        assertThat(active.polled()).isEmpty();
    }

    /** Fewer completions than were asked for mean that there are no more. */
    @Test
    void aCompletionThatIsHiddenLeavesItsPlaceToTheNextOne() {
        pair.passive().receives(2);
        active.send(1, "one");
        bonds.settle();
        final long stale = active.physical().everSent().getFirst().wrId() + (1L << 44);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        active.physical().injectSend(new Completion(stale, 0, 0, 0, 0, 0, 1, 0, 0));
        active.send(2, "two");
        bonds.settle();
        try (Arena arena = Arena.ofConfined()) {
            final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
            assertThat(cq.poll(wc)).isEqualTo(1);
            assertThat(wc.wrId()).isEqualTo(2);
            assertThat(cq.poll(wc)).isZero();
        }
    }

    /** What is posted while its life is forgotten could be of the next one, and go to another peer. */
    @Test
    void aQueuePairThatForgetsTakesNothingMore() {
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        final List<Integer> taken = new ArrayList<>();
        ((BondCompletionQueue) cq).addFlushSource(new BondCompletionQueue.FlushSource() {
            @Override
            public boolean next(final long wcAddress) {
                return false;
            }

            @Override
            public int size() {
                return 0;
            }

            @Override
            public QueuePair owner() {
                taken.add(active.send(1, "late"));
                taken.add(active.receive(1));
                return active.qp();
            }
        });
        active.qp().modify(new QpAttributes().qpState(QpState.RESET));
        assertThat(taken).containsExactly(-Errno.EINVAL, -Errno.EINVAL);
    }

    @Test
    void aQueuePairForWhoseRequestsThereIsNoRoomIsRefused() {
        final CompletionQueue small = bonds.closing(bonds.a.context().createCq(1, null, null));
        final int most = bonds.a.context().queryDevice().maxQpWr();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        bonds.closing(bonds.a.pd()
                                .createQp(QpInitAttributes.rc(small, small, new QpCapabilities(most, most, 1, 1, 0))));
                    }
                })
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageContaining("failover");
        assertThatThrownBy(small::close)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    }
}
