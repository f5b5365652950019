package io.vhca.bond.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondAddressHandle;
import io.vhca.recovery.wire.MemberAddress;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DestinationTest {
    private static final int QP_NUM = 0x4000;
    private static final int BONDS = 500;
    private static final int LOOKS = 200;
    /** A walk through the bonds makes some for each that is named so. */
    private static final int MOST_BYTES_OF_A_LOOK = 1_000;

    private final TwoBonds bonds = new TwoBonds();
    private final DatagramEnd end = bonds.closing(new DatagramEnd(bonds.a));
    private final Destination known = destination("10.1.0.66");
    private final Destination asked = destination("10.1.0.77");

    @AfterEach
    void close() {
        bonds.close();
    }

    private static InetAddress ip(final String text) {
        return InetAddress.ofLiteral(text);
    }

    private Destination destination(final String address) {
        return new Destination((BondAddressHandle) end.to(address), QP_NUM);
    }

    private static List<MemberAddress> members(final String... addresses) {
        final AtomicInteger next = new AtomicInteger();
        return List.of(addresses).stream()
                .map(one -> new MemberAddress(next.getAndIncrement(), ip(one).getAddress()))
                .toList();
    }

    @Test
    void whatAnotherHandleWasToldHoldsForOneThatNamesTheSameBond() {
        bonds.a.verbs().peers().heard(7, members("10.1.0.66", "10.2.0.66"));
        known.found(7, ip("10.1.0.66"), 17, 1);
        bonds.a.locked(() -> {
            assertThat(destination("10.2.0.66").isKnownTo(known)).isTrue();
            assertThat(asked.isKnownTo(known)).isFalse();
            assertThat(asked.mayBe(new DatagramName(7, QP_NUM), ip("10.1.0.66"))).isFalse();
            assertThat(destination("10.2.0.66").mayBe(new DatagramName(7, QP_NUM), ip("10.1.0.66"))).isTrue();
        });
    }

    /** The same program on each of many hosts: all of their vQPs have one number. */
    @Test
    void oneOfTheSameNumberOnAnotherBondIsToldApartWithoutAWalkThroughAllBonds() {
        for (int i = 0; i < BONDS; i++) {
            bonds.a.verbs().peers().heard(100 + i, members("10.1.0.77", "10.2.0.77"));
        }
        bonds.a.verbs().peers().heard(7, members("10.1.0.66", "10.2.0.66"));
        known.found(7, ip("10.1.0.66"), 17, 1);
        final DatagramName name = new DatagramName(7, QP_NUM);
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        bonds.a.locked(() -> {
            boolean isTaken = false;
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < LOOKS; i++) {
                isTaken |= asked.isKnownTo(known) || asked.mayBe(name, ip("10.1.0.66"));
            }
            final long eachBytes = (threads.getCurrentThreadAllocatedBytes() - before) / LOOKS;
            assertThat(isTaken).isFalse();
            assertThat(eachBytes).isLessThan(MOST_BYTES_OF_A_LOOK);
        });
    }
}
