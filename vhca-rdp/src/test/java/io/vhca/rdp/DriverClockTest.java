package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a driver believes that things happened, on a clock of the test's. */
@Timeout(60)
class DriverClockTest {
    private static final RdpConfig CONFIG = RdpConfig.DEFAULT;
    private static final int BYTES = CONFIG.inPlaceBytes();

    /** Of three sockets more than a turn takes off a completion queue. */
    private static final int MANY = 400;

    private final Drivers drivers = new Drivers();
    private final RdpDriver near = driven(1);
    private final RdpDriver far = driven(2);
    private final ByteBuffer into = ByteBuffer.allocateDirect(BYTES);

    @AfterEach
    void close() {
        far.close();
        near.close();
        drivers.close();
    }

    private RdpDriver driven(final int last) {
        return driven(last, CONFIG);
    }

    private RdpDriver driven(final int last, final RdpConfig config) {
        return RdpDriver.driven(drivers.context(last), config, new SplittableRandom(last), 0);
    }

    /** Turns at one moment, of the far one alone or of both, until it is so. */
    private void until(final BooleanSupplier isSo, final boolean isFarAlone) {
        while (!isSo.getAsBoolean()) {
            far.doWork(0);
            if (!isFarAlone) {
                near.doWork(0);
            }
            Thread.onSpinWait();
        }
    }

    /** Who had no processor for longer than a node may be silent finds what that node said meanwhile. */
    @Test
    void whatCameDuringAPauseIsHeardAtItsEnd() {
        final RdpSocket from = far.bind(0);
        final RdpSocket to = near.bind(0);
        final SendCompletion sent = new SendCompletion();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment datagram = arena.allocate(BYTES, 64);
            until(() -> from.sendInPlace(datagram, to.localAddress(), 1) == SendResult.SENT, false);
            until(() -> to.receive(into.clear()) != null, false);
            until(() -> from.poll(sent), false);

            until(() -> from.sendInPlace(datagram, to.localAddress(), 2) == SendResult.SENT, true);
            // Its completion says that the near device has it.
            until(() -> from.poll(sent), true);
            near.doWork(2 * CONFIG.nodeTimeoutNs());
            assertThat(near.counters().get(Counter.NODES_DEAD)).isZero();
            assertThat(to.receive(into.clear())).isEqualTo(from.localAddress());
        }
    }

    /** So much came from others that its first turn does not come to what that node said. */
    @Test
    void whatWaitsBehindMuchElseAfterAPauseIsHeardBeforeItsNodeIsJudged() {
        final RdpConfig many = new RdpConfig(
                List.of(512), 2_000, 16, 2_000, 4 << 20, 512, 75, 25, 256L << 20, CONFIG.heartbeatNs(),
                CONFIG.nodeTimeoutNs(), CONFIG.minRecoveryNs(), CONFIG.connectTimeoutNs(), CONFIG.port(), 64, 1,
                256L << 20);
        try (RdpDriver sink = driven(3, many);
                RdpDriver loud = driven(4, many);
                RdpDriver quiet = driven(5, many);
                Arena arena = Arena.ofConfined()) {
            final RdpSocket to = sink.bind(0);
            final MemorySegment datagram = arena.allocate(512, 64);
            final SendCompletion sent = new SendCompletion();
            // One flow sends no more than its window.
            final List<RdpSocket> from = List.of(loud.bind(0), loud.bind(0), loud.bind(0), quiet.bind(0));
            for (final RdpSocket socket : from) {
                all(List.of(loud, quiet, sink), () ->
                        socket.sendInPlace(datagram, to.localAddress(), 1) == SendResult.SENT);
                all(List.of(loud, quiet, sink), () -> socket.poll(sent));
            }
            for (final RdpSocket socket : from.subList(0, 3)) {
                for (int i = 0; i < MANY; i++) {
                    all(List.of(loud), () -> socket.sendInPlace(datagram, to.localAddress(), 2) == SendResult.SENT);
                    all(List.of(loud), () -> socket.poll(sent));
                }
            }
            all(List.of(quiet), () -> from.getLast().sendInPlace(datagram, to.localAddress(), 3) == SendResult.SENT);
            all(List.of(quiet), () -> from.getLast().poll(sent));
            sink.doWork(2 * CONFIG.nodeTimeoutNs());
            sink.doWork(2 * CONFIG.nodeTimeoutNs());
            assertThat(sink.counters().get(Counter.NODES_DEAD)).isZero();
            // They say nothing more. A turn that finds what the one before has sent judges nobody.
            while (sink.counters().get(Counter.NODES_DEAD) < 2) {
                sink.doWork(4 * CONFIG.nodeTimeoutNs());
                Thread.onSpinWait();
            }
            assertThat(sink.counters().get(Counter.NODES_DEAD)).isEqualTo(2);
        }
    }

    /** Turns of those at one moment until it is so. */
    private static void all(final List<RdpDriver> turning, final BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            turning.forEach(driver -> driver.doWork(0));
            Thread.onSpinWait();
        }
    }
}
