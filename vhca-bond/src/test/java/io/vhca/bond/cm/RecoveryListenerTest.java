package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    void aProbeIsAnswered() {
        ask(Records.header(RecordType.PROBE, STRANGE, 0));
        assertThat(raw.rejection()).isEqualTo(RejectCode.PROBE_ACK);
        assertUntouched();
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
        data[PrefixDescriptor.VERSION_OFFSET]++;
        ask(data);
        assertThat(raw.rejection()).isEqualTo(RejectCode.BAD_VERSION);
        assertThat(bonds.b.count(Counter.REQ_BAD_VERSION)).isEqualTo(1);
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

    @Test
    void aRequestToCloseThatShowsTheSessionClosesIt() {
        ask(recover(RecordType.CLOSE, session(), passive.qp().qpNum()));
        assertThat(raw.rejection()).isEqualTo(RejectCode.CLOSED_ACK);
        assertThat(passive.recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(passive.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }
}
