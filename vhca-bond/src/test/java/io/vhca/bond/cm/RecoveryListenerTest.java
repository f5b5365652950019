package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever may arrive at a bond's recovery port. */
class RecoveryListenerTest {
    private static final SessionId STRANGE = new SessionId(0x1234, 0x5678);
    private final TwoBonds bonds = new TwoBonds();
    private final RawPeer raw = new RawPeer(bonds, "10.1.0.99");
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
        raw.close();
        bonds.close();
    }

    private void ask(final byte[] data) {
        raw.ask("10.1.0.2", bonds.b.verbs().core().config().basePort(), data);
        bonds.settle();
    }

    private SessionId session() {
        return passive.recovery().identity().session();
    }

    private byte[] recover(final RecordType type, final SessionId session, final int target) {
        return Records.session(type, session, passive.recovery().identity().peerQpNum(), target, 1);
    }

    private void assertUntouched() {
        assertThat(passive.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        passive.receives(1);
        active.send(1, "one");
        bonds.settle();
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aProbeIsAnsweredAndCounted() {
        final long before = bonds.b.count(Counter.REQ_QUESTION);
        ask(Records.header(RecordType.PROBE, STRANGE, 0));
        assertThat(raw.rejection()).isEqualTo(RejectCode.PROBE_ACK);
        assertThat(bonds.b.count(Counter.REQ_QUESTION)).isEqualTo(before + 1);
        assertUntouched();
    }

    @Test
    void aProbeOfADrainedMemberIsToldSo() {
        bonds.b.context().admin().drain("b0");
        ask(Records.header(RecordType.PROBE, STRANGE, 0));
        assertThat(raw.rejection()).isEqualTo(RejectCode.DRAINED);
    }

    /** It would take an answer with a code that it does not know for no word of a bond, and the path for dead. */
    @Test
    void aBondOfTheFirstVersionIsToldNothingOfDrainedMembers() {
        bonds.b.context().admin().drain("b0");
        ask(Agreement.write(Records.header(RecordType.PROBE, STRANGE, 0), Agreement.LEAST.version()));
        assertThat(raw.rejection()).isEqualTo(RejectCode.PROBE_ACK);
    }

    /** How many bytes the answers to probes have told to an address. */
    private List<Integer> echoesTold(final InetAddress address) {
        return bonds.fabric.heard().stream()
                .filter(one -> one.kind() == CmMessage.REJ && one.to().equals(address))
                .map(one -> Objects.requireNonNull(RejectRecord.read(one.data())).applicationData().length)
                .toList();
    }

    /** Handles for addresses cost a look-up each, for which the bond's thread may have to wait. */
    @Test
    void aStrangersProbeIsNotToldWhereEchoesGoAndAPeersIs() {
        ask(Records.header(RecordType.PROBE, STRANGE, 0));
        assertThat(echoesTold(InetAddress.ofLiteral("10.1.0.99"))).containsExactly(0);
        bonds.advance(2_000 * MS);
        assertThat(echoesTold(bonds.a.device(0).address())).contains(Integer.BYTES);
    }

    @Test
    void aForgedSessionIsRefusedAndCounted() {
        ask(recover(RecordType.RECOVER, STRANGE, passive.qp().qpNum()));
        assertThat(raw.rejection()).isEqualTo(RejectCode.BAD_SESSION);
        assertThat(bonds.b.count(Counter.REQ_FORGED)).isEqualTo(1);
        assertUntouched();
    }

    @Test
    void anUnknownQueuePairIsRefusedAndCounted() {
        ask(recover(RecordType.RECOVER, STRANGE, passive.qp().qpNum() + 100));
        assertThat(raw.rejection()).isEqualTo(RejectCode.UNKNOWN_SESSION);
        assertThat(bonds.b.count(Counter.REQ_UNKNOWN_SESSION)).isEqualTo(1);
        assertUntouched();
    }

    @Test
    void aNumberOfAnotherSlotIsNotTheQueuePairOfThatIndex() {
        ask(recover(RecordType.RECOVER, session(), passive.qp().qpNum() | 1 << 20));
        assertThat(raw.rejection()).isEqualTo(RejectCode.UNKNOWN_SESSION);
        assertUntouched();
    }

    @Test
    void aSessionThatIsOverIsAnsweredHowItEndedAndACloseOfItAcknowledged() {
        final SessionId session = session();
        final int qpNum = passive.qp().qpNum();
        active.id().disconnect();
        bonds.settle();
        passive.close();
        bonds.settle();
        ask(recover(RecordType.RECOVER, session, qpNum));
        assertThat(raw.rejection()).isEqualTo(RejectCode.CLOSED);
        ask(recover(RecordType.CLOSE, session, qpNum));
        assertThat(raw.rejection()).isEqualTo(RejectCode.CLOSED_ACK);
    }

    @Test
    void anotherSenderThanThePeersQueuePairIsRefused() {
        ask(Records.session(RecordType.RECOVER, session(), 0x777, passive.qp().qpNum(), 1));
        assertThat(raw.rejection()).isEqualTo(RejectCode.BAD_SESSION);
        assertUntouched();
    }

    @Test
    void aStaleEpochIsRefused() {
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        bonds.a.device(0).port(true);
        bonds.advance(100 * MS);
        name("10.1.0.1", "10.2.0.1", "10.1.0.99");
        ask(Records.session(
                RecordType.RECOVER, session(), passive.recovery().identity().peerQpNum(), passive.qp().qpNum(), 0));
        assertThat(raw.rejection()).isEqualTo(RejectCode.STALE_EPOCH);
        assertUntouched();
    }

    @Test
    void aRecordOutOfBandForNobodyIsRefused() {
        ask(Records.session(RecordType.OOB, STRANGE, 5, passive.qp().qpNum() + 100, 1));
        assertThat(raw.rejection()).isEqualTo(RejectCode.UNKNOWN_SESSION);
        ask(Records.session(RecordType.OOB, STRANGE, 5, passive.qp().qpNum(), 1));
        assertThat(raw.rejection()).isEqualTo(RejectCode.UNKNOWN_SESSION);
        assertThat(bonds.b.count(Counter.REQ_UNKNOWN_SESSION)).isEqualTo(2);
        assertUntouched();
    }

    @Test
    void aFirstConnectBelongsToTheApplicationsPort() {
        ask(Records.header(RecordType.FIRST, STRANGE, 5));
        assertThat(raw.rejection()).isEqualTo(RejectCode.GARBAGE);
        assertThat(bonds.b.count(Counter.REQ_GARBAGE)).isEqualTo(1);
        assertUntouched();
    }

    @Test
    void aReplyOrARejectIsNoRequest() {
        ask(Records.reply(STRANGE, 5, 6));
        assertThat(raw.rejection()).isEqualTo(RejectCode.GARBAGE);
        ask(new RejectRecord(RejectCode.CLOSED, STRANGE, 0).encode());
        assertThat(raw.rejection()).isEqualTo(RejectCode.GARBAGE);
    }

    @Test
    void anotherVersionIsSaidToBeThat() {
        final byte[] data = recover(RecordType.RECOVER, session(), passive.qp().qpNum());
        data[PrefixDescriptor.VERSION_OFFSET] = 0;
        ask(data);
        assertThat(raw.rejection()).isEqualTo(RejectCode.BAD_VERSION);
        assertThat(bonds.b.count(Counter.REQ_BAD_VERSION)).isEqualTo(1);
        data[PrefixDescriptor.VERSION_OFFSET] = PrefixDescriptor.VERSION + 1;
        data[PrefixDescriptor.TYPE_OFFSET] = 99;
        ask(data);
        assertThat(raw.rejection()).as("what only a newer version knows").isEqualTo(RejectCode.BAD_VERSION);
        assertThat(bonds.b.count(Counter.REQ_BAD_VERSION)).isEqualTo(2);
        assertUntouched();
    }

    @Test
    void garbageOfAnyLengthIsRefusedAndDoesNoHarm() {
        final SplittableRandom random = new SplittableRandom(3);
        final List<byte[]> valid = List.of(
                recover(RecordType.RECOVER, session(), passive.qp().qpNum()),
                Records.header(RecordType.PROBE, STRANGE, 0),
                Records.reply(STRANGE, 1, 2));
        int refused = 0;
        for (int round = 0; round < 200; round++) {
            final byte[] from = valid.get(round % valid.size());
            final byte[] data = Arrays.copyOf(from, random.nextInt(from.length));
            ask(data);
            for (CmEvent event = raw.next(); event != null; event = raw.next()) {
                assertThat(event.type()).isEqualTo(CmEventType.REJECTED);
                refused++;
            }
        }
        assertThat(refused).isEqualTo(200);
        assertUntouched();
        assertThat(bonds.b.linksOn(0))
                .as("two connections are left: the application's and the bonds' own").hasSize(2);
    }

    /** The peer's bond says that it has a member where the raw peer is, too. */
    private void name(final String... addresses) {
        final List<MemberAddress> list = new ArrayList<>();
        for (final String address : addresses) {
            list.add(new MemberAddress(list.size(), InetAddress.ofLiteral(address).getAddress()));
        }
        bonds.b.locked(() -> passive.recovery().identity().peer().told(list));
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "CLOSE"})
    void whoShowsTheSessionFromWhereNoMemberOfThePeerIsIsRefused(final RecordType type) {
        bonds.fabric.stop(true);
        assertThat(passive.qp().own().isProbing()).isFalse();
        ask(recover(type, session(), passive.qp().qpNum()));
        assertThat(passive.qp().own().isProbing()).as("its path may be dead").isTrue();
        bonds.fabric.stop(false);
        assertThat(raw.rejection()).isEqualTo(RejectCode.NO_RESOURCES);
        assertThat(bonds.b.count(Counter.REQ_NOT_NAMED)).isEqualTo(1);
        assertThat(passive.recovery().identity().peer().members()).hasSize(2);
        assertThat(passive.recovery().paths().addresses()).doesNotContain(InetAddress.ofLiteral("10.1.0.99"));
        assertUntouched();
        assertThat(passive.cmEvents()).isEmpty();
    }

    @Test
    void withoutAPathTheSessionAloneCountsForThisQueuePairAndNoOther() {
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        bonds.fabric.cut(bonds.b.device(0), bonds.a.device(0));
        bonds.settle();
        bonds.b.device(0).port(true);
        ask(recover(RecordType.RECOVER, session(), passive.qp().qpNum()));
        assertThat(bonds.b.count(Counter.REQ_NOT_NAMED)).isZero();
        assertThat(passive.recovery().paths().addresses()).contains(InetAddress.ofLiteral("10.1.0.99"));
        assertThat(passive.recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .doesNotContain(InetAddress.ofLiteral("10.1.0.99"));
    }

    @Test
    void aMemberThatCameWhileNoPathWasLeftIsFoundAllTheSame() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.spare("a2", "10.1.0.77");
        bonds.a.context().admin().add("a2");
        passive.receives(1);
        active.send(1, "one");
        for (int i = 0; i < 400 && bonds.a.context().failovers().size() < 2; i++) { // of two queue pairs
            bonds.fabric.expire();
            bonds.advance(50 * MS);
        }
        assertThat(active.recovery().attachment().describe()).isEqualTo("a2 -> 10.1.0.2");
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aControlRequestOfAStrangerGetsNothingAndMakesNothing() {
        final int before = bonds.b.device(0).opened().queuePairs().size();
        for (final long instance : new long[] {STRANGE.hi(), session().hi()}) {
            ask(Records.header(RecordType.CONTROL, new SessionId(instance, 5), 0x30));
            assertThat(raw.rejection()).isEqualTo(RejectCode.NO_RESOURCES);
        }
        assertThat(bonds.b.count(Counter.REQ_STRANGER)).isEqualTo(2);
        assertThat(bonds.b.device(0).opened().queuePairs()).hasSize(before);
        assertUntouched();
    }

    @Test
    void aPeerHasAFewConnectionsOfTheBondsOwnAndNoneTwice() {
        name("10.1.0.1", "10.2.0.1", "10.1.0.99");
        int established = 0;
        for (int i = 0; i < 20; i++) {
            ask(Records.header(RecordType.CONTROL, new SessionId(session().hi(), i), 0x30 + i));
            for (CmEvent event = raw.next(); event != null; event = raw.next()) {
                established += event.type() == CmEventType.ESTABLISHED ? 1 : 0;
            }
        }
        assertThat(established).isEqualTo(7);
        assertThat(bonds.b.count(Counter.REQ_REPEATED)).isEqualTo(13);
        ask(Records.header(RecordType.CONTROL, new SessionId(session().hi(), 0), 0x30));
        assertThat(raw.rejection()).as("one that was seen before").isEqualTo(RejectCode.NO_RESOURCES);
        assertUntouched();
    }

    @Test
    void aRequestToCloseThatShowsTheSessionClosesIt() {
        name("10.1.0.1", "10.2.0.1", "10.1.0.99");
        ask(recover(RecordType.CLOSE, session(), passive.qp().qpNum()));
        assertThat(raw.rejection()).isEqualTo(RejectCode.CLOSED_ACK);
        assertThat(passive.recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    private enum Failure {
        ACCESS_ERROR, MOVED_TO_ERROR, NO_PATH
    }

    /** The first end stays, whatever becomes of the queue pair then. */
    @ParameterizedTest
    @EnumSource
    void aSessionThatFailedIsAnsweredSoThoughItsQueuePairIsDestroyedByThen(final Failure how) {
        final SessionId session = session();
        final int qpNum = passive.qp().qpNum();
        final byte[] request = recover(RecordType.RECOVER, session, qpNum);
        switch (how) {
            case ACCESS_ERROR -> passive.physical().say(AsyncEventType.QP_ACCESS_ERR);
            case MOVED_TO_ERROR -> passive.qp().modify(new QpAttributes().qpState(QpState.ERR));
            case NO_PATH -> {
                bonds.b.device(0).port(false);
                bonds.b.device(1).port(false);
                bonds.advance(31_000 * MS);
                bonds.b.device(0).port(true);
            }
        }
        bonds.settle();
        assertThat(passive.qp().state()).isEqualTo(QpState.ERR);
        passive.close();
        bonds.settle();
        ask(request);
        assertThat(raw.rejection()).isEqualTo(RejectCode.FAILED);
    }
}
