package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.MemberBench;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualPortTest {
    private static final InetAddress ALIAS = InetAddress.ofLiteral("10.9.0.9");
    private final MemberBench bench = new MemberBench(2, options -> options);
    private final LinkMonitor monitor = new LinkMonitor(bench.core, bench.members);
    private final VirtualPort port = new VirtualPort(bench.core, bench.members, monitor);

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void itOffersTheLeastOfItsMembersPorts() {
        bench.device(0).speedMbps(25_000);
        assertThat(port.query(1).activeSpeedMbps()).isEqualTo(25_000);
        assertThat(port.query(1).gidTblLen()).isEqualTo(1);
        assertThat(port.query(1).state()).isEqualTo(PortState.ACTIVE);
        bench.device(1).speedMbps(0);
        assertThat(port.query(1).activeSpeedMbps()).as("one does not know").isZero();
    }

    @Test
    void itIsDownWithTooFewMembersAndGoneWithTheLastDevice() {
        monitor.down(bench.member(0), FailureReason.PORT_ERR, 0);
        assertThat(port.query(1).state()).isEqualTo(PortState.ACTIVE);
        monitor.down(bench.member(1), FailureReason.PORT_ERR, 0);
        assertThat(port.query(1).state()).isEqualTo(PortState.DOWN);
        bench.device(0).die();
        assertThat(port.query(1).activeSpeedMbps()).isEqualTo(100_000);
        bench.device(1).die();
        assertThatThrownBy(() -> port.query(1))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
    }

    @Test
    void theGidIsTheAliasElseTheActiveMembersAddress() {
        assertThat(port.gid(1, 0)).isEqualTo(Gid.of(InetAddress.ofLiteral("10.0.0.1")));
        monitor.activate(bench.member(1));
        assertThat(port.gid(1, 0)).isEqualTo(Gid.of(InetAddress.ofLiteral("10.1.0.1")));
        bench.core.config(bench.core.config().toBuilder().alias(ALIAS).build());
        assertThat(port.gid(1, 0)).isEqualTo(Gid.of(ALIAS));
        assertThatThrownBy(() -> port.gid(1, 1))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(port.pkey(1, 0)).isEqualTo(0xFFFF);
        assertThat(port.query(1).pkeyTblLen()).isEqualTo(1);
        assertThatThrownBy(() -> port.pkey(1, 1))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void thereIsPortOneOnly() {
        for (final int number : new int[] {0, 2}) {
            assertThatThrownBy(() -> port.query(number)).hasMessageContaining("port " + number);
            assertThatThrownBy(() -> port.gid(number, 0)).isInstanceOf(VerbsException.class);
            assertThatThrownBy(() -> port.pkey(number, 0)).isInstanceOf(VerbsException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void itsMessagesAndPacketsAreThoseOfTheMemberThatTakesTheShorterOnes(final int lesser) {
        bench.device(lesser).maxMsgSz(1 << 20).maxMtu(Mtu.MTU_2048);
        assertThat(port.query(1).maxMsgSz()).isEqualTo(1 << 20);
        assertThat(port.query(1).maxMtu()).isEqualTo(Mtu.MTU_2048);
    }
}
