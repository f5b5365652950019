package io.vhca.bond.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.SessionId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long an accept waits for a peer that may ask again. */
class PendingAcceptsTest {
    private static final SessionId SESSION = new SessionId(0x1234, 0x5678);
    private static final int PEERS_QP = 0x40;
    private static final int PORT = 7_471;
    private final TwoBonds bonds = new TwoBonds();
    private final RawPeer raw = new RawPeer(bonds, "10.1.0.99");
    private final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
    private final long patienceNs = bonds.b.verbs().core().config().recoveryTimeoutNs();

    @AfterEach
    void close() {
        raw.close();
        bonds.close();
    }

    private FakeCmId ask(final int port, final byte[] data) {
        final FakeCmId id = raw.ask("10.1.0.2", port, data);
        bonds.settle();
        return id;
    }

    private FakeCmId askFirst() {
        return ask(PORT, Records.header(RecordType.FIRST, SESSION, PEERS_QP));
    }

    /** The peer asks, is accepted, does not hear of it, and gives that path up. */
    private void acceptAndFail() {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.REP);
        final FakeCmId first = askFirst();
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        first.close();
    }

    /** The peer is established by its second try, of which its word is lost; then that path fails too. */
    @Test
    void anAcceptThatFailsTwiceHasAllOfTheTimeAfterTheSecondFailure() {
        acceptAndFail();
        bonds.advance(patienceNs / 10);
        bonds.fabric.heal();
        bonds.fabric.lose(CmMessage.RTU);
        final FakeCmId second = askFirst();
        raw.next(CmEventType.ESTABLISHED);
        bonds.advance(patienceNs * 8 / 10);
        second.close();
        bonds.advance(patienceNs * 2 / 10);
        assertThat(bonds.b.channel().getEvent(0)).as("it waits").isNull();
        assertRecovers();
    }

    @Test
    void oneThatNobodyAsksForAgainEndsWhenItsTimeIsOver() {
        acceptAndFail();
        bonds.advance(patienceNs - TwoBonds.MS);
        assertThat(bonds.b.channel().getEvent(0)).isNull();
        bonds.advance(2 * TwoBonds.MS);
        TwoBonds.next(bonds.b, CmEventType.REJECTED);
    }

    /** The time of the first path that failed is over while the second one is established. */
    @Test
    void anAcceptThatIsWaitedForOverAnotherPathDoesNotEndInTheTimeOfTheFirst() {
        acceptAndFail();
        bonds.advance(patienceNs / 2);
        bonds.fabric.heal();
        bonds.fabric.lose(CmMessage.RTU);
        askFirst();
        raw.next(CmEventType.ESTABLISHED);
        bonds.advance(patienceNs * 6 / 10);
        assertThat(bonds.b.channel().getEvent(0)).as("it waits").isNull();
        assertRecovers();
    }

    /** The peer was established, as it says. */
    private void assertRecovers() {
        ask(bonds.b.verbs().core().config().basePort(),
                Records.session(RecordType.RECOVER, SESSION, PEERS_QP, passive.qp().qpNum(), 1));
        raw.next(CmEventType.ESTABLISHED);
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
    }
}
