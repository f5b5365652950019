package io.vhca.bond.link;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connected queue pair that is destroyed without a disconnect. */
class CloseNoticesTest {
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void thePeerIsToldOnce() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.active().close();
        bonds.settle();
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
    }

    @Test
    void aNoticeThatIsLostIsMadeUpForWhenThePeerAsks() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.lose(CmMessage.REQ);
        pair.active().close();
        bonds.settle();
        bonds.fabric.heal();
        bonds.advance(3_000 * MS);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
    }

    @Test
    void aNoticeThatIsLostOnOnePathGoesOverTheNext() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        pair.active().close();
        bonds.advance(1_000 * MS);
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
    }

    @Test
    void aDisconnectThatThePeerHasNotHeardOfIsSaidThoughTheQueuePairIsDestroyed() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.active().id().disconnect();
        bonds.a.context().doWork(bonds.nowNs());
        assertThat(pair.active().recovery().machine().state()).isEqualTo(RecoveryState.CLOSING);
        pair.active().close();
        bonds.settle();
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.b.journal()).contains("the peer's application closed");
    }

    @Test
    void whoDestroysAQueuePairInTheMiddleOfARecoverySaysSo() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.a.device(0).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        assertThat(pair.active().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTING);
        pair.active().close();
        bonds.settle();
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.b.journal()).contains("the peer's application closed");
    }

    @Test
    void aDeviceThatIsGoneTellsNobodyAndNothingWaits() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).die();
        pair.active().close();
        bonds.advance(3_000 * MS);
        assertThat(bonds.a.linksOn(0)).isEmpty();
    }
}
