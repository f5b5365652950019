package io.vhca.harness.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets as the benchmarks measure them: two ends over loopback, each in a thread. */
@Timeout(300)
class SocketWireTest {
    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int WINDOW = 4;
    private static final int[] SIZES = {64, 8_192, 32_768};

    private static Context soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, OwnAddress.of(last), 4096)).open();
    }

    /** What one round leaves must not be in the way of the next, whatever it measures. */
    private static void measure(final BenchWire client, final BenchWire server, final ExecutorService threads)
            throws Exception {
        for (final int size : SIZES) {
            for (final boolean isEcho : new boolean[] {false, true, false}) {
                final AtomicBoolean over = new AtomicBoolean();
                final Future<?> serving = threads.submit(() -> server.serve(size, isEcho, over::get));
                try {
                    long carried = 0;
                    while (carried == 0) { // the far end is late
                        carried = isEcho ? client.pingPong(size, ROUND_NS) : client.stream(size, WINDOW, ROUND_NS);
                    }
                } finally {
                    over.set(true);
                    serving.get();
                }
                server.drain();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void extendedSockets(final boolean waits) throws Exception {
        try (Context here = soft("wire-c", 3);
                Context there = soft("wire-d", 4);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
            final Future<ExsWire> accepting =
                    threads.submit(() -> ExsWire.accept(there, listening::complete, 1 << 16, waits));
            final ExsWire client = ExsWire.connect(here, listening.get(), 1 << 16, waits);
            measure(client, accepting.get(), threads);
            client.close();
            accepting.get().close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reliableDatagrams(final boolean waits) throws Exception {
        try (Context here = soft("wire-e", 5);
                Context there = soft("wire-f", 6);
                RdpDriver near = RdpDriver.open(here);
                RdpDriver far = RdpDriver.open(there);
                RdpSocket from = near.bind(0);
                RdpSocket to = far.bind(0);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            measure(
                    new RdpWire(near, from, to.localAddress(), waits, () -> {}),
                    new RdpWire(far, to, null, waits, () -> {}), threads);
        }
    }

    /** Whoever sends to a socket that is not read is refused, and the others go on. */
    @Test
    void besideAReceiverThatDoesNotRead() throws Exception {
        try (Context here = soft("wire-g", 7);
                Context there = soft("wire-h", 8);
                RdpDriver near = RdpDriver.open(here);
                RdpDriver far = RdpDriver.open(there);
                RdpSocket from = near.bind(0);
                RdpSocket to = far.bind(0);
                RdpSocket refused = near.bind(0);
                RdpSocket unread = far.bind(0);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            measure(
                    new RdpWire(
                            near, from, to.localAddress(), false,
                            new StalledSender(near, refused, unread.localAddress())),
                    new RdpWire(far, to, null, false, () -> {}), threads);
            assertThat(refused.send(ByteBuffer.allocate(1), unread.localAddress())).isEqualTo(SendResult.WOULD_BLOCK);
        }
    }

    @Test
    void datagramsOfTheKernel() throws Exception {
        final InetSocketAddress near = new InetSocketAddress(OwnAddress.of(9), 24_794);
        final InetSocketAddress far = new InetSocketAddress(OwnAddress.of(10), 24_794);
        try (KernelWire client = new KernelWire(false, near, far);
                KernelWire server = new KernelWire(false, far, near);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            measure(client, server, threads);
        }
    }

    @Test
    void wiresAreOpenedByName() throws Exception {
        final String own = OwnAddress.of(11).getHostAddress();
        final String peer = OwnAddress.of(12).getHostAddress();
        final WireOpener opener = new WireOpener(true, own, peer, WINDOW, 64, () -> {
            throw new AssertionError("a server says where it is");
        });
        try (KernelWire wire = (KernelWire) opener.open("kernel-udp")) {
            assertThat(wire.stream(64, WINDOW, ROUND_NS)).as("nobody is there").isZero();
        }
    }

    @Test
    void whatTheKernelRefusesIsNamed() {
        final InetSocketAddress own = new InetSocketAddress("192.0.2.1", 24_794);
        assertThatThrownBy(() -> new KernelWire(false, own, own))
                .hasMessageContaining("bind of the UDP socket of /192.0.2.1:24794 ended with errno 99");
    }
}
