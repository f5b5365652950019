package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
        return RdpDriver.driven(drivers.context(last), CONFIG, new SplittableRandom(last), 0);
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
}
