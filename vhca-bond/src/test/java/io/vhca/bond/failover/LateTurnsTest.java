package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peer;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Recoveries of bonds that lack a processor, wait for their turn or have a slow peer: late, and no failure. */
class LateTurnsTest {
    /** Recoveries that connect at once, besides that of the control link. */
    private static final int TURNS = 127;
    /** More CM events than a turn takes of one member. */
    private static final int MANY = 70;

    private TwoBonds bonds = cold(config -> config);

    /** What is late here is said by the connection manager. */
    private static TwoBonds cold(final UnaryOperator<BondConfig.Builder> options) {
        return new TwoBonds(config -> options.apply(config).set(BondOption.STANDBY, Standby.COLD));
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void assertHealthy(final AppEnd end) {
        assertThat(end.recovery().machine().state())
                .as("%s%s", bonds.a.journal(), bonds.b.journal())
                .isEqualTo(RecoveryState.CONNECTED);
    }

    @Test
    void aPauseOfTheOwnProcessIsNoTimeWithoutAPath() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.settle();
        bonds.a.device(0).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        final QpRecovery recovery = pair.active().recovery();
        assertThat(recovery.machine().state()).isEqualTo(RecoveryState.CONNECTING);
        for (int i = 0; i < 3; i++) {
            bonds.pause(60_000 * MS);
            bonds.a.context().doWork(bonds.nowNs());
            assertThat(recovery.machine().state()).isEqualTo(RecoveryState.CONNECTING);
        }
        bonds.settle();
        assertHealthy(pair.active());
        assertThat(recovery.machine().epoch()).as("the first attempt did it").isEqualTo(1);
    }

    @Test
    void aBondThatHasATurnEverySecondRecoversLikeAnyOther() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(4);
        pair.active().send(1, "one");
        bonds.settle();
        bonds.a.device(0).port(false);
        for (int second = 0; second < 30; second++) {
            bonds.pause(1_000 * MS);
            bonds.a.context().doWork(bonds.nowNs());
            bonds.b.context().doWork(bonds.nowNs());
            bonds.fabric.run();
        }
        assertHealthy(pair.active());
        assertHealthy(pair.passive());
        assertThat(pair.active().recovery().machine().epoch()).isEqualTo(1);
    }

    @Test
    void aSilentPeerIsGivenTwiceTheTimeAfterEachRoundUpToAnEighthOfTheRecovery() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.settle();
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        final List<Long> patience = new ArrayList<>();
        int epoch = 0;
        for (int step = 0; step < 250; step++) {
            final QpRecovery recovery = pair.active().recovery();
            final long startNs = bonds.nowNs();
            if (recovery.machine().epoch() != epoch && recovery.exchange().isTrying(bonds.a.member(1))) {
                epoch = recovery.machine().epoch();
                patience.add((recovery.exchange().attemptDeadlineNs() - startNs) / MS);
            }
            bonds.advance(50 * MS);
        }
        // Two addresses of the peer's: two attempts a round.
        final long usualMs = bonds.a.verbs().core().config().pathTimeoutNs() / MS;
        assertThat(patience.getFirst()).isBetween(usualMs - 50, usualMs);
        assertThat(patience.get(2)).isBetween(2 * usualMs - 60, 2 * usualMs);
        assertThat(patience.get(4)).isBetween(4 * usualMs - 60, 4 * usualMs);
        assertThat(patience.get(6)).isBetween(3_690L, 3_750L);
        bonds.fabric.heal();
        bonds.advance(10_000 * MS);
        assertHealthy(pair.active());
    }

    /** To the second: of many, all are looked at once in a while. */
    private long boundOf(final QpRecovery recovery) {
        bonds.advance(MS);
        return Math.round((recovery.machine().nextDeadlineNs() - bonds.nowNs()) / (1_000.0 * MS));
    }

    @Test
    void whatTimeCountsForDependsOnTheTurnAndOnThePeer() {
        bonds.close();
        bonds = cold(config -> config.recoveryTimeoutNs(20_000 * MS));
        final AppEnd first = bonds.connect().active();
        AppEnd last = first;
        for (int i = 0; i < TURNS; i++) {
            last = bonds.connect().active();
        }
        bonds.settle();
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        final QpRecovery waiting = last.recovery();
        assertThat(waiting.machine().state()).isEqualTo(RecoveryState.CONNECTING);
        assertThat(waiting.exchange().isTrying(bonds.a.member(1))).as("it waits for its turn").isFalse();
        assertThat(boundOf(waiting)).as("nobody was heard").isEqualTo(20);
        final Peer peer = waiting.identity().peer();
        peer.answers(bonds.nowNs());
        assertThat(boundOf(waiting)).as("its turn will come").isGreaterThan(1_000);
        assertThat(boundOf(first.recovery())).as("it has its turn").isEqualTo(8 * 20);
        bonds.advance(300 * MS);
        peer.answers(bonds.nowNs() - 5_000 * MS);
        assertThat(boundOf(waiting)).as("that was long ago").isEqualTo(20);
        bonds.fabric.heal();
        bonds.advance(30_000 * MS);
        assertHealthy(last);
    }

    @Test
    void anAnswerAndARequestOfThePeerAreWordsOfItToAll() {
        final TwoBonds.Connection pair = bonds.connect();
        final Peer peer = pair.active().recovery().identity().peer();
        assertThat(peer.isHeardWithin(Long.MAX_VALUE, bonds.nowNs())).isFalse();
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.advance(600 * MS);
        assertThat(peer.isHeardWithin(Long.MAX_VALUE, bonds.nowNs())).as("nothing came").isFalse();
        bonds.fabric.heal();
        bonds.advance(10_000 * MS);
        assertHealthy(pair.active());
        assertThat(peer.isHeardWithin(10_000 * MS, bonds.nowNs())).isTrue();
        bonds.advance(60_000 * MS);
        assertThat(peer.isHeardWithin(10_000 * MS, bonds.nowNs())).isFalse();
        bonds.b.locked(() ->
                pair.passive().recovery().onPathFailure(FailureReason.CM_DISCONNECTED, bonds.nowNs()));
        bonds.settle();
        assertThat(peer.isHeardWithin(1, bonds.nowNs())).as("its own REQ is a word too").isTrue();
    }

    @Test
    void aMemberWithMoreEventsThanATurnTakesSaysSo() {
        for (int i = 0; i < MANY; i++) {
            bonds.connect();
        }
        bonds.settle();
        assertThat(bonds.b.member(1).hasEventsLeft()).isFalse();
        bonds.a.device(0).port(false);
        while (bonds.a.context().doWork(bonds.nowNs()) > 0) {
            assertThat(bonds.b.member(1).hasEventsLeft()).isFalse();
        }
        bonds.b.context().doWork(bonds.nowNs());
        assertThat(bonds.b.member(1).hasEventsLeft()).isTrue();
        bonds.settle();
        assertThat(bonds.b.member(1).hasEventsLeft()).isFalse();
        assertThat(pendingLinks()).isEmpty();
    }

    private List<PathLink> pendingLinks() {
        return bonds.a.linksOn(1).stream().filter(PathLink::isPending).toList();
    }
}
