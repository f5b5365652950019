package io.vhca.bond.placement;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Healthy queue pairs that move because somebody wants it. */
class PlannedMovesTest {
    private TwoBonds bonds = new TwoBonds(options -> options);

    @AfterEach
    void close() {
        bonds.close();
    }

    private static String member(final AppEnd end) {
        return end.recovery().attachment().describe().split(" ")[0];
    }

    /** Two ends that modifyQp alone connects; the first one asks. */
    private TwoBonds.Connection outOfBand() {
        final AppEnd one = bonds.closing(new AppEnd(bonds.a));
        final AppEnd two = bonds.closing(new AppEnd(bonds.b));
        one.alone();
        two.alone();
        one.toInit();
        two.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 22);
        two.toRtr("10.1.0.1", one.qp().qpNum(), 11);
        one.toRts(11, 7);
        bonds.settle();
        two.toRts(22, 7);
        bonds.settle();
        return new TwoBonds.Connection(one, two);
    }

    private void assertPlannedOnly() {
        assertThat(bonds.a.context().failovers())
                .extracting(FailoverReport::reason)
                .containsOnly(FailureReason.PLANNED);
    }

    @Test
    void theMemberThatIsMadeActiveGetsThemWithNothingToReplay() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(4);
        pair.active().send(1, "one");
        bonds.settle();
        bonds.a.context().admin().activate("a1");
        bonds.advance(10 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        assertThat(member(pair.passive())).isEqualTo("b1");
        pair.active().send(2, "two");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(bonds.a.count(Counter.REPLAYED)).isZero();
        assertPlannedOnly();
    }

    @Test
    void whatModifyQpAloneConnectsIsPlacedByTheSideWhoseSessionItIs() {
        final TwoBonds.Connection pair = outOfBand();
        bonds.a.context().admin().activate("a1");
        bonds.advance(200 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a1");
        assertThat(member(pair.passive())).isEqualTo("b1");
        bonds.b.context().admin().activate("b0");
        bonds.advance(2_000 * MS);
        assertThat(member(pair.passive())).as("the other side follows").isEqualTo("b1");
        assertPlannedOnly();
    }

    @Test
    void whatModifyQpAloneConnectsIsSpreadInABalancingMode() {
        bonds.close();
        bonds = new TwoBonds(options -> options.mode(BondMode.BALANCE_RR));
        final List<TwoBonds.Connection> pairs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pairs.add(outOfBand());
        }
        bonds.advance(1_000 * MS);
        assertThat(pairs).extracting(pair -> member(pair.active())).containsExactly("a0", "a1", "a0", "a1");
        assertThat(pairs).extracting(pair -> member(pair.passive())).containsExactly("b0", "b1", "b0", "b1");
        final int moves = bonds.a.context().failovers().size() + bonds.b.context().failovers().size();
        bonds.advance(10_000 * MS);
        assertThat(bonds.a.context().failovers().size() + bonds.b.context().failovers().size())
                .as("they stay there")
                .isEqualTo(moves);
    }

    @Test
    void whatTheHardwareHasCompletesFirstAndWhatIsPostedMeanwhileWaits() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(4);
        bonds.fabric.stop(true);
        pair.active().send(1, "one");
        bonds.a.context().admin().activate("a1");
        bonds.advance(20 * MS);
        assertThat(member(pair.active())).as("the hardware is not quiet").isEqualTo("a0");
        pair.active().send(2, "two");
        assertThat(pair.active().physical().outstanding()).isEqualTo(1);
        bonds.fabric.stop(false);
        bonds.advance(20 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(bonds.a.count(Counter.REPLAYED)).isZero();
    }

    @Test
    void hardwareThatDoesNotBecomeQuietIsLeftAfterTheDrainTimeout() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.active().send(1, "the receiver is not ready");
        bonds.a.context().admin().activate("a1");
        bonds.advance(500 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        pair.passive().receives(1);
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aPathThatDoesNotCarryIsNotMovedToAndAskedAgainLater() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.a.context().admin().activate("a1");
        bonds.advance(2_000 * MS);
        assertThat(member(pair.active())).isEqualTo("a0");
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.fabric.heal();
        bonds.advance(10_000 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        assertPlannedOnly();
    }

    /** A failure took it the same way, and another move is under way when the first one's question is given up. */
    @Test
    void theLateAnswerOfAnEarlierProbeSaysNothingOfTheNextMove() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(4);
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.context().admin().activate("a1");
        bonds.advance(2 * MS);
        bonds.fabric.heal();
        bonds.a.device(0).port(false);
        bonds.advance(10 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        bonds.a.device(0).port(true);
        bonds.advance(440 * MS);
        bonds.fabric.stop(true);
        pair.active().send(1, "one");
        bonds.a.context().admin().activate("a0");
        bonds.advance(80 * MS);
        assertThat(member(pair.active())).as("the hardware is not quiet").isEqualTo("a1");
        bonds.fabric.stop(false);
        bonds.advance(10 * MS);
        assertThat(member(pair.active())).isEqualTo("a0");
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aFailureThatComesFirstTakesThemTheSameWay() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.stop(true);
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.a.context().admin().activate("a1");
        bonds.advance(2 * MS);
        bonds.a.device(0).port(false);
        bonds.fabric.stop(false);
        bonds.advance(2_000 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    @Test
    void aDrainedMemberIsLeftByBothSidesQueuePairs() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.b.context().admin().drain("b0");
        bonds.advance(50 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        assertThat(member(pair.passive())).isEqualTo("b1");
        bonds.b.context().admin().resume("b0");
        bonds.advance(50 * MS);
        assertThat(member(pair.active())).as("active-backup: it stays").isEqualTo("a1");
    }

    /** The two bonds moved it to and fro: who placed it was not told that the peer's member is drained. */
    private void assertLeftForGood(final UnaryOperator<BondConfig.Builder> ofA, final String resumed) {
        bonds.close();
        bonds = new TwoBonds(ofA, options -> options);
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(100 * MS);
        bonds.b.context().admin().drain("b0");
        bonds.advance(3_000 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a1");
        assertThat(member(pair.passive())).isEqualTo("b1");
        assertThat(bonds.a.context().failovers()).hasSize(1);
        bonds.b.context().admin().resume("b0");
        bonds.advance(1_500 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo(resumed);
        assertPlannedOnly();
    }

    @Test
    void aMemberThatThePeerHasDrainedIsNotMovedBackToUntilItIsResumed() {
        assertLeftForGood(options -> options.primary("a0"), "a0");
    }

    @Test
    void aMemberThatThePeerHasDrainedGetsNoneInABalancingMode() {
        assertLeftForGood(options -> options.mode(BondMode.BALANCE_RR), "a0");
    }

    @Test
    void ofTwoDrainedPathsTheSideThatPlacedAQueuePairLeavesItsOwn() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.context().admin().drain("a1");
        bonds.b.context().admin().drain("b0");
        bonds.advance(3_000 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a0");
        bonds.a.context().admin().resume("a1");
        bonds.advance(1_500 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a1");
        bonds.b.context().admin().resume("b0");
        bonds.b.context().admin().drain("b1");
        bonds.a.context().admin().drain("a0");
        bonds.advance(3_000 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a1");
        assertThat(bonds.a.context().failovers()).hasSize(1);
        bonds.b.context().admin().resume("b1");
        bonds.a.context().admin().resume("a0");
        bonds.b.context().admin().drain("b0");
        bonds.a.context().admin().drain("a1");
        bonds.advance(3_000 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a0");
        assertThat(bonds.a.context().failovers()).hasSize(2);
        assertPlannedOnly();
    }

    /** It stayed for ever: nothing but the path to the active member was asked. */
    @Test
    void aDrainedMemberIsLeftForAThirdOneWhereThePathToTheActiveOneIsDead() {
        bonds.spare("a2", "10.3.0.1");
        bonds.spare("b2", "10.3.0.2");
        bonds.a.context().admin().add("a2");
        bonds.b.context().admin().add("b2");
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(500 * MS);
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.a.context().admin().remove("a0");
        bonds.advance(20_000 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a2");
        assertThat(bonds.a.context().admin().members())
                .extracting(MemberStatus::name)
                .containsExactly("a1", "a2");
        assertPlannedOnly();
    }

    @Test
    void moreThanMoveAtOnceLeaveADrainedMemberOneAfterTheOther() {
        bonds.close();
        bonds = new TwoBonds(options -> options.miimonNs(60_000 * MS).updelayNs(60_000 * MS));
        final List<AppEnd> ends = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            ends.add(bonds.connect().active());
        }
        bonds.a.context().admin().drain("a0");
        bonds.advance(500 * MS);
        assertThat(ends).extracting(PlannedMovesTest::member).containsOnly("a1");
    }

    /** A member whose link and path have failed again and again, and are up. */
    private void flap(final int member) {
        for (int i = 0; i < 6; i++) {
            bonds.a.device(member).port(false);
            bonds.advance(150 * MS);
            bonds.a.device(member).port(true);
            bonds.advance(150 * MS);
        }
    }

    @Test
    void anOperatorsWishGetsPastThePenaltyOfALinkThatFlapped() {
        final TwoBonds.Connection pair = bonds.connect();
        flap(0);
        assertThat(member(pair.active())).isEqualTo("a1");
        bonds.a.locked(() -> pair.active().recovery().paths().table().failed(new PathId(0, 0), bonds.nowNs()));
        bonds.a.context().admin().activate("a0");
        bonds.advance(300 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a0");
    }

    @Test
    void theMembersThatAreLeftWhenOneIsDrainedAreUsedWhateverTheyDidBefore() {
        final TwoBonds.Connection pair = bonds.connect();
        flap(1);
        bonds.a.locked(() -> {
            for (int i = 0; i < 6; i++) {
                pair.active().recovery().paths().table().failed(new PathId(1, 0), bonds.nowNs());
                pair.active().recovery().paths().table().failed(new PathId(1, 1), bonds.nowNs());
            }
        });
        bonds.a.context().admin().drain("a0");
        bonds.advance(300 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a1");
    }

    @Test
    void aPrimaryThatIsResumedGetsThemBackAtOnceThoughItFlapped() {
        bonds.close();
        bonds = new TwoBonds(options -> options.primary(options.build().members().getFirst()));
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(100 * MS);
        flap(0);
        bonds.a.context().admin().drain("a0");
        bonds.advance(200 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        bonds.a.context().admin().resume("a0");
        bonds.advance(400 * MS);
        assertThat(member(pair.active())).as(bonds.a.journal()).isEqualTo("a0");
    }

    @Test
    void aGidThatMovedMakesTheQueuePairsThereAnewOverTheSamePath() {
        final TwoBonds.Connection pair = bonds.connect();
        final TwoBonds.Connection other = bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b), "10.2.0.2");
        pair.passive().receives(4);
        bonds.fabric.stop(true);
        pair.active().send(1, "one");
        final FakeQp before = pair.active().physical();
        final FakeQp untouched = other.active().physical();
        bonds.a.device(0).gidIndex(2);
        bonds.a.device(0).say(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
        bonds.fabric.stop(false);
        bonds.settle();
        assertThat(pair.active().physical()).as("at once").isNotSameAs(before);
        assertThat(member(pair.active())).as("nothing is wrong with the path").isEqualTo("a0");
        assertThat(other.active().physical()).isSameAs(untouched);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
        assertThat(pair.passive().polled()).containsExactly("0 SUCCESS");
        assertPlannedOnly();
    }

    @Test
    void aHealedPrimaryGetsThemBackAfterUpdelay() {
        bonds.close();
        bonds = new TwoBonds(options -> options.primary(options.build().members().getFirst()).updelayNs(1_000 * MS));
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        bonds.a.device(0).port(true);
        bonds.advance(900 * MS);
        assertThat(member(pair.active())).isEqualTo("a1");
        bonds.advance(2_000 * MS);
        assertThat(member(pair.active())).isEqualTo("a0");
    }

    @Test
    void inABalancingModeEachGoesHomeWhenItsLinkIsUpAgain() {
        bonds.close();
        bonds = new TwoBonds(options -> options.mode(BondMode.BALANCE_RR));
        final List<AppEnd> ends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ends.add(bonds.connect().active());
        }
        bonds.advance(1_000 * MS);
        assertThat(ends).extracting(PlannedMovesTest::member).containsExactly("a0", "a1", "a0", "a1");
        bonds.a.device(1).port(false);
        bonds.advance(100 * MS);
        assertThat(ends).extracting(PlannedMovesTest::member).containsOnly("a0");
        bonds.a.device(1).port(true);
        bonds.advance(3_000 * MS);
        assertThat(ends).extracting(PlannedMovesTest::member).containsExactly("a0", "a1", "a0", "a1");
    }

    @Test
    void inABalancingModeItGoesHomeAsSoonAsItsLinkWasUpForUpdelay() {
        bonds.close();
        bonds = new TwoBonds(options -> options.mode(BondMode.BALANCE_RR).updelayNs(1_000 * MS));
        bonds.connect();
        final AppEnd end = bonds.connect().active();
        bonds.advance(1_000 * MS);
        bonds.a.device(1).port(false);
        bonds.advance(100 * MS);
        assertThat(member(end)).isEqualTo("a0");
        bonds.a.device(1).port(true);
        bonds.advance(900 * MS);
        assertThat(member(end)).isEqualTo("a0");
        bonds.advance(300 * MS);
        assertThat(member(end)).isEqualTo("a1");
    }

    @Test
    void aShorterMiimonCountsAtOnce() {
        bonds.close();
        bonds = new TwoBonds(
                options -> options.mode(BondMode.BALANCE_RR).updelayNs(1_000 * MS).miimonNs(60_000 * MS));
        bonds.connect();
        final AppEnd end = bonds.connect().active();
        bonds.a.device(1).port(false);
        bonds.advance(100 * MS);
        bonds.a.device(1).port(true);
        bonds.advance(100 * MS);
        bonds.a.context().admin().set(List.of("miimon=100ms"));
        bonds.advance(100 * MS);
        assertThat(member(end)).as("updelay is not over").isEqualTo("a0");
        bonds.advance(1_000 * MS);
        assertThat(member(end)).isEqualTo("a1");
    }

    @Test
    void inBalanceTlbALoadedMemberIsLeftByOneOfTwo() {
        bonds.close();
        bonds = new TwoBonds(options -> options.mode(BondMode.BALANCE_TLB));
        final List<TwoBonds.Connection> pairs = List.of(bonds.connect(), bonds.connect());
        bonds.advance(200 * MS);
        bonds.a.context().admin().drain("a1");
        bonds.advance(200 * MS);
        bonds.a.context().admin().resume("a1");
        assertThat(pairs).extracting(pair -> member(pair.active())).containsOnly("a0");
        for (int round = 0; round < 60; round++) {
            for (final TwoBonds.Connection pair : pairs) {
                for (int i = 0; i < AppEnd.DEPTH; i++) {
                    pair.passive().receive(i);
                    pair.active().send(i, "0123456789012345678901234567890123456789012345678901234567890123");
                }
            }
            bonds.advance(50 * MS);
            for (final TwoBonds.Connection pair : pairs) {
                assertThat(pair.active().poll()).hasSize(AppEnd.DEPTH);
                assertThat(pair.passive().poll()).hasSize(AppEnd.DEPTH);
            }
        }
        assertThat(pairs).extracting(pair -> member(pair.active())).containsExactlyInAnyOrder("a0", "a1");
    }
}
