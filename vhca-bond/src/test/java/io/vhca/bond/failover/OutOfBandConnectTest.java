package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queue pairs that modifyQp alone brings up. */
class OutOfBandConnectTest {
    private final TwoBonds bonds = new TwoBonds();
    private final AppEnd one = new AppEnd(bonds.a);
    private final AppEnd two = new AppEnd(bonds.b);

    @BeforeEach
    void create() {
        bonds.closing(one);
        bonds.closing(two);
        one.alone();
        two.alone();
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void bothToRtr() {
        one.toInit();
        two.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 22);
        two.toRtr("10.1.0.1", one.qp().qpNum(), 11);
    }

    private void assertCarries() {
        two.receives(1);
        one.send(1, "one");
        bonds.settle();
        assertThat(one.polled()).as("%s%s", bonds.a.journal(), bonds.b.journal()).containsExactly("1 SUCCESS");
        assertThat(two.polled()).containsExactly("0 SUCCESS");
    }

    @Test
    void whoReachesRtsAsksAndTheOtherInRtrIsTold() {
        bothToRtr();
        bonds.settle();
        assertThat(one.recovery().attachment().physical()).as("nobody asks in RTR").isNull();
        one.toRts(11, 7);
        bonds.settle();
        assertThat(bonds.b.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.COMM_EST);
        two.toRts(22, 7);
        bonds.settle();
        assertCarries();
        assertThat(one.recovery().identity().side()).isZero();
        assertThat(two.recovery().identity().side()).isEqualTo(1);
        assertThat(two.recovery().identity().session()).isEqualTo(one.recovery().identity().session());
    }

    @Test
    void bothAtOnceAgreeOnTheStrongerSession() {
        bothToRtr();
        one.toRts(11, 7);
        two.toRts(22, 7);
        bonds.advance(1_000 * MS);
        assertCarries();
        assertThat(two.recovery().identity().session()).isEqualTo(one.recovery().identity().session());
    }

    @Test
    void whoAsksFirstIsRefusedUntilThePeerIsInRtr() {
        one.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 22);
        one.toRts(11, 7);
        bonds.advance(20 * MS);
        assertThat(one.recovery().machine().state()).isEqualTo(RecoveryState.WAITING);
        assertThat(bonds.b.count(Counter.REQ_UNKNOWN_SESSION)).isPositive();
        two.toInit();
        two.toRtr("10.1.0.1", one.qp().qpNum(), 11);
        two.toRts(22, 7);
        bonds.advance(5_000 * MS);
        assertCarries();
    }

    @Test
    void anotherFirstPsnThanTheOneToldIsAnotherQueuePair() {
        one.toInit();
        two.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 22);
        two.toRtr("10.1.0.1", one.qp().qpNum(), 99);
        one.toRts(11, 7);
        bonds.advance(100 * MS);
        assertThat(two.recovery().attachment().physical()).isNull();
        assertThat(bonds.b.count(Counter.REQ_UNKNOWN_SESSION)).isPositive();
    }

    @Test
    void whoShowsAllThatWasToldFromAnotherAddressIsNotThePeer() {
        bothToRtr();
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.ask(
                    "10.1.0.2", bonds.b.verbs().core().config().basePort(),
                    Records.session(
                            RecordType.OOB, new SessionId(0x99, 11), one.qp().qpNum(), two.qp().qpNum(), 1));
            bonds.settle();
            assertThat(raw.rejection()).isEqualTo(RejectCode.NO_RESOURCES);
        }
        assertThat(bonds.b.count(Counter.REQ_NOT_NAMED)).isEqualTo(1);
        assertThat(two.recovery().attachment().physical()).isNull();
        one.toRts(11, 7);
        two.toRts(22, 7);
        bonds.advance(1_000 * MS);
        assertCarries();
    }

    /** Its own REQ was late, and came to the peer after the peer's was taken here: each has the other's session. */
    @Test
    void whoTookThePeersSessionAndIsAskedWithItsOwnGoesBackToIt() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            askedByOne(raw);
            final SessionId made = one.recovery().identity().session();
            raw.next(CmEventType.CONNECT_REQUEST);
            bonds.fabric.lose(CmMessage.REP);
            askInLife(raw, 0, one);
            assertThat(one.recovery().identity().session()).isEqualTo(new SessionId(0, 22));
            assertThat(typesOf(raw)).containsExactly(CmEventType.REJECTED);
            bonds.fabric.heal();
            raw.ask("10.1.0.1", port(), Records.session(RecordType.OOB, made, 77, one.qp().qpNum(), 1));
            bonds.settle();
            assertThat(typesOf(raw)).contains(CmEventType.ESTABLISHED);
            assertThat(one.recovery().identity().session()).isEqualTo(made);
            assertThat(one.recovery().identity().side()).isZero();
        }
    }

    /** Neither marks nor atomics consume a receive; what is remembered of them is of this peer's sequences alone. */
    @Test
    void aPeerThatLivesAnewIsRefusedOnceItWroteAMarkOrHadAnAtomicExecuted() {
        final List<Consumer<BondQueuePair>> traces = List.of(
                qp -> {},
                qp -> NativeMemory.putLong(
                        Objects.requireNonNull(qp.ledger().word()).address(), Long.reverseBytes(2)),
                qp -> qp.atomics().remember(0, WcStatus.SUCCESS.code(), 5));
        final List<CmEventType> answers = new ArrayList<>();
        bonds.fabric.lose(CmMessage.RTU);
        for (final Consumer<BondQueuePair> trace : traces) {
            final AppEnd end = new AppEnd(bonds.a);
            bonds.closing(end);
            end.alone();
            end.toInit();
            try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
                end.toRtr("10.1.0.99", 77, 22);
                askInLife(raw, 1, end);
                assertThat(typesOf(raw)).containsExactly(CmEventType.ESTABLISHED);
                bonds.a.locked(() -> trace.accept(end.qp()));
                askInLife(raw, 2, end);
                answers.addAll(typesOf(raw));
            }
        }
        assertThat(answers).containsExactly(CmEventType.ESTABLISHED, CmEventType.REJECTED, CmEventType.REJECTED);
    }

    private int port() {
        return bonds.a.verbs().core().config().basePort();
    }

    /** The peer listens, and has the REQ of the session that this side has made. */
    private void askedByOne(final RawPeer raw) {
        raw.listen(port());
        one.toInit();
        one.toRtr("10.1.0.99", 77, 22);
        one.toRts(11, 7);
        bonds.settle();
    }

    private void askInLife(final RawPeer raw, final int life, final AppEnd end) {
        raw.ask(
                "10.1.0.1", port(),
                Records.session(RecordType.OOB, new SessionId(life, 22), 77, end.qp().qpNum(), 1));
        bonds.settle();
    }

    /** What it has heard since. */
    private static List<CmEventType> typesOf(final RawPeer raw) {
        final List<CmEventType> types = new ArrayList<>();
        for (CmEvent event = raw.next(); event != null; event = raw.next()) {
            types.add(event.type());
        }
        return types;
    }

    @Test
    void itRecoversLikeAnyOther() {
        bothToRtr();
        one.toRts(11, 7);
        two.toRts(22, 7);
        bonds.advance(1_000 * MS);
        assertCarries();
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertThat(one.recovery().attachment().describe()).isEqualTo("a1 -> 10.2.0.2");
        assertCarries();
    }

    @Test
    void aPeerThatIsNotThereIsWaitedForAsLongAsNothingIsPosted() {
        one.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 22);
        one.toRts(11, 7);
        bonds.b.device(0).portSilently(false);
        bonds.advance(65_000 * MS);
        assertThat(one.qp().state()).isEqualTo(QpState.RTS);
        one.send(1, "one");
        bonds.advance(65_000 * MS);
        assertThat(one.qp().state()).isEqualTo(QpState.ERR);
        assertThat(one.polled()).containsExactly("1 RETRY_EXC_ERR");
    }

    @Test
    void anRnrRetryToldAfterThePeerHasAskedTakesAnotherPhysicalQueuePair() {
        bothToRtr();
        one.toRts(11, 7);
        bonds.settle();
        final int before = two.physical().qpNum();
        two.toRts(22, 3);
        bonds.advance(1_000 * MS);
        assertThat(two.physical().qpNum()).isNotEqualTo(before);
        assertCarries();
    }

    @Test
    void afterResetAnotherLifeBegins() {
        bothToRtr();
        one.toRts(11, 7);
        two.toRts(22, 7);
        bonds.advance(1_000 * MS);
        assertCarries();
        one.qp().modify(new QpAttributes().qpState(QpState.RESET));
        two.qp().modify(new QpAttributes().qpState(QpState.RESET));
        bonds.advance(100 * MS);
        assertThat(one.recovery().machineOrNull()).isNull();
        one.toInit();
        two.toInit();
        one.toRtr("10.1.0.2", two.qp().qpNum(), 222);
        two.toRtr("10.1.0.1", one.qp().qpNum(), 111);
        two.toRts(222, 7);
        one.toRts(111, 7);
        bonds.advance(5_000 * MS);
        assertCarries();
    }

    @Test
    void onlyTheSideWhoseSessionItIsPlacesIt() {
        bothToRtr();
        one.toRts(11, 7);
        two.toRts(22, 7);
        bonds.advance(1_000 * MS);
        final int side = one.recovery().identity().side();
        assertThat((side == 0 ? one : two).recovery().paths().place()).isZero();
        assertThat((side == 0 ? two : one).recovery().paths().place()).isEqualTo(PathPreference.PEERS);
    }

    /** It placed nothing: its own session did not come to stand. */
    @Test
    void whoTakesThePeersSessionFollows() {
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            askedByOne(raw);
            askInLife(raw, 0, one);
            assertThat(one.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
            assertThat(one.recovery().identity().side()).isEqualTo(1);
            assertThat(one.recovery().paths().place()).isEqualTo(PathPreference.PEERS);
        }
    }

    @Test
    void aQueuePairThatIsItsOwnPeerIsRefused() {
        one.toInit();
        assertThatThrownBy(() -> one.toRtr("10.1.0.1", one.qp().qpNum(), 22))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThat(one.qp().state()).isEqualTo(QpState.INIT);
    }
}
