package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.TwoBonds;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands by: made while nothing is wrong, taken by a recovery without a word of the connection manager. */
class StandbyTest {
    /** Nobody looks for standbys longer than a second. */
    private static final long MADE_NS = 2_500 * MS;
    /** Nobody waits that knows of a reason to look. */
    private static final long SOON_NS = 250 * MS;

    private static final int CHANNEL_DEPTH = 32;

    private TwoBonds bonds = bonds(Standby.WARM, Standby.WARM);
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @AfterEach
    void close() {
        bonds.close();
    }

    private static TwoBonds bonds(final Standby a, final Standby b) {
        return new TwoBonds(
                options -> options.set(BondOption.STANDBY, a), options -> options.set(BondOption.STANDBY, b));
    }

    private void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        passive.receives(4);
        bonds.advance(MADE_NS);
    }

    private void anew(final Standby a, final Standby b) {
        active.close();
        bonds.close();
        bonds = bonds(a, b);
        active = new AppEnd(bonds.a);
        connect();
    }

    private long requests() {
        return bonds.fabric.heard().stream().filter(one -> one.kind() == CmMessage.REQ).count();
    }

    private boolean standsBy(final AppEnd end) {
        final boolean[] found = new boolean[1];
        end.bond().locked(() -> found[0] = end.recovery().exchange().standby().path() != null);
        return found[0];
    }

    private static int links(final HandBond bond, final int member) {
        return bond.linksOn(member).size();
    }

    private static String path(final AppEnd end) {
        return end.recovery().attachment().describe();
    }

    // ---- made -------------------------------------------------------------------------------------------------------

    @Test
    void oneIsMadeOverTheOtherMemberByAndBy() {
        connect();
        assertThat(standsBy(active)).isTrue();
        assertThat(standsBy(passive)).isTrue();
        assertThat(path(active)).startsWith("a0");
    }

    /** What is asked of the passive end shows that the connection stands; the CM's own word comes later. */
    @Test
    void oneIsMadeWhereTheWordThatTheFirstConnectionStandsIsLate() {
        active.close();
        bonds.fabric.lose(CmMessage.RTU);
        final CmId listener = bonds.closing(bonds.listen());
        active = bonds.closing(new AppEnd(bonds.a));
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        passive = bonds.closing(new AppEnd(bonds.b));
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.receives(4);
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        bonds.fabric.heal();
        bonds.advance(MADE_NS);
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        bonds.fabric.confirm();
        bonds.settle();
        assertThat(bonds.b.channel().getEvent(0)).as("the application hears it once").isNull();
        passive.send(1, "back");
        active.receives(1);
        active.send(2, "there");
        bonds.advance(60_000 * MS);
        assertThat(bonds.a.count(Counter.FAILOVERS)).isZero();
        assertThat(passive.polled()).containsExactlyInAnyOrder("0 SUCCESS", "1 SUCCESS");
        assertThat(standsBy(passive)).isTrue();
        listener.close();
    }

    /** For so long as they may take. */
    @Test
    void connectionsThatAnApplicationWaitsForComeFirst() {
        active.close();
        bonds.fabric.lose(CmMessage.REQ);
        final AppEnd waiting = bonds.closing(new AppEnd(bonds.a));
        waiting.on(bonds.routed("10.1.0.2"));
        waiting.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        bonds.fabric.heal();
        active = bonds.connect().active();
        bonds.advance(300 * MS);
        assertThat(standsBy(active)).isFalse();
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).as("what waits for long holds nobody up").isTrue();
    }

    @Test
    void oneIsMadeForAQueuePairThatModifyQpAloneHasBroughtUp() {
        active.close();
        active = bonds.closing(new AppEnd(bonds.a));
        passive = bonds.closing(new AppEnd(bonds.b));
        active.alone();
        passive.alone();
        active.toInit();
        passive.toInit();
        active.toRtr("10.1.0.2", passive.qp().qpNum(), 22);
        passive.toRtr("10.1.0.1", active.qp().qpNum(), 11);
        active.toRts(11, 7);
        passive.toRts(22, 7);
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).as(bonds.a.journal()).isTrue();
        final long before = requests();
        passive.receives(1);
        bonds.a.device(0).port(false);
        active.send(1, "one");
        bonds.settle();
        assertThat(path(active)).startsWith("a1");
        assertThat(requests()).isEqualTo(before);
        assertThat(bonds.polled(passive)).hasSize(1);
    }

    /** A device that dies says nothing to those it was connected with. */
    @Test
    void whatIsGoneAtTheOtherEndIsMadeAnewBeforeItIsNeeded() {
        connect();
        bonds.b.device(1).die();
        bonds.advance(200 * MS);
        bonds.b.device(1).plug();
        bonds.advance(2_000 * MS);
        assertThat(bonds.fabric.expire()).as("looks whether it is there").isPositive();
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isTrue();
        assertThat(bonds.a.count(Counter.STANDBY_MADE)).as("of the vQP and of the bonds' own").isEqualTo(4);
        final long before = requests();
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(path(active)).startsWith("a1");
        assertThat(requests()).isEqualTo(before);
        assertThat(bonds.a.count(Counter.STANDBY_TAKEN)).isEqualTo(2);
    }

    @Test
    void nothingStandsByOnAMemberThatIsToGo() {
        for (final boolean isOwn : new boolean[] {true, false}) {
            anew(Standby.WARM, Standby.WARM);
            final HandBond of = isOwn ? bonds.a : bonds.b;
            final String name = isOwn ? "a1" : "b1";
            assertThat(standsBy(active)).isTrue();
            of.context().admin().drain(name);
            bonds.advance(MADE_NS);
            assertThat(standsBy(active)).isFalse();
            of.context().admin().resume(name);
            bonds.advance(MADE_NS);
            assertThat(standsBy(active)).as("made again").isTrue();
            of.context().admin().remove(name);
            bonds.advance(MADE_NS);
            assertThat(of.context().admin().members()).extracting(MemberStatus::name).doesNotContain(name);
            assertThat(standsBy(active)).isFalse();
        }
    }

    @Test
    void withoutTheOptionAtEitherEndThereIsNone() {
        anew(Standby.WARM, Standby.COLD);
        assertThat(standsBy(active)).isFalse();
        anew(Standby.COLD, Standby.WARM);
        assertThat(standsBy(active)).isFalse();
        assertThat(links(bonds.a, 1)).as("nor a channel").isZero();
    }

    /** One of the two is the bonds' own. */
    @Test
    void noMoreAreMadeThanAllowed() {
        connect();
        bonds.a.context().admin().set(List.of("standby_max=2"));
        final AppEnd second = bonds.connect().active();
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isTrue();
        assertThat(standsBy(second)).isFalse();
    }

    @Test
    void norMoreThanThePeerAllows() {
        connect();
        bonds.b.context().admin().set(List.of("standby_max=2"));
        final AppEnd second = bonds.connect().active();
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isTrue();
        assertThat(standsBy(second)).isFalse();
        assertThat(bonds.b.count(Counter.STANDBY_GIVEN_UP)).as("refused, not made and closed").isZero();
        bonds.b.context().admin().set(List.of("standby_max=3"));
        bonds.advance(MADE_NS);
        assertThat(standsBy(second)).as("asked for again").isTrue();
    }

    @Test
    void whereFewerAreAllowedThanThereAreTheOldestIsGivenUpUntilThereIsRoom() {
        connect();
        final AppEnd second = bonds.connect().active();
        bonds.advance(MADE_NS);
        bonds.a.context().admin().set(List.of("standby_max=2"));
        bonds.advance(MADE_NS);
        assertThat(List.of(standsBy(active), standsBy(second))).containsExactly(false, true);
        assertThat(bonds.a.count(Counter.STANDBY_GIVEN_UP)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.STANDBY_MADE)).isEqualTo(3);
        bonds.a.context().admin().set(List.of("standby_max=3"));
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isTrue();
    }

    @Test
    void oneGivesWayToAQueuePairThatIsNeeded() {
        connect();
        final FakeContext device = bonds.a.device(1).opened();
        device.mostQueuePairs(device.queuePairs().size());
        final TwoBonds.Connection needed =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b), "10.2.0.2");
        assertThat(path(needed.active())).startsWith("a1");
        assertThat(standsBy(active)).isFalse();
        assertThat(bonds.a.count(Counter.STANDBY_GIVEN_UP)).isEqualTo(1);
    }

    @Test
    void switchedOffWhileTheBondIsOpenTheyAreClosed() {
        connect();
        bonds.a.context().admin().set(List.of("standby=cold"));
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isFalse();
        assertThat(standsBy(passive)).isFalse();
        assertThat(links(bonds.a, 1)).isZero();
        assertThat(links(bonds.b, 1)).isZero();
    }

    @Test
    void switchedOnWhileTheBondIsOpenTheyAreMadeForWhatIsConnected() {
        anew(Standby.COLD, Standby.WARM);
        assertThat(standsBy(active)).isFalse();
        bonds.a.context().admin().set(List.of("standby=warm"));
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isTrue();
        assertThat(standsBy(passive)).isTrue();
        bonds.a.context().admin().set(List.of("standby=cold"));
        bonds.advance(MADE_NS);
        bonds.a.context().admin().set(List.of("standby=warm"));
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).as("once more").isTrue();
    }

    @Test
    void aClosedQueuePairLeavesNothingOnTheOtherMember() {
        connect();
        final int own = links(bonds.a, 1);
        final int peers = links(bonds.b, 1);
        active.close();
        passive.close();
        bonds.advance(MADE_NS);
        assertThat(links(bonds.a, 1)).isEqualTo(own - 1);
        assertThat(links(bonds.b, 1)).isEqualTo(peers - 1);
    }

    // ---- taken ------------------------------------------------------------------------------------------------------

    @Test
    void aRecoveryTakesItWithoutARequestOfTheConnectionManager() {
        connect();
        final long before = requests();
        bonds.a.device(0).port(false);
        active.send(1, "one");
        bonds.settle();
        assertThat(path(active)).as(bonds.a.journal()).startsWith("a1");
        assertThat(path(passive)).startsWith("b1");
        assertThat(requests()).isEqualTo(before);
        assertThat(bonds.polled(active)).containsExactly("1 SUCCESS");
        assertThat(bonds.polled(passive)).hasSize(1);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    @Test
    void oneThatARecoveryHasAskedOverGivesWayToNobody() {
        connect();
        final QpExchange own = active.recovery().exchange();
        bonds.a.locked(() -> assertThat(own.standby().isSpareOn(bonds.a.member(1))).isTrue());
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(own.isTrying(bonds.a.member(1))).isTrue();
        bonds.a.locked(() -> {
            assertThat(own.standby().isMade()).isTrue();
            assertThat(own.standby().isSpare()).isFalse();
        });
    }

    @Test
    void theOtherSideTakesItAsWell() {
        connect();
        final long before = requests();
        active.receives(2);
        bonds.b.device(0).port(false);
        passive.send(1, "one");
        bonds.settle();
        assertThat(path(passive)).as(bonds.b.journal()).startsWith("b1");
        assertThat(requests()).isEqualTo(before);
        assertThat(bonds.polled(active)).hasSize(1);
    }

    @Test
    void bothSidesMayAskAtOnce() {
        connect();
        final long before = requests();
        active.receives(2);
        bonds.a.device(0).port(false);
        bonds.b.device(0).port(false);
        active.send(1, "one");
        passive.send(2, "two");
        bonds.advance(400 * MS);
        assertThat(path(active)).as(bonds.a.journal() + bonds.b.journal()).startsWith("a1");
        assertThat(requests()).isEqualTo(before);
        assertThat(bonds.polled(active)).containsExactlyInAnyOrder("1 SUCCESS", "0 SUCCESS");
        assertThat(bonds.polled(passive)).hasSize(2);
    }

    /** What the peer has and nobody has acknowledged is completed, and not sent again. */
    @Test
    void theCountsAreNegotiatedAsByTheConnectionManager() {
        connect();
        active.physical().pause(true);
        active.send(1, "one");
        active.send(2, "two");
        active.physical().executeUnacknowledged(1);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(bonds.polled(active)).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(bonds.polled(passive)).hasSize(2);
    }

    @Test
    void afterItWasTakenAnotherOneIsMade() {
        connect();
        final long before = requests();
        for (int member = 0; member < 4; member++) {
            bonds.a.device(member % 2).port(false);
            bonds.settle();
            assertThat(path(active)).startsWith("a" + (member + 1) % 2);
            assertThat(standsBy(active)).isFalse();
            bonds.a.device(member % 2).port(true);
            bonds.advance(SOON_NS);
            assertThat(standsBy(active)).as(bonds.a.journal()).isTrue();
        }
        assertThat(requests() - before).as("of each: the channel, the vQP, the bonds' own").isEqualTo(4 * 3);
    }

    /** To end what the bonds spoke by over the member that failed takes longer than a recovery over another one. */
    @Test
    void aRecoveryComesBeforeTheEndOfTheChannelOfTheMemberThatFailed() {
        for (final boolean isAnswered : new boolean[] {true, false}) {
            anew(Standby.WARM, Standby.WARM);
            bonds.a.device(0).port(false);
            bonds.settle();
            bonds.a.device(0).port(true);
            bonds.advance(MADE_NS);
            assertThat(path(active)).startsWith("a1");
            assertThat(channels(bonds.a, 1)).hasSize(1);
            bonds.fabric.stop(true);
            bonds.a.device(1).port(false);
            bonds.a.context().doWork(bonds.nowNs());
            assertThat(channels(bonds.a, 1)).as("not ended yet").hasSize(1);
            bonds.fabric.stop(!isAnswered);
            if (isAnswered) {
                bonds.settle();
                assertThat(path(active)).startsWith("a0");
            } else {
                bonds.advance(SOON_NS);
                assertThat(path(active)).as("it does not wait for a recovery that lasts").isEmpty();
            }
            assertThat(channels(bonds.a, 1)).isEmpty();
            bonds.fabric.stop(false);
        }
    }

    /** What ended was in use, and none that stood by. */
    @Test
    void norIsItPutOffWhereNoneStoodBy() {
        connect();
        bonds.a.device(0).port(false);
        bonds.settle();
        bonds.a.device(0).port(true);
        bonds.a.device(1).port(false);
        bonds.settle();
        assertThat(path(active)).startsWith("a0");
        bonds.a.device(1).port(true);
        bonds.advance(SOON_NS);
        assertThat(standsBy(active)).as(bonds.a.journal()).isTrue();
    }

    /** The side that makes them does not see that link: the other one tells it when there is something to see. */
    @Test
    void itIsMadeAnewAsSoonAsThePeersMemberIsUp() {
        for (int waitedMs = 100; waitedMs < 2_000; waitedMs += 100) {
            anew(Standby.WARM, Standby.WARM);
            bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
            bonds.b.device(0).port(false);
            bonds.settle();
            assertThat(path(active)).startsWith("a1");
            bonds.advance(waitedMs * MS);
            assertThat(standsBy(active)).isFalse();
            bonds.fabric.heal();
            bonds.b.device(0).port(true);
            bonds.advance(SOON_NS);
            assertThat(standsBy(active)).as("after %d ms: %s", waitedMs, bonds.a.journal()).isTrue();
            assertThat(standsBy(passive)).isTrue();
        }
    }

    /** Its other end went with the member, and could not say so. */
    @Test
    void whatTheBondsSpeakByOverAPathThatFailedIsNotTrusted() {
        connect();
        bonds.a.device(0).port(false);
        bonds.settle();
        bonds.a.device(0).port(true);
        bonds.advance(MADE_NS);
        assertThat(path(active)).startsWith("a1");
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.b.device(1).port(false);
        bonds.settle();
        assertThat(path(active)).startsWith("a0");
        bonds.advance(100 * MS);
        bonds.fabric.heal();
        bonds.b.device(1).port(true);
        bonds.advance(SOON_NS);
        assertThat(standsBy(active)).as(bonds.a.journal()).isTrue();
    }

    /** It was made while all was whole; the queue's markers are looked at when it is to have the requests. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneIsGivenNothingOfAQueueThatWasOverrun(final boolean isActive) {
        connect();
        final AppEnd hit = isActive ? active : passive;
        NativeMemory.putByte(hit.qp().nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(hit.qp().state()).isEqualTo(QpState.ERR);
        assertThat(path(hit)).isEmpty();
    }

    /** The first of them go at once, all others together; so do their answers and the confirmations. */
    @Test
    void manyAreAskedForInFewMessages() {
        connect();
        final List<TwoBonds.Connection> more = Stream.generate(bonds::connect).limit(20).toList();
        bonds.advance(MADE_NS);
        final long before = requests();
        final int asked = channelMessages(bonds.a);
        final int answered = channelMessages(bonds.b);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(more).allMatch(one -> path(one.active()).startsWith("a1"));
        assertThat(requests()).isEqualTo(before);
        assertThat(channelMessages(bonds.a) - asked).as("four at once and one more: ASK, CONFIRM").isEqualTo(2 * 5);
        assertThat(channelMessages(bonds.b) - answered).as("ACCEPT, of 160 bytes").isBetween(5, 4 + 3);
        assertThat(bonds.a.count(Counter.STANDBY_TAKEN)).isGreaterThanOrEqualTo(21);
    }

    private static Stream<FakeQp> channels(final HandBond bond, final int member) {
        return bond.device(member).opened().queuePairs().stream()
                .filter(qp -> qp.capabilities().maxSendWr() == CHANNEL_DEPTH);
    }

    private static int channelMessages(final HandBond bond) {
        return channels(bond, 1).mapToInt(qp -> qp.everSent().size()).sum();
    }

    /** Not all are asked at once, and none is forgotten. */
    @Test
    void moreThanAreAskedAtOnceComeInTurn() {
        connect();
        final List<TwoBonds.Connection> more = Stream.generate(bonds::connect).limit(300).toList();
        bonds.advance(MADE_NS);
        final long before = requests();
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(more).allMatch(one -> path(one.active()).startsWith("a1"));
        assertThat(requests()).isEqualTo(before);
    }

    // ---- when it does not hold what it promises ---------------------------------------------------------------------

    @Test
    void oneThatDoesNotAnswerCostsOneWait() {
        connect();
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        active.send(1, "one");
        active.physical().failOldest(WcStatus.RETRY_EXC_ERR);
        active.poll();
        bonds.advance(5_000 * MS);
        assertThat(path(active)).as(bonds.a.journal()).startsWith("a0");
        assertThat(bonds.polled(passive)).hasSize(1);
    }

    /** The time of each ends, though there are so many that not every turn looks at all. */
    @Test
    void manyThatDoNotAnswerCostOneWait() {
        connect();
        final List<TwoBonds.Connection> more = Stream.generate(bonds::connect).limit(100).toList();
        bonds.advance(MADE_NS);
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.a.device(0).port(false);
        bonds.settle();
        bonds.a.device(0).port(true);
        assertThat(more).noneMatch(one -> path(one.active()).startsWith("a0"));
        bonds.advance(5_000 * MS);
        assertThat(more).allMatch(one -> path(one.active()).startsWith("a0"));
    }

    @Test
    void itsMemberMayDie() {
        connect();
        bonds.a.device(1).die();
        bonds.advance(MADE_NS);
        assertThat(standsBy(active)).isFalse();
        active.send(1, "one");
        bonds.settle();
        assertThat(bonds.polled(active)).containsExactly("1 SUCCESS");
    }

    @Test
    void itsMemberMayDieWhileItIsTaken() {
        connect();
        bonds.fabric.stop(true);
        active.send(1, "one");
        bonds.a.device(0).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        bonds.a.device(1).die();
        bonds.fabric.stop(false);
        bonds.a.device(0).port(true);
        bonds.advance(5_000 * MS);
        assertThat(path(active)).as(bonds.a.journal()).startsWith("a0");
        assertThat(bonds.polled(passive)).hasSize(1);
    }
}
