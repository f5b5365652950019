package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FirstConnectTest {
    private static final byte[] NONE = new byte[0];
    private static final InetAddress ALIAS = InetAddress.ofLiteral("10.9.0.9");
    private static final long PATIENCE_NS = 500 * MS;
    private final TwoBonds bonds = new TwoBonds(options -> options
            .set(BondOption.PATH_TIMEOUT, PATIENCE_NS)
            .peers(Map.of(ALIAS, List.of(InetAddress.ofLiteral("10.1.0.2"), InetAddress.ofLiteral("10.2.0.2")))));
    private final AppEnd end = new AppEnd(bonds.a);

    @BeforeEach
    void create() {
        bonds.closing(end);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void connect(final String to) {
        end.on(bonds.routed(to));
        end.id().connect(ConnectParameters.of("hi".getBytes(StandardCharsets.US_ASCII)));
        bonds.settle();
    }

    private CmEvent accept() {
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(request.id());
        other.id().accept(ConnectParameters.of("ho".getBytes(StandardCharsets.US_ASCII)));
        bonds.settle();
        return request;
    }

    @Test
    void privateDataGoesBothWaysAndTheQueuePairsAreInRts() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        assertThat(accept().privateData()).asString(StandardCharsets.US_ASCII).isEqualTo("hi");
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).privateData())
                .asString(StandardCharsets.US_ASCII).isEqualTo("ho");
        assertThat(end.qp().state()).isEqualTo(QpState.RTS);
    }

    /** The calls return before anything is sent. */
    @Test
    void theArraysOfPrivateDataAreTheApplicationsAgainOnceItsCallsReturn() {
        bonds.closing(bonds.listen());
        end.on(bonds.routed("10.1.0.2"));
        final byte[] hi = "hi".getBytes(StandardCharsets.US_ASCII);
        end.id().connect(ConnectParameters.of(hi));
        Arrays.fill(hi, (byte) 0);
        bonds.settle();
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(request.privateData()).asString(StandardCharsets.US_ASCII).isEqualTo("hi");
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(request.id());
        final byte[] ho = "ho".getBytes(StandardCharsets.US_ASCII);
        other.id().accept(ConnectParameters.of(ho));
        Arrays.fill(ho, (byte) 0);
        bonds.settle();
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).privateData())
                .asString(StandardCharsets.US_ASCII).isEqualTo("ho");
    }

    @Test
    void aPathWhoseAnswerDoesNotComeIsLeftForTheNextAndTheApplicationIsAskedOnce() {
        bonds.closing(bonds.listen());
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        connect("10.9.0.9");
        bonds.advance(600 * MS);
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(end.recovery().attachment().describe()).isEqualTo("a1 -> 10.2.0.2");
    }

    @Test
    void aLostAnswerBringsTheSameSessionOverAnotherPathAndTheApplicationIsAskedOnce() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.REP);
        connect("10.9.0.9");
        accept();
        bonds.advance(300 * MS);
        bonds.fabric.heal();
        bonds.advance(2_000 * MS);
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(end.recovery().attachment().describe()).isEqualTo("a1 -> 10.2.0.2");
        assertThat(bonds.b.channel().getEvent(0)).extracting(CmEvent::type).isEqualTo(CmEventType.ESTABLISHED);
        assertThat(bonds.b.channel().getEvent(0)).isNull();
    }

    /** This end has not looked yet, and finds both: that it is connected over a1, and that it is to recover over a0. */
    @Test
    void whoIsToRecoverBeforeItHasHeardThatItIsConnectedHearsOfThatFirst() {
        bonds.connect(); // both learn all addresses of each other
        bonds.closing(bonds.listen());
        connect("10.2.0.2");
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        other.id().accept(ConnectParameters.of(NONE));
        settleWithoutA();
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        bonds.b.device(1).port(false);
        settleWithoutA();
        assertThat(other.recovery().attachment().describe()).as("the REQ waits").isEqualTo("b0 -> 10.1.0.1");
        bonds.settle();
        bonds.advance(100 * MS);
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(bonds.b.channel().getEvent(0)).as("nothing ends").isNull();
        assertThat(other.recovery().attachment().describe()).startsWith("b0 -> ");
        assertThat(end.recovery().attachment().describe()).isEqualTo("a0 -> 10.1.0.2");
    }

    private void settleWithoutA() {
        int turns = 0;
        while (bonds.b.context().doWork(bonds.nowNs()) + bonds.fabric.run() > 0) {
            turns++;
            assertThat(turns).isLessThan(10_000);
        }
    }

    @Test
    void aLostWordThatItIsEstablishedIsMadeUpForByTheFirstMessage() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.RTU);
        connect("10.1.0.2");
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(request.id());
        other.receives(2);
        other.id().accept(ConnectParameters.of(NONE));
        bonds.settle();
        assertThat(request.parameters().qpNum()).isEqualTo(end.qp().qpNum());
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).parameters().qpNum())
                .isEqualTo(other.qp().qpNum());
        end.send(1, "one");
        bonds.settle();
        bonds.fabric.heal();
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertThat(TwoBonds.next(bonds.b, CmEventType.ESTABLISHED).parameters()).isEqualTo(request.parameters());
        assertThat(end.polled()).containsExactly("1 SUCCESS");
        assertThat(other.polled()).containsExactly("0 SUCCESS");
    }

    @Test
    void aConnectionThatEndsUnconfirmedWasEstablishedWhenAMessageHadArrived() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.RTU);
        connect("10.1.0.2");
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        other.receives(2);
        other.id().accept(ConnectParameters.of(NONE));
        bonds.settle();
        end.send(1, "one");
        bonds.settle();
        assertThat(bonds.b.channel().getEvent(0)).isNull();
        bonds.fabric.heal();
        bonds.advance(31_000 * MS);
        assertThat(TwoBonds.next(bonds.b, CmEventType.ESTABLISHED).parameters().qpNum())
                .isEqualTo(end.qp().qpNum());
        assertThat(other.polled()).containsExactly("0 SUCCESS");
        end.send(2, "two");
        bonds.advance(1_000 * MS);
        assertThat(end.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    void nobodyListensIsARejectionAtOnce() {
        connect("10.1.0.2");
        final CmEvent event = TwoBonds.next(bonds.a, CmEventType.REJECTED);
        assertThat(event.status()).isEqualTo(8);
        assertThat(bonds.a.linksOn(0)).isEmpty();
    }

    @Test
    void theApplicationsRejectionBringsItsData() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        final CmId child = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id();
        child.reject("no".getBytes(StandardCharsets.US_ASCII));
        bonds.settle();
        final CmEvent event = TwoBonds.next(bonds.a, CmEventType.REJECTED);
        assertThat(event.status()).isEqualTo(28);
        assertThat(event.privateData()).asString(StandardCharsets.US_ASCII).isEqualTo("no");
        child.close();
    }

    /** As {@link CmId#reject} says. */
    @Test
    void theLongestRejectionPassesAndOneByteMoreIsRefused() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        final CmId child = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id();
        assertThatThrownBy(() -> child.reject(new byte[121])).hasMessageContaining("121 bytes long");
        child.reject(new byte[120]);
        bonds.settle();
        assertThat(TwoBonds.next(bonds.a, CmEventType.REJECTED).privateData()).hasSize(120);
        child.close();
    }

    @Test
    void anApplicationThatClosesTheRequestRejectsIt() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id().close();
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.REJECTED);
    }

    @Test
    void aHostThatDoesNotAnswerIsUnreachableAfterRecoveryTimeout() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        connect("10.1.0.2");
        bonds.advance(29_000 * MS);
        assertThat(bonds.a.channel().getEvent(0)).isNull();
        bonds.advance(1_100 * MS);
        TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
        assertThat(end.recovery().attachment().physical()).isNull();
    }

    @Test
    void aPeerThatIsSilentForLongIsWaitedForOnTheOnlyPathToo() {
        bonds.closing(bonds.listen());
        bonds.a.device(1).port(false);
        bonds.fabric.lose(CmMessage.REQ);
        connect("10.1.0.2");
        bonds.advance(20_000 * MS);
        bonds.fabric.heal();
        bonds.advance(9_000 * MS);
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void anAcceptWithoutRoomForAQueuePairEndsWhenThePeerDoesNotAskAgain() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.b.device(0).refuseOnce("createQp");
        other.id().accept(ConnectParameters.of(NONE));
        bonds.advance(31_000 * MS);
        TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR);
        assertThat(other.recovery().attachment().link()).isNull();
    }

    @Test
    void withNoMemberUpItWaitsForOne() {
        bonds.closing(bonds.listen());
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        connect("10.1.0.2");
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.channel().getEvent(0)).isNull();
        bonds.a.device(0).port(true);
        bonds.settle();
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    /** It is told so, and another that waits for a member as well goes on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoseQueuePairIsDestroyedWhileItWaitsComesToNothing(final boolean isByTheId) {
        bonds.closing(bonds.listen());
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        final AppEnd gone = bonds.closing(new AppEnd(bonds.a));
        gone.on(bonds.routed("10.1.0.2"));
        gone.id().connect(ConnectParameters.of(NONE));
        connect("10.1.0.2");
        if (isByTheId) {
            gone.id().destroyQp();
        } else {
            gone.qp().close();
        }
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).id()).isSameAs(gone.id());
        bonds.a.device(0).port(true);
        bonds.settle();
        accept();
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).id()).isSameAs(end.id());
    }

    @Test
    void whoseQueuePairIsDestroyedWhileThePeerIsAskedComesToNothing() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        end.qp().close();
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isEqualTo(-Errno.EINVAL);
        accept();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.channel().getEvent(0)).isNull();
        assertThat(bonds.a.device(0).opened().queuePairs()).as("nothing is left").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = QpState.class, names = {"ERR", "RESET"})
    void whoseQueuePairIsTakenOutOfUseWhileThePeerIsAskedComesToNothing(final QpState state) {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        end.qp().modify(new QpAttributes().qpState(state));
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isEqualTo(-Errno.EINVAL);
        accept();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.channel().getEvent(0)).isNull();
        assertThat(end.qp().state()).isEqualTo(state);
    }

    @Test
    void anAcceptWhoseQueuePairIsMovedToErrorBeforeItStandsEndsAtBothEnds() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.RTU);
        connect("10.1.0.2");
        final CmId accepted = accept().id();
        final QueuePair qp = Objects.requireNonNull(accepted.qp());
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        qp.modify(new QpAttributes().qpState(QpState.ERR));
        assertThat(TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR).id()).isSameAs(accepted);
        bonds.advance(60_000 * MS);
        TwoBonds.next(bonds.a, CmEventType.DISCONNECTED);
        assertThat(bonds.b.channel().getEvent(0)).isNull();
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aQueuePairInErrorIsNeitherConnectedNorAccepted() {
        bonds.closing(bonds.listen());
        final AppEnd refused = bonds.closing(new AppEnd(bonds.a));
        refused.on(bonds.routed("10.1.0.2"));
        refused.qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThatThrownBy(() -> refused.id().connect(ConnectParameters.of(NONE)))
                .hasMessageContaining("(EINVAL): its queue pair is in ERR; destroy it and create another");
        connect("10.1.0.2");
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(request.id());
        other.qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThatThrownBy(() -> other.id().accept(ConnectParameters.of(NONE)))
                .hasMessageContaining("(EINVAL): its queue pair is in ERR; destroy it and create another");
        other.id().destroyQp();
        other.on(request.id());
        other.id().accept(ConnectParameters.of(NONE));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
    }

    /** A message that was too long for its receive came before the peer's word that the connection stands. */
    @Test
    void aReceiveThatFailsBeforeTheConnectionStandsIsTheEndOfIt() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.RTU);
        connect("10.1.0.2");
        final BondQueuePair qp = (BondQueuePair) Objects.requireNonNull(accept().id().qp());
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        qp.onOwnError();
        bonds.settle();
        TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    /** What is posted while it drains waits, and goes out when the application says so. */
    @Test
    void whoDrainsItsSendsBeforeTheConnectionStandsDrainsThemStill() {
        bonds.closing(bonds.listen());
        connect("10.1.0.2");
        final AppEnd there = bonds.closing(new AppEnd(bonds.b));
        there.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        there.id().accept(ConnectParameters.of(NONE));
        there.qp().modify(new QpAttributes().qpState(QpState.SQD));
        bonds.settle();
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        assertThat(there.qp().state()).isEqualTo(QpState.SQD);
        end.receives(1);
        there.send(1, "one");
        bonds.settle();
        assertThat(there.polled()).isEmpty();
        there.qp().modify(new QpAttributes().qpState(QpState.RTS));
        bonds.settle();
        assertThat(there.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void withNoMemberUpForTheRecoveryTimeoutItGivesUp() {
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        connect("10.1.0.2");
        bonds.advance(31_000 * MS);
        TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
    }

    private void routes(final boolean value) {
        bonds.a.device(0).routed(value);
        bonds.a.device(1).routed(value);
    }

    /** The links are down, so that each attempt fails at once, and nobody has heard of it. */
    @Test
    void whereAllPathsFailAtOnceTimePassesBetweenTheRounds() {
        bonds.closing(bonds.listen());
        routes(false);
        connect("10.1.0.2");
        assertThat(bonds.a.channel().getEvent(0)).as("not over yet").isNull();
        routes(true);
        bonds.advance(PATIENCE_NS / 4);
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    /** Four rounds fail at once, and all members go down in the last: that one is not the last one then. */
    @Test
    void whoWaitedForAMemberHasAllRoundsBeforeHim() {
        bonds.closing(bonds.listen());
        bonds.a.context().admin().set(List.of("miimon=60s"));
        bonds.settle();
        routes(false);
        connect("10.1.0.2");
        bonds.advance(PATIENCE_NS * (1 + 2 + 4) / 8);
        routes(true);
        bonds.fabric.lose(CmMessage.REQ);
        bonds.advance(PATIENCE_NS);
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.advance(2 * 16 * PATIENCE_NS);
        assertThat(bonds.a.channel().getEvent(0)).as("not over yet").isNull();
        bonds.fabric.heal();
        bonds.a.device(0).port(true);
        bonds.settle();
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void anIdThatIsClosedMeanwhileTriesNoMore() {
        bonds.fabric.lose(CmMessage.REQ);
        connect("10.1.0.2");
        end.close();
        bonds.advance(2_000 * MS);
        assertThat(bonds.a.linksOn(0)).isEmpty();
        assertThat(bonds.a.device(0).opened().queuePairs()).isEmpty();
    }

    @Test
    void somebodyWithoutABondIsRefused() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            raw.accept(raw.next(CmEventType.CONNECT_REQUEST), "plain".getBytes(StandardCharsets.US_ASCII));
            bonds.settle();
            TwoBonds.next(bonds.a, CmEventType.REJECTED);
            assertThat(end.recovery().attachment().physical()).isNull();
        }
    }

    @Test
    void aBondWithoutResourcesIsAskedOverAnotherPath() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            refuse(raw, RejectCode.NO_RESOURCES);
            bonds.advance(600 * MS);
            assertThat(bonds.a.channel().getEvent(0)).as("not over yet").isNull();
            raw.next(CmEventType.CONNECT_REQUEST).id().close();
        }
    }

    /** As a bond that was started anew, and is too busy to answer what is signed with its nonce then. */
    @Test
    void whoIsToldANonceIsAskedAgainOverEachPath() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            int told = 0;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 3; i++, told++) {
                    refuse(raw, RejectCode.CHALLENGE);
                }
                refuse(raw, RejectCode.NO_RESOURCES);
            }
            assertThat(bonds.a.channel().getEvent(0)).as("told %d times, and not over yet", told).isNull();
        }
    }

    /** Refuses the next request, which may come of a later round. */
    private void refuse(final RawPeer raw, final RejectCode code) {
        CmEvent request = raw.next();
        for (int i = 0; request == null && i < 100; i++) {
            bonds.advance(100 * MS);
            request = raw.next();
        }
        ((FakeCmId) Objects.requireNonNull(request, "no request came").id())
                .reject(new RejectRecord(code, SessionId.NONE, 0, NONE).encode());
        bonds.settle();
    }

    @Test
    void anAnswerThatTakesTooLongIsAskedForAgainWithMorePatience() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            raw.next(CmEventType.CONNECT_REQUEST);
            bonds.advance(1_100 * MS);
            assertThat(raw.next(CmEventType.REJECTED).status()).as("the first is cancelled").isNotEqualTo(28);
            raw.accept(
                    raw.next(CmEventType.CONNECT_REQUEST), Records.reply(new SessionId(1, 1), 0x40, 77));
            bonds.settle();
            TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
            assertThat(end.recovery().identity().peer().instance()).isEqualTo(77);
            assertThat(end.recovery().identity().peerQpNum()).isEqualTo(0x40);
        }
    }

    /** It takes that long to answer a REQ, and answers only the one that is still wanted then. */
    @Test
    void aPeerThatIsSlowerThanThePathTimeoutIsWaitedForInTheNextRound() {
        final long slowNs = bonds.a.verbs().core().config().pathTimeoutNs() * 3 / 2;
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            CmEvent asked = null;
            long answerNs = 0;
            int asks = 0;
            while (asked == null || bonds.nowNs() - answerNs < 0) {
                for (CmEvent event = raw.next(); event != null; event = raw.next()) {
                    final boolean isRequest = event.type() == CmEventType.CONNECT_REQUEST;
                    asked = isRequest ? event : null;
                    answerNs = bonds.nowNs() + slowNs;
                    asks += isRequest ? 1 : 0;
                }
                bonds.advance(10 * MS);
                assertThat(bonds.a.channel().getEvent(0)).as("given up after %d REQs", asks).isNull();
            }
            assertThat(asks).isEqualTo(2);
            raw.accept(asked, Records.reply(new SessionId(1, 1), 0x40, 77));
            bonds.settle();
            TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        }
    }

    /** It could keep this end asking for good, at once each time. */
    @Test
    void whoIsToldANonceAgainAndAgainIsRefusedInTheEnd() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.listen(TwoBonds.LISTEN_PORT);
            connect("10.1.0.99");
            for (int told = 0; told < 6; told++) {
                assertThat(bonds.a.channel().getEvent(0)).as("told %d times", told).isNull();
                refuse(raw, RejectCode.CHALLENGE);
            }
            TwoBonds.next(bonds.a, CmEventType.REJECTED);
            assertThat(raw.next()).isNull();
        }
    }
}
