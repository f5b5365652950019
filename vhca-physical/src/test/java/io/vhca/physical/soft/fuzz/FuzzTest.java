package io.vhca.physical.soft.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.physical.soft.OwnAddress;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.cm.CmCounter;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Packets that nobody should send, thrown at two soft devices while a connection between them carries checked messages:
 * no exception, no hang, no growth, and the messages arrive exactly once, in order, unchanged. How many is the system
 * property {@code vhca.fuzz.packets}; a tenth of them goes through sockets.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS) // for ten million packets and more
class FuzzTest {
    private static final long PACKETS = Long.getLong("vhca.fuzz.packets", 200_000);
    private static final long SEED = Long.getLong("vhca.fuzz.seed", 20_261_122L);
    private static final int PACKET_BYTES = 1200;
    private static final int BURST = 16;
    private static final long STEP_NS = 20_000;
    private static final long GROWTH = 16L << 20;
    private static final int SOCKETS = 128;

    private static long usedBytes() {
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void assertUnharmed(final SoftContext context) {
        for (final NicCounter fault : List.of(NicCounter.PACKET_FAULTS, NicCounter.QP_FAULTS)) {
            assertThat(context.counters().get(fault)).as("%s, seed %d", fault, SEED).isZero();
        }
        assertThat(context.cmCounters().get(CmCounter.FAULTS)).as("seed %d", SEED).isZero();
    }

    private static void assertAttacked(final SoftContext context) {
        for (final NicCounter drop : List.of(
                NicCounter.DROP_MALFORMED, NicCounter.DROP_ICRC, NicCounter.DROP_NO_QP, NicCounter.DROP_WRONG_SOURCE)) {
            assertThat(context.counters().get(drop)).as("%s", drop).isPositive();
        }
        assertThat(context.cmCounters().get(CmCounter.MALFORMED)).isPositive();
    }

    /** Two devices on a fabric in virtual time. */
    private static final class Pair implements AutoCloseable {
        final SimFabric fabric = new SimFabric(new FabricConfig(PACKET_BYTES, 4096, 5_000, 0));
        final List<FuzzedCarrier> carriers = new ArrayList<>();
        final List<PacketFuzzer> fuzzers = new ArrayList<>();
        final List<FuzzedEnd> ends = new ArrayList<>();
        long nowNs = 1_000_000_000L;

        Pair() {
            final Gid[] gids = {
                Gid.of(InetAddress.ofLiteral("10.0.0.1")), Gid.of(InetAddress.ofLiteral("10.0.0.2"))
            };
            for (int i = 0; i < 2; i++) {
                final PacketFuzzer fuzzer =
                        new PacketFuzzer(SEED + i, gids[i], gids[1 - i], gids[0].interfaceId() + (1L << 20));
                final FuzzedCarrier carrier = new FuzzedCarrier(fabric.addPort(gids[i], PACKET_BYTES), fuzzer);
                final SoftContext context = SoftDevice.driven(
                                "soft" + i,
                                i,
                                () -> carrier,
                                new SoftNicConfig().seed(SEED + i),
                                CmConfig.DEFAULT,
                                new SplittableRandom(SEED + i))
                        .open();
                context.doWork(nowNs);
                fuzzers.add(fuzzer);
                carriers.add(carrier);
                ends.add(new FuzzedEnd(context, SEED + i));
            }
            for (int i = 0; i < 2; i++) {
                final FuzzedEnd end = ends.get(i);
                fuzzers.get(i).addVictim(end.victim.qpNum());
                fuzzers.get(i).addVictim(end.datagramVictim.qpNum());
                end.startDatagrams(ends.get(1 - i).gid);
            }
            ends.getFirst().connect(ends.getLast().gid);
            while (!ends.getFirst().isEstablished() || !ends.getLast().isEstablished()) {
                step(0);
            }
            fuzzers.getFirst().adopt(fuzzers.getLast());
        }

        void step(final int burst) {
            nowNs += STEP_NS;
            carriers.forEach(carrier -> carrier.burst = burst);
            int work = 1;
            while (work > 0) {
                work = fabric.doWork(nowNs);
                for (final FuzzedEnd end : ends) {
                    work += end.context.doWork(nowNs);
                }
            }
            ends.forEach(FuzzedEnd::poll);
        }

        /** Traffic goes on, and the victims serve each other. */
        void use() {
            for (int i = 0; i < 2; i++) {
                ends.get(i).sendOne();
                ends.get(i).useVictims(ends.get(1 - i));
            }
            FuzzedEnd.reconnectVictims(ends.getFirst(), ends.getLast());
        }

        @Override
        public void close() {
            ends.forEach(FuzzedEnd::close);
            fabric.close();
        }
    }

    @Test
    void devicesBearWhateverArrives() {
        try (Pair pair = new Pair()) {
            final long rounds = PACKETS / (2 * BURST);
            long before = 0;
            for (long i = 0; i < rounds; i++) {
                pair.use();
                pair.step(BURST);
                if (i == rounds / 4) {
                    before = usedBytes();
                }
            }
            assertThat(usedBytes() - before).as("growth in bytes").isLessThan(GROWTH);
            // What strangers left is over within the longest wait of a connection.
            pair.ends.forEach(FuzzedEnd::closePending);
            for (int i = 0; i < 1000; i++) {
                pair.nowNs += 10_000_000L;
                pair.step(0);
            }
            final FuzzedEnd left = pair.ends.getFirst();
            final FuzzedEnd right = pair.ends.getLast();
            assertThat(left.sent).isGreaterThan(rounds / 8);
            assertThat(right.received).isEqualTo(left.sent);
            assertThat(left.received).isEqualTo(right.sent);
            for (final FuzzedEnd end : pair.ends) {
                assertUnharmed(end.context);
                assertAttacked(end.context);
                assertThat(end.requests).isGreaterThan(rounds / 100);
                assertThat(end.context.halfOpen()).isZero();
            }
        }
    }

    // Through sockets.

    private static FuzzedEnd open(final InetAddress address, final PacketFuzzer fuzzer, final int index) {
        return new FuzzedEnd(
                SoftDevice.overUdp(new SoftConfig("soft" + index, address, 1024), tap -> new FuzzedCarrier(tap, fuzzer))
                        .open(),
                SEED);
    }

    private static void drive(final FuzzedEnd left, final FuzzedEnd right) {
        left.sendOne();
        right.sendOne();
        left.poll();
        right.poll();
    }

    @Test
    void devicesBearWhateverStrangersSendThroughSockets() throws IOException {
        final Gid one = Gid.of(OwnAddress.of(41));
        final Gid other = Gid.of(OwnAddress.of(42));
        final long net = 0xffff_0000_0000L | 0x7f00_0000L | 0x63_0000L;
        final PacketFuzzer toLeft = new PacketFuzzer(SEED, one, other, net);
        final PacketFuzzer toRight = new PacketFuzzer(SEED + 1, other, one, net);
        final List<DatagramChannel> sockets = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                FuzzedEnd left = open(OwnAddress.of(41), toLeft, 0);
                FuzzedEnd right = open(OwnAddress.of(42), toRight, 1)) {
            left.connect(right.gid);
            while (!left.isEstablished() || !right.isEstablished()) {
                drive(left, right);
            }
            toLeft.adopt(toRight);
            for (int i = 0; i < SOCKETS; i++) {
                final DatagramChannel socket = DatagramChannel.open();
                socket.bind(new InetSocketAddress(toLeft.stranger().address(), 0));
                sockets.add(socket);
            }
            final MemorySegment packet = arena.allocate(2L * PacketFuzzer.MOST_BYTES, 64);
            final List<InetSocketAddress> targets =
                    List.of(
                            new InetSocketAddress(OwnAddress.of(41), 4791),
                            new InetSocketAddress(OwnAddress.of(42), 4791));
            for (long i = 0; i < PACKETS / 10; i++) {
                final DatagramChannel socket = sockets.get((int) (i % SOCKETS));
                final InetSocketAddress from = (InetSocketAddress) socket.getLocalAddress();
                final int target = (int) (i / SOCKETS % 2);
                final PacketFuzzer fuzzer = target == 0 ? toLeft : toRight;
                final int lengthBytes;
                synchronized (fuzzer) {
                    fuzzer.from(Gid.of(from.getAddress()), from.getPort());
                    lengthBytes = fuzzer.nextFromStranger(packet.address());
                }
                socket.send(packet.asSlice(0, lengthBytes).asByteBuffer(), targets.get(target));
                if (i % 8 == 0) {
                    drive(left, right);
                }
            }
            final long sent = left.sent;
            while (left.received < right.sent || right.received < left.sent || left.sent < sent + 100) {
                drive(left, right);
                if (left.sent >= sent + 100) {
                    left.poll();
                    right.poll();
                }
            }
            for (final FuzzedEnd end : List.of(left, right)) {
                assertUnharmed(end.context);
                assertThat(end.context.counters().get(NicCounter.DROP_WRONG_SOURCE)).isPositive();
                assertThat(end.context.cmCounters().get(CmCounter.MALFORMED)).isPositive();
            }
        } finally {
            for (final DatagramChannel socket : sockets) {
                socket.close();
            }
        }
    }
}
