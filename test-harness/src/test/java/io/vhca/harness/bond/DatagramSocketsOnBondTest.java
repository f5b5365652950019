package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reliable datagram sockets over bonds of soft devices, with threads and real packets: a failover is no failure. */
@Timeout(120)
class DatagramSocketsOnBondTest {
    private static final int COUNT = 4_000;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int[] SIZES = {8, 500, 5_000, 30_000, 64, 70_000};

    @TempDir
    private Path directory;

    @Test
    void everyDatagramComesOnceAndInOrderThoughADeviceDies() throws InterruptedException {
        final SoftDevice dying = SoftBonds.soft("rdpa0", 101);
        try (BondContext left = SoftBonds.open("rdpa", dying, SoftBonds.soft("rdpa1", 102));
                BondContext right =
                        SoftBonds.open("rdpb", SoftBonds.soft("rdpb0", 103), SoftBonds.soft("rdpb1", 104));
                RdpDriver leftDriver = RdpDriver.open(left);
                RdpDriver rightDriver = RdpDriver.open(right);
                RdpSocket from = leftDriver.bind(0);
                RdpSocket to = rightDriver.bind(4_000)) {
            final AtomicReference<String> wrong = new AtomicReference<>("");
            final InetSocketAddress destination = to.localAddress();
            final Thread sender = Thread.ofPlatform().daemon().start(() -> wrong.set(sendAll(from, destination)));
            final ByteBuffer target = ByteBuffer.allocateDirect(1 << 17);
            for (int number = 0; number < COUNT; number++) {
                if (number == COUNT / 2) {
                    dying.kill();
                }
                target.clear();
                assertThat(to.receive(target, LONG_NS)).as("datagram %d, %s", number, wrong).isNotNull();
                assertThat(target.getInt(0)).isEqualTo(number);
                assertThat(target.position()).isEqualTo(SIZES[number % SIZES.length]);
            }
            sender.join();
            assertThat(wrong.get()).isEmpty();
            assertThat(to.receive(target)).isNull();
            assertThat(left.counters().get(BondCounters.Counter.RECOVERED)).isPositive();
            assertThat(leftDriver.counters().get(Counter.PATHS_FAILED)).isZero();
            assertThat(rightDriver.counters().get(Counter.PATHS_FAILED)).isZero();
            assertThat(leftDriver.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
        }
    }

    private BondContext keyed(final String name, final int last) throws IOException {
        final Path key = directory.resolve("key");
        if (!Files.exists(key)) {
            AuthKeyFile.create(key, new SplittableRandom(4));
        }
        final BondConfig config = BondConfig.builder(name)
                .members(List.of(name + 0, name + 1))
                .set(BondOption.AUTH_KEY_FILE, Optional.of(key.toString()))
                .build();
        return SoftBonds.open(config, SoftBonds.soft(name + 0, last), SoftBonds.soft(name + 1, last + 1));
    }

    /** The key leaves a caller half the room that there is without one. */
    @Test
    void bondsWithAKeyCarryDatagrams() throws IOException {
        try (BondContext left = keyed("rdpi", 236);
                BondContext right = keyed("rdpk", 238);
                RdpDriver leftDriver = RdpDriver.open(left);
                RdpDriver rightDriver = RdpDriver.open(right);
                RdpSocket from = leftDriver.bind(0);
                RdpSocket to = rightDriver.bind(4_000)) {
            final ByteBuffer datagram = ByteBuffer.allocateDirect(100);
            assertThat(from.send(datagram, to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
            assertThat(to.send(datagram.flip(), from.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            assertThat(from.receive(datagram.clear(), LONG_NS)).isEqualTo(to.localAddress());
            assertThat(leftDriver.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
        }
    }

    private static String sendAll(final RdpSocket from, final InetSocketAddress destination) {
        final ByteBuffer datagram = ByteBuffer.allocateDirect(1 << 17);
        for (int number = 0; number < COUNT; number++) {
            datagram.clear().putInt(0, number).limit(SIZES[number % SIZES.length]);
            final SendResult result = from.send(datagram, destination, LONG_NS);
            if (result != SendResult.SENT) {
                return number + " was " + result;
            }
        }
        return "";
    }

    /** A bond answers at the addresses of all its members, and its driver has the name of one. */
    @Test
    void aBondIsReachedByAnyOfItsMembersAddresses() {
        try (BondContext left =
                        SoftBonds.open("rdpc", SoftBonds.soft("rdpc0", 105), SoftBonds.soft("rdpc1", 106));
                BondContext right =
                        SoftBonds.open("rdpd", SoftBonds.soft("rdpd0", 107), SoftBonds.soft("rdpd1", 108));
                RdpDriver leftDriver = RdpDriver.open(left);
                RdpDriver rightDriver = RdpDriver.open(right);
                RdpSocket from = leftDriver.bind(0);
                RdpSocket to = rightDriver.bind(4_000)) {
            final InetSocketAddress second = new InetSocketAddress(SoftBonds.own(108), 4_000);
            assertThat(to.localAddress()).isNotEqualTo(second);
            final ByteBuffer datagram = ByteBuffer.allocateDirect(100);
            for (int number = 0; number < 100; number++) {
                datagram.clear().putInt(0, number);
                assertThat(from.send(datagram, number % 2 == 0 ? second : to.localAddress(), LONG_NS))
                        .isEqualTo(SendResult.SENT);
            }
            for (int number = 0; number < 100; number++) {
                assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
                assertThat(datagram.getInt(0)).isEqualTo(number);
            }
            assertThat(leftDriver.status().nodes()).hasSize(1);
            assertThat(leftDriver.counters().get(Counter.SESSIONS_OPENED)).isEqualTo(1);
            assertThat(leftDriver.counters().get(Counter.FOREIGN)).isZero();
        }
    }
}
