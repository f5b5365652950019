package io.vhca.bond.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.fake.HandCore;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutOfBandTest {
    private static final InetAddress ALIAS = InetAddress.ofLiteral("10.9.0.9");
    private static final List<InetAddress> BEHIND =
            List.of(InetAddress.ofLiteral("10.1.0.2"), InetAddress.ofLiteral("10.2.0.2"));
    private final BondRuntime core = HandCore.of(
            BondConfig.builder("bond0").members(List.of("m0", "m1")).peers(Map.of(ALIAS, BEHIND)));

    @AfterEach
    void close() {
        core.close();
    }

    private static QpAttributes toRtr(final String address, final int qpNum, final int psn) {
        return new QpAttributes()
                .ah(AhAttributes.to(Gid.of(InetAddress.ofLiteral(address))))
                .destQpNum(qpNum)
                .rqPsn(psn);
    }

    @Test
    void thePeerIsWhereTheTableSaysElseAtTheAddressGiven() {
        assertThat(OutOfBand.of(core, toRtr("10.9.0.9", 7, 0x1_0000_05)))
                .isEqualTo(new OutOfBand(7, 0x00_0005, BEHIND));
        assertThat(OutOfBand.of(core, toRtr("10.1.0.2", 7, 5)).addresses())
                .containsExactly(InetAddress.ofLiteral("10.1.0.2"));
    }

    @Test
    void withoutAnAddressVectorItIsEinval() {
        assertThatThrownBy(() -> OutOfBand.of(core, new QpAttributes().destQpNum(7)))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aSessionCarriesTheFirstPsnOfTheSideThatAsksAndIsNewEachTime() {
        final SessionId one = OutOfBand.newSession(core, 0xFF_12_34_56);
        final SessionId two = OutOfBand.newSession(core, 0xFF_12_34_56);
        assertThat(one.hi()).isEqualTo(core.instance());
        assertThat(one.lo() & 0xFF_FFFF).isEqualTo(0x12_34_56);
        assertThat(two).isNotEqualTo(one);
    }

    @Test
    void ofTwoSessionsTheLowerStaysComparedUnsigned() {
        final SessionId low = new SessionId(1, 5);
        final SessionId high = new SessionId(-1, 0);
        final SessionId next = new SessionId(1, -1);
        assertThat(OutOfBand.isStronger(low, high)).isTrue();
        assertThat(OutOfBand.isStronger(high, low)).isFalse();
        assertThat(OutOfBand.isStronger(low, next)).isTrue();
        assertThat(OutOfBand.isStronger(next, low)).isFalse();
        assertThat(OutOfBand.isStronger(low, low)).isFalse();
    }
}
