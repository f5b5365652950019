package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The exchange of counts by the connection manager, while messages of it are lost. */
class QpExchangeTest {
    /** Recoveries that connect at once, besides that of the control link. */
    private static final int TURNS = 127;

    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.STANDBY, Standby.COLD));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        passive.receives(8);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void assertHealthy() {
        for (final AppEnd end : List.of(active, passive)) {
            assertThat(end.recovery().machine().state())
                    .as("%s%s", bonds.a.journal(), bonds.b.journal())
                    .isEqualTo(RecoveryState.CONNECTED);
        }
    }

    @ParameterizedTest
    @EnumSource(CmMessage.class)
    void whicheverMessageIsLostTheNextAttemptBringsBothTogether(final CmMessage kind) {
        bonds.fabric.stop(true);
        active.send(1, "one");
        active.send(2, "two");
        active.physical().executeUnacknowledged();
        bonds.fabric.stop(false);
        bonds.fabric.lose(kind);
        bonds.a.device(0).port(false);
        bonds.advance(300 * MS);
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        assertHealthy();
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        active.send(3, "three");
        bonds.settle();
        assertThat(active.polled()).containsExactly("3 SUCCESS");
    }

    @Test
    void anAttemptGivenUpLeavesNothingBehind() {
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.CONNECTING);
        bonds.a.device(1).port(false);
        bonds.settle();
        assertThat(active.recovery().machine().state()).isEqualTo(RecoveryState.WAITING);
        assertThat(bonds.a.linksOn(1)).isEmpty();
        assertThat(bonds.a.device(1).opened().queuePairs()).isEmpty();
    }

    @Test
    void theConnectionIsMadeAgainWithWhatTheFirstOneWasMadeWith() {
        final AppEnd own = bonds.closing(new AppEnd(bonds.a));
        own.on(bonds.routed("10.1.0.2"));
        bonds.closing(bonds.listen());
        own.id().connect(new ConnectParameters(new byte[0], 3, 2, 7, 5, 0, 0));
        bonds.settle();
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        other.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        final ConnectParameters again = own.recovery().exchange().connectParameters();
        assertThat(again.responderResources()).isEqualTo(3);
        assertThat(again.initiatorDepth()).isEqualTo(2);
        assertThat(again.rnrRetryCount()).isEqualTo(5);
    }

    @Test
    void theReasonTravelsToThePeer() {
        bonds.a.context().admin().activate("a1");
        bonds.advance(500 * MS);
        assertHealthy();
        assertThat(active.recovery().attachment().describe()).startsWith("a1");
        assertThat(passive.recovery().machine().reason()).isEqualTo(FailureReason.PLANNED);
        assertThat(bonds.b.journal()).contains("planned");
    }

    @Test
    void anAttemptThatThePeersOwnMakesNeedlessWhileItWaitsForItsTurnNeverBegins() {
        final List<AppEnd> before = new ArrayList<>(List.of(passive));
        while (before.size() < TURNS) {
            before.add(bonds.connect().passive());
        }
        final TwoBonds.Connection last = bonds.connect();
        final QpRecovery own = last.passive().recovery();
        final QpRecovery peers = last.active().recovery();
        bonds.fabric.lose(CmMessage.REQ);
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(before).allMatch(end -> end.recovery().exchange().isTrying(bonds.b.member(1)));
        assertThat(own.machine().state()).isEqualTo(RecoveryState.CONNECTING);
        assertThat(own.exchange().isTrying(bonds.b.member(1))).as("it waits").isFalse();
        bonds.fabric.heal();
        bonds.a.locked(() -> peers.onPathFailure(FailureReason.CM_DISCONNECTED, bonds.nowNs()));
        bonds.settle();
        assertThat(own.healthyLink()).isNotNull();
        final int epoch = own.machine().epoch();
        bonds.advance(5_000 * MS);
        assertThat(before).allMatch(end -> end.recovery().healthyLink() != null);
        assertThat(own.machine().epoch()).isEqualTo(epoch);
        assertThat(own.exchange().isInitiator()).isFalse();
        assertThat(bonds.b.linksOn(1)).as("and the control link").hasSize(TURNS + 2);
    }
}
