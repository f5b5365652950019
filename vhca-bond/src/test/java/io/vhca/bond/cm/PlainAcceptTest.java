package io.vhca.bond.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.QpState;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.TwoBonds;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An accept of a peer without the bond that ends before it is known to stand: the peer hears of it, and the application
 * if it asks, of what was received before too.
 */
class PlainAcceptTest {
    private static final int PORT = 7_471;

    private final TwoBonds bonds = new TwoBonds(options -> options.unprotected(Unprotected.ALLOW));
    private final RawPeer plain = bonds.closing(new RawPeer(bonds, "10.1.0.99"));
    private final AppEnd end = bonds.closing(new AppEnd(bonds.b));
    private @Nullable FakeCmId asking;

    @BeforeEach
    void request() {
        bonds.closing(bonds.listen());
        asking = plain.ask("10.1.0.2", PORT, "hello".getBytes(StandardCharsets.US_ASCII));
        bonds.settle();
        end.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void withoutRoomForAQueuePairItFailsAndThePeerIsRefused() {
        bonds.b.device(0).refuseOnce("createQp");
        end.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        assertThat(TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR).status()).isEqualTo(-Errno.ENOMEM);
        assertThat(plain.next(CmEventType.REJECTED).privateData()).isEmpty();
        assertThat(end.recovery().attachment().link()).isNull();
    }

    @Test
    void whoClosesTheIdBeforeItWasSentHearsNothingMore() {
        end.id().accept(ConnectParameters.of(new byte[0]));
        end.id().close();
        bonds.settle();
        assertThat(plain.next(CmEventType.REJECTED).privateData()).isEmpty();
        assertThat(bonds.b.channel().getEvent(0)).isNull();
    }

    /** The peer's word that it is connected is lost; what it sends is not. */
    private void receivesOne() {
        end.receives(2);
        bonds.fabric.lose(CmMessage.RTU);
        end.id().accept(ConnectParameters.of(new byte[0]));
        end.send(7, "waits");
        bonds.settle();
        plain.next(CmEventType.ESTABLISHED);
        end.physical().inject("one".getBytes(StandardCharsets.US_ASCII));
    }

    private void assertHasReceivedOne() {
        assertThat(bonds.polled(end)).contains("0 SUCCESS", "1 WR_FLUSH_ERR").hasSize(3);
        assertThat(end.text(0, 3)).isEqualTo("one");
        assertThat(end.cmEvents()).containsExactly(CmEventType.ESTABLISHED, CmEventType.DISCONNECTED);
        assertThat(end.qp().state()).isEqualTo(QpState.ERR);
    }

    @Test
    void whatHasArrivedCountsThoughThePeerHasDisconnectedSince() {
        receivesOne();
        Objects.requireNonNull(asking).disconnect();
        bonds.settle();
        assertHasReceivedOne();
        assertThat(bonds.b.count(Counter.UNPROTECTED_LOST)).isZero();
    }

    @Test
    void whatHasArrivedCountsThoughThePeersWordNeverComes() {
        receivesOne();
        bonds.advance(bonds.b.verbs().core().config().recoveryTimeoutNs() + TwoBonds.MS);
        assertHasReceivedOne();
    }

    @Test
    void whatHasArrivedCountsThoughTheDeviceDiesThen() {
        receivesOne();
        bonds.b.device(0).die();
        bonds.settle();
        assertHasReceivedOne();
        assertThat(bonds.b.count(Counter.UNPROTECTED_LOST)).isEqualTo(1);
    }

    @Test
    void whereNothingHasArrivedItFails() {
        end.receives(1);
        bonds.fabric.lose(CmMessage.RTU);
        end.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        Objects.requireNonNull(asking).disconnect();
        bonds.settle();
        assertThat(end.cmEvents()).containsExactly(CmEventType.CONNECT_ERROR);
        assertThat(bonds.polled(end)).isEmpty();
    }
}
