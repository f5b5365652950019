package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where vQPs live by mode, and what an operator can do to a bond under load. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondModesTest {
    private static final int CONNECTIONS = 6;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(200);

    private final SoftDevice client0 = soft("client0", 81);
    private final SoftDevice client1 = soft("client1", 82);
    private final SoftDevice server0 = soft("server0", 91);
    private final SoftDevice server1 = soft("server1", 92);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<RdmaConnection> clients = new ArrayList<>();
    private final List<RdmaConnection> servers = new ArrayList<>();
    private int round;

    private static SoftDevice soft(final String name, final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        final InetAddress own =
                InetAddress.ofLiteral("127." + (192 + (pid >> 8 & 31)) + "." + (pid & 255) + "." + last);
        return SoftDevice.overUdp(new SoftConfig(name, own, 4096));
    }

    private BondContext open(
            final String name,
            final SoftDevice one,
            final SoftDevice other,
            final UnaryOperator<BondConfig.Builder> change) {
        final BondConfig config = change.apply(SoftBonds.calm(BondConfig.builder(name))
                        .members(List.of(one.name(), other.name()))
                        .miimonNs(TimeUnit.MILLISECONDS.toNanos(5)))
                .build();
        final BondContext context = new BondContext(
                new BondDevice(config), config, List.of(one.open(), other.open()), Journal.NONE,
                new SplittableRandom(name.hashCode()));
        context.startAgent();
        opened.addFirst(context);
        return context;
    }

    /** A bond with {@link #CONNECTIONS} connections to another one, all of which carried a message both ways. */
    private BondContext connected(final UnaryOperator<BondConfig.Builder> change) {
        final BondContext server = open("server", server0, server1, UnaryOperator.identity());
        final BondContext client = open("client", client0, client1, change);
        final RdmaListener listener = RdmaListener.listen(server, 0);
        opened.addFirst(listener);
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(RdmaConnection.connect(client, listener.address()));
            servers.add(listener.accept());
            clients.getLast().awaitEstablished();
        }
        opened.addAll(0, clients);
        opened.addAll(0, servers);
        exchange();
        return client;
    }

    private void exchange() {
        round++;
        for (int i = 0; i < clients.size(); i++) {
            clients.get(i).send("ping " + i + " " + round);
            assertThat(servers.get(i).receiveText()).isEqualTo("ping " + i + " " + round);
            servers.get(i).send("pong " + i + " " + round);
            assertThat(clients.get(i).receiveText()).isEqualTo("pong " + i + " " + round);
        }
    }

    /** Keeps all connections busy, each message checked, until it is so. */
    private void exchangeUntil(final String what, final BooleanSupplier isSo) {
        final long startNs = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            assertThat(System.nanoTime() - startNs).as(what).isLessThan(WAIT_NS);
            exchange();
        }
        exchange();
    }

    private static int on(final BondContext bond, final int member) {
        return bond.admin().members().get(member).queuePairs();
    }

    /** All of the application's connections; the control link may live anywhere. */
    private static boolean allOn(final BondContext bond, final int member) {
        return on(bond, member) >= CONNECTIONS;
    }

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable one : opened) {
            one.close();
        }
    }

    @Test
    void activeBackupUsesOneMemberAndAnOperatorCanSwitchIt() {
        final BondContext bond = connected(config -> config);
        assertThat(allOn(bond, 0)).isTrue();
        bond.admin().activate("client1");
        exchangeUntil("all on client1", () -> allOn(bond, 1));
        assertThat(bond.admin().members()).extracting(MemberStatus::active).containsExactly(false, true);
        assertThat(bond.failovers()).extracting(FailoverReport::reason).containsOnly(FailureReason.PLANNED);
        bond.admin().activate("client0");
        exchangeUntil("all on client0", () -> allOn(bond, 0));
    }

    @Test
    void roundRobinSpreadsConnectionsEvenly() {
        final BondContext bond = connected(config -> config.mode(BondMode.BALANCE_RR));
        exchangeUntil(
                "half on each", () -> on(bond, 0) >= CONNECTIONS / 2 && on(bond, 1) >= CONNECTIONS / 2);
    }

    @Test
    void theHashOfAddressesKeepsAPeersConnectionsTogether() {
        final BondContext bond = connected(config -> config.mode(BondMode.BALANCE_XOR));
        exchangeUntil("all on one member", () -> allOn(bond, 0) || allOn(bond, 1));
    }

    @Test
    void theHashWithPortsSpreadsThem() {
        final BondContext bond = connected(
                config -> config.mode(BondMode.BALANCE_XOR).xmitHashPolicy(XmitHashPolicy.SRC_DST_PORT));
        exchangeUntil("some on each", () -> on(bond, 0) >= 2 && on(bond, 1) >= 2);
    }

    @Test
    void aDrainedMemberIsLeftByAllAndComesBackWithResume() {
        final BondContext bond = connected(config -> config.mode(BondMode.BALANCE_RR));
        bond.admin().drain("client0");
        exchangeUntil("none on client0", () -> on(bond, 0) == 0 && allOn(bond, 1));
        assertThat(bond.admin().members().getFirst().drained()).isTrue();
        bond.admin().resume("client0");
        exchangeUntil(
                "half on each", () -> on(bond, 0) >= CONNECTIONS / 2 && on(bond, 1) >= CONNECTIONS / 2);
        assertThat(bond.failovers()).extracting(FailoverReport::reason).containsOnly(FailureReason.PLANNED);
    }

    @Test
    void connectionsGoHomeWhenTheirLinkHeals() {
        final BondContext bond = connected(config -> config.mode(BondMode.BALANCE_RR));
        exchangeUntil("half on each", () -> on(bond, 0) >= CONNECTIONS / 2 && on(bond, 1) >= CONNECTIONS / 2);
        client0.setPortUp(false);
        exchangeUntil("all on client1", () -> allOn(bond, 1));
        client0.setPortUp(true);
        exchangeUntil("half on each again", () -> on(bond, 0) >= CONNECTIONS / 2 && on(bond, 1) >= CONNECTIONS / 2);
    }

    @Test
    void thePrimaryTakesOverWhenItIsBack() {
        final BondContext bond = connected(config -> config.primary("client1"));
        assertThat(allOn(bond, 1)).isTrue();
        client1.setPortUp(false);
        exchangeUntil("all on client0", () -> allOn(bond, 0));
        client1.setPortUp(true);
        exchangeUntil("all on the primary", () -> allOn(bond, 1));
    }

    @Test
    void ordersThatCannotBeAreRefusedByName() {
        final BondContext bond = open("alone", client0, client1, config -> config);
        final BondContext even = open("even", server0, server1, config -> config.mode(BondMode.BALANCE_RR));
        refused(() -> bond.admin().drain("eth0"), Errno.EINVAL, "no member eth0", "client0");
        refused(() -> even.admin().activate("server1"), Errno.EINVAL, "balance-rr uses all members");
        bond.admin().drain("client0");
        refused(() -> bond.admin().activate("client0"), Errno.ENETDOWN, "drained");
        refused(() -> bond.admin().drain("client1"), Errno.EBUSY, "no other member is up");
    }

    private static void refused(final Runnable order, final int errno, final String... words) {
        assertThatThrownBy(order::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContainingAll(words);
    }
}
