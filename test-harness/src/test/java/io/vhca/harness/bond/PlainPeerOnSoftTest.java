package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program over one soft device and a bond that serves such, end to end over UDP. */
@Timeout(300)
class PlainPeerOnSoftTest {
    private static final int PLAIN = 141;
    private static final int FIRST = 142;
    private final SoftDevice plain = SoftBonds.soft("plain-a", PLAIN);
    private final SoftDevice first = SoftBonds.soft("plain-b", FIRST);
    private final SoftDevice second = SoftBonds.soft("plain-c", 143);

    private BondContext bond(final Unprotected unprotected) {
        return SoftBonds.open(
                BondConfig.builder("bond0").members(List.of(first.name(), second.name())).unprotected(unprotected)
                        .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(20)).build(),
                first, second);
    }

    private static InetSocketAddress at(final int last, final RdmaListener listener) {
        return new InetSocketAddress(SoftBonds.own(last), listener.address().getPort());
    }

    private static void talk(final RdmaConnection one, final RdmaConnection other) {
        for (int i = 0; i < 50; i++) {
            one.send("there " + i);
            assertThat(other.receiveText()).isEqualTo("there " + i);
            other.send("back " + i);
            assertThat(one.receiveText()).isEqualTo("back " + i);
        }
    }

    @Test
    void aPlainProgramConnectsToABond() {
        try (Context soft = plain.open();
                BondContext bond = bond(Unprotected.ALLOW);
                RdmaListener listener = RdmaListener.listen(bond, 0);
                RdmaConnection client = RdmaConnection.connect(soft, at(FIRST, listener));
                RdmaConnection server = listener.accept()) {
            talk(client, server);
            assertThat(bond.counters().get(Counter.UNPROTECTED)).isEqualTo(1);
            assertThat(bond.admin().path(server.qp())).startsWith(first.name());
            first.setPortUp(false);
            assertThatThrownBy(() -> {
                server.send("lost");
                server.receiveText();
            }).as("as on hardware").isInstanceOf(RuntimeException.class);
            first.setPortUp(true);
        }
    }

    @Test
    void aBondConnectsToAPlainProgram() {
        try (Context soft = plain.open();
                BondContext bond = bond(Unprotected.ALLOW);
                RdmaListener listener = RdmaListener.listen(soft, 0);
                RdmaConnection client = RdmaConnection.connect(bond, at(PLAIN, listener));
                RdmaConnection server = listener.accept()) {
            talk(client, server);
            assertThat(bond.counters().get(Counter.UNPROTECTED)).isEqualTo(1);
        }
    }

    @Test
    void unlessItIsAllowedBothAreRefused() {
        try (Context soft = plain.open();
                BondContext bond = bond(Unprotected.REFUSE);
                RdmaListener ofBond = RdmaListener.listen(bond, 0);
                RdmaListener ofSoft = RdmaListener.listen(soft, 0)) {
            try (RdmaConnection refused = RdmaConnection.connect(soft, at(FIRST, ofBond))) {
                assertThatThrownBy(refused::awaitEstablished).hasMessageContaining("REJECTED");
            }
            assertThat(bond.counters().get(Counter.REQ_GARBAGE)).isEqualTo(1);
            try (RdmaConnection refusing = RdmaConnection.connect(bond, at(PLAIN, ofSoft));
                    RdmaConnection refused = ofSoft.accept()) {
                assertThat(refused.qp().qpNum()).isPositive();
                assertThatThrownBy(refusing::awaitEstablished).hasMessageContaining("REJECTED");
            }
            assertThat(bond.counters().get(Counter.UNPROTECTED)).isZero();
        }
    }
}
