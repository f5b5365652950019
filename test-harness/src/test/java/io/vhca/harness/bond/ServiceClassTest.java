package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AhAttributes;
import io.vhca.api.NativeMemory;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.bond.BondPair.Host;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.fabric.Verdict;
import io.vhca.physical.soft.wire.BthDescriptor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The class that an application asked for is in the packets of each member that its queue pair lives on. Virtual. */
class ServiceClassTest {
    private static final long MS = BondPair.MS;
    private static final ServiceClass WANTED = new ServiceClass(0x6a, 3, 9);
    private static final long MARK = 0x5e4d_3c2b_1a09_f8e7L;

    private final BondPair pair = new BondPair(config -> config);
    /** Port and traffic class of each message that one of the applications sent. */
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
    }

    private void connect(final ServiceClass wanted) {
        pair.left.events.clear();
        pair.right.events.clear();
        final CmId id = pair.left.channel.createId(CmPortSpace.TCP, null);
        id.serviceClass(wanted);
        id.resolveAddr(null, new InetSocketAddress(pair.address(1, 9), BondPair.PORT), 1_000);
        assertThat(pair.runUntil(
                        () -> pair.left.events.contains(CmEventType.ESTABLISHED)
                                && pair.right.events.contains(CmEventType.ESTABLISHED),
                        1_000 * MS))
                .isTrue();
        for (final Host host : List.of(pair.left, pair.right)) {
            NativeMemory.putLong(host.region.addr(), MARK);
        }
        pair.fabric.faults((from, to, trafficClass, packet, lengthBytes, nowNs) -> {
            if (lengthBytes > BondPair.MESSAGE_BYTES
                    && NativeMemory.getLong(packet + BthDescriptor.SIZE) == MARK) {
                seen.add(from + " " + Integer.toHexString(trafficClass));
            }
            return Verdict.DELIVER;
        });
    }

    /** What a message of either side looks like on the wire. */
    private List<String> messages() {
        seen.clear();
        pair.left.send();
        pair.right.send();
        pair.runFor(500 * MS);
        return List.copyOf(seen);
    }

    private int port(final Host host, final int member) {
        return host.ports[member].index();
    }

    private static AhAttributes vector(final Host host) {
        return Objects.requireNonNull(host.qp().query().ah());
    }

    private static ServiceClass serviceClass(final Host host) {
        return Objects.requireNonNull(host.id).serviceClass();
    }

    @Test
    void aMessageCarriesItsClassOnEachMemberInBothDirections() {
        connect(WANTED);
        assertThat(messages()).containsExactlyInAnyOrder(
                port(pair.left, 0) + " 6a", port(pair.right, 0) + " 6a");
        assertThat(serviceClass(pair.right)).isEqualTo(new ServiceClass(0x6a, 3, ServiceClass.UNSET));

        pair.left.ports[0].up(false);
        assertThat(messages()).contains(port(pair.left, 1) + " 6a");
        assertThat(seen).allMatch(message -> message.endsWith(" 6a"));
        assertThat(pair.left.failovers()).isNotEmpty();
        for (final Host host : List.of(pair.left, pair.right)) {
            assertThat(vector(host).trafficClass()).isEqualTo(0x6a);
            assertThat(vector(host).serviceLevel()).isEqualTo(3);
        }
        assertThat(vector(pair.left).hopLimit()).isEqualTo(9);

        // This time the side that asked for nothing itself is the one that begins.
        pair.left.ports[0].up(true);
        pair.runFor(1_000 * MS);
        final int before = pair.right.failovers().size();
        for (int member = 0; member < 2; member++) {
            pair.right.ports[member].up(false);
            assertThat(messages()).hasSizeGreaterThanOrEqualTo(2).allMatch(message -> message.endsWith(" 6a"));
            pair.right.ports[member].up(true);
            pair.runFor(1_000 * MS);
        }
        assertThat(pair.right.failovers().size()).isGreaterThan(before);
    }

    /** A queue of one packet: what waits behind another is marked, and its sender is told, on each member. */
    @Test
    void congestionIsAnsweredOverEachMember() {
        connect(WANTED);
        pair.fabric.marksBeyond(1);
        for (int member = 0; member < 2; member++) {
            for (int i = 0; i < 4; i++) {
                pair.left.send();
            }
            pair.runFor(500 * MS);
            assertThat(counted(pair.right, member, NicCounter.NP_CNP_SENT)).as("member %d", member).isPositive();
            assertThat(counted(pair.left, member, NicCounter.RP_CNP_HANDLED))
                    .isEqualTo(counted(pair.right, member, NicCounter.NP_CNP_SENT));
            pair.left.ports[member].up(false);
            pair.runFor(500 * MS);
        }
        assertThat(pair.left.failovers()).isNotEmpty();
    }

    private static long counted(final Host host, final int member, final NicCounter counter) {
        return host.contexts[member].counters().get(counter);
    }

    @Test
    void whoAsksForNothingGetsNothing() {
        connect(ServiceClass.NONE);
        assertThat(messages()).containsExactlyInAnyOrder(
                port(pair.left, 0) + " 0", port(pair.right, 0) + " 0");
        assertThat(serviceClass(pair.right)).isEqualTo(ServiceClass.NONE);
    }
}
