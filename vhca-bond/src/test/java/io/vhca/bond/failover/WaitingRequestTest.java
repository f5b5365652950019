package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request of the peer's that waits until this side has drained, while members come and go. */
class WaitingRequestTest {
    private static final long MADE_NS = 2_500 * MS;

    private TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    /** By the connection manager, or over what stands by; nobody waits for a timeout. */
    @ParameterizedTest
    @EnumSource(Standby.class)
    void oneWhoseMemberGoesDownMeanwhileIsNotAnsweredThere(final Standby standby) {
        bonds.close();
        bonds = new TwoBonds(options -> options.set(BondOption.STANDBY, standby));
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(1);
        bonds.advance(MADE_NS);
        final QpRecovery asking = pair.active().recovery();
        final QpRecovery asked = pair.passive().recovery();
        final FakeQp drained = pair.passive().physical();
        drained.keepsFlushed(true);
        bonds.b.device(0).port(false);
        bonds.b.context().doWork(bonds.nowNs());
        bonds.b.device(0).port(true);
        bonds.a.locked(() -> asking.onPathFailure(FailureReason.CM_DISCONNECTED, bonds.nowNs()));
        bonds.settle();
        assertThat(asked.machine().state()).isEqualTo(RecoveryState.DRAINING);
        assertThat(asking.machine().state()).isEqualTo(RecoveryState.CONNECTING);
        assertThat(asking.exchange().isTrying(bonds.a.member(1))).isTrue();
        final int epoch = asking.machine().epoch();
        bonds.b.device(1).port(false);
        bonds.settle();
        drained.keepsFlushed(false);
        bonds.advance(MS);
        for (final AppEnd end : List.of(pair.active(), pair.passive())) {
            assertThat(end.recovery().machine().state())
                    .as("%s%s", bonds.a.journal(), bonds.b.journal())
                    .isEqualTo(RecoveryState.CONNECTED);
            assertThat(end.recovery().machine().epoch()).isEqualTo(epoch + 1);
        }
        assertThat(asked.attachment().describe()).startsWith("b0");
        assertThat(asked.exchange().isInitiator()).isTrue();
    }
}
