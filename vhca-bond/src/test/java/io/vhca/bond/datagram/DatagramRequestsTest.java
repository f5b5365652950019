package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.WrOpcode;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a datagram, its queue pair and its address handle were asked for, over the member that is used and the next. */
class DatagramRequestsTest {
    private static final AhAttributes THERE =
            new AhAttributes(Gid.of(InetAddress.ofLiteral("10.1.0.2")), 0, 9, 0xB8, 1, 5);

    private final TwoBonds bonds = new TwoBonds();
    private final DatagramEnd one = bonds.closing(new DatagramEnd(bonds.a, true));
    private final DatagramEnd two = bonds.closing(new DatagramEnd(bonds.b));

    @BeforeEach
    void receives() {
        two.receives(4);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void sendUnflagged(final long wrId, final AddressHandle to) {
        assertThat(one.post(wrId, WrOpcode.SEND, 0, "text", to, two.qp().qpNum())).isEqualTo(1);
        bonds.advance(1_000 * MS);
    }

    /** sq_sig_all of ibv_create_qp(3). */
    @Test
    void eachSendOfAQueuePairThatSignalsAllCompletesOnEachMember() {
        final AddressHandle there = one.to("10.1.0.2");
        sendUnflagged(1, there);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertThat(one.lives()).isEqualTo("a1");
        sendUnflagged(2, there);
        assertThat(one.polled()).containsExactly("2 SUCCESS");
    }

    @Test
    void aHandleKeepsItsClassOnEachMember() {
        sendUnflagged(1, one.to(bonds.a.pd(), THERE));
        assertClassOn(0);
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        sendUnflagged(2, one.to(bonds.a.pd(), THERE));
        assertClassOn(1);
    }

    private void assertClassOn(final int member) {
        assertThat(bonds.a.device(member).opened().addressVectors())
                .isNotEmpty()
                .allSatisfy(vector -> {
                    assertThat(vector.trafficClass()).isEqualTo(0xB8);
                    assertThat(vector.serviceLevel()).isEqualTo(5);
                    assertThat(vector.hopLimit()).isEqualTo(9);
                });
    }

    @Test
    void aHandleOfAnotherDomainIsRefused() {
        try (ProtectionDomain other = bonds.a.context().allocPd();
                AddressHandle foreign = other.createAh(THERE)) {
            assertThat(one.post(1, WrOpcode.SEND, 0, "text", foreign, two.qp().qpNum())).isEqualTo(-Errno.EINVAL);
        }
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).isEmpty();
        assertThat(two.polled()).isEmpty();
    }
}
