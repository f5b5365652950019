package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A link that came to nothing: an application may post receives while its queue pair is destroyed. */
class DiscardedLinkTest {
    private static final InetAddress ALIAS = InetAddress.ofLiteral("10.9.0.9");
    private static final int PORT = 7_471;
    private final TwoBonds bonds = new TwoBonds(options -> options
            .set(BondOption.PATH_TIMEOUT, 500 * MS)
            .unprotected(Unprotected.ALLOW)
            .peers(Map.of(ALIAS, List.of(InetAddress.ofLiteral("10.1.0.2"), InetAddress.ofLiteral("10.2.0.2")))));
    private final AppEnd active = bonds.closing(new AppEnd(bonds.a));
    private final AppEnd passive = bonds.closing(new AppEnd(bonds.b));

    @AfterEach
    void close() {
        bonds.close();
    }

    /** A receive that is posted while the queue pair under an end is destroyed. */
    private static final class Posting {
        private final FakeQp under;
        private int taken;

        Posting(final AppEnd end) {
            under = end.physical();
            under.onClose(() -> {
                end.receive(1);
                taken = under.waitingReceives();
            });
        }

        void assertThatNothingCame() {
            assertThat(under.isClosed()).isTrue();
            assertThat(taken).as("receives that were given to what is destroyed").isZero();
        }
    }

    private void connect() {
        bonds.closing(bonds.listen());
        active.on(bonds.routed("10.9.0.9"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
    }

    private void accept() {
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
    }

    /** It asks and is answered; that it has the answer is lost. */
    private Posting unconfirmed(final RawPeer plain) {
        bonds.closing(bonds.listen());
        bonds.fabric.lose(CmMessage.RTU);
        plain.ask("10.1.0.2", PORT, "plain".getBytes(StandardCharsets.US_ASCII));
        bonds.settle();
        accept();
        return new Posting(passive);
    }

    @Test
    void thatOfAPathWithoutAnAnswerIsLetGoOfFirst() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        connect();
        final Posting posting = new Posting(active);
        bonds.advance(600 * MS);
        posting.assertThatNothingCame();
        accept();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void thatOfAnAnswerThatWasLostIsLetGoOfWhenThePeerAsksAgain() {
        bonds.fabric.lose(CmMessage.REP);
        connect();
        accept();
        final Posting posting = new Posting(passive);
        bonds.fabric.heal();
        bonds.advance(2_000 * MS);
        posting.assertThatNothingCame();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void thatOfAnAnswerThatNobodyWantsAnyMoreIsLetGoOfFirst() {
        bonds.fabric.lose(CmMessage.REP);
        connect();
        accept();
        final Posting posting = new Posting(passive);
        active.close();
        bonds.advance(31_000 * MS);
        TwoBonds.next(bonds.b, CmEventType.REJECTED);
        posting.assertThatNothingCame();
        assertThat(passive.recovery().attachment().link()).isNull();
    }

    @Test
    void thatOfAnIdThatIsClosedWhileItConnectsIsLetGoOfFirst() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        connect();
        final Posting posting = new Posting(active);
        active.id().close();
        posting.assertThatNothingCame();
    }

    @Test
    void thatOfAnIdThatIsClosedBeforeItsAnswerIsConfirmedIsLetGoOfFirst() {
        bonds.fabric.lose(CmMessage.RTU);
        connect();
        accept();
        final Posting posting = new Posting(passive);
        passive.id().close();
        posting.assertThatNothingCame();
    }

    @Test
    void thatOfAnIdOfAPlainPeerThatIsClosedBeforeItsAnswerIsConfirmedIsLetGoOfFirst() {
        try (RawPeer plain = new RawPeer(bonds, "10.1.0.99")) {
            final Posting posting = unconfirmed(plain);
            passive.id().close();
            posting.assertThatNothingCame();
        }
    }

    @Test
    void thatOfAnAnswerThatAPlainPeerDoesNotConfirmIsLetGoOfFirst() {
        try (RawPeer plain = new RawPeer(bonds, "10.1.0.99")) {
            final Posting posting = unconfirmed(plain);
            bonds.advance(31_000 * MS);
            TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR);
            posting.assertThatNothingCame();
        }
    }
}
