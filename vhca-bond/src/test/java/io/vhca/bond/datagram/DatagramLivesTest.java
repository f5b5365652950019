package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queue pairs for datagrams that go to RESET and live again: nothing of one life is seen in the next. */
class DatagramLivesTest {
    private final TwoBonds bonds = new TwoBonds();
    private final DatagramEnd one = bonds.closing(new DatagramEnd(bonds.a));
    private final DatagramEnd two = bonds.closing(new DatagramEnd(bonds.b));
    private final AddressHandle there = one.to("10.1.0.2");

    @AfterEach
    void close() {
        bonds.close();
    }

    private void send(final long wrId, final String text) {
        assertThat(one.send(wrId, text, there, two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
    }

    @Test
    void afterResetItSendsAndReceivesAgain() {
        send(1, "one");
        one.qp().modify(new QpAttributes().qpState(QpState.ERR));
        two.qp().modify(new QpAttributes().qpState(QpState.RESET));
        one.qp().modify(new QpAttributes().qpState(QpState.RESET));
        bonds.advance(100 * MS);
        one.polled();
        two.polled();
        one.bringUp();
        two.bringUp();
        two.receives(2);
        bonds.advance(1_000 * MS);
        send(2, "two");
        bonds.advance(1_000 * MS);
        assertThat(one.polled()).containsExactly("2 SUCCESS");
        assertThat(two.polled()).containsExactly("0 two of " + one.qp().qpNum());
    }

    /** The application polls the error and begins anew before the bond's thread has a turn. */
    @Test
    void anErrorOfOneLifeDoesNotEndTheNext() {
        send(1, "one");
        bonds.fabric.stop(true);
        send(2, "two");
        ((FakeQp) Objects.requireNonNull(one.qp().home().physical())).failOldest(WcStatus.LOC_PROT_ERR);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 LOC_PROT_ERR");
        one.qp().modify(new QpAttributes().qpState(QpState.RESET));
        one.bringUp();
        bonds.settle();
        assertThat(one.qp().state()).isEqualTo(QpState.RTS);
    }
}
