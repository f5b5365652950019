package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gives a driver its turns: threads of the application, and its own thread where they do not. */
@Timeout(60)
class DriverHelpTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Drivers drivers = new Drivers();
    private final RdpDriver left = drivers.open(1);
    private final RdpDriver right = drivers.open(2);

    @AfterEach
    void close() {
        drivers.close();
    }

    @Test
    void aTurnOfTheApplicationIsHelpUntilItSaysThatItWaits() {
        try (RdpDriver driven =
                RdpDriver.driven(drivers.context(3), RdpConfig.DEFAULT, new SplittableRandom(1), 0)) {
            assertThat(driven.takeHelped()).as("nobody was there").isFalse();
            driven.turn(1);
            assertThat(driven.takeHelped()).as("a turn").isTrue();
            assertThat(driven.takeHelped()).as("no turn since").isFalse();
            driven.turn(2);
            driven.waits();
            assertThat(driven.takeHelped()).as("it waits").isFalse();
            driven.ownTurn(3);
            assertThat(driven.takeHelped()).as("the driver's own turn").isFalse();
        }
    }

    @Test
    void whatComesAfterTheLastTurnOfTheApplicationIsNotForgotten() throws InterruptedException {
        final RdpSocket from = left.bind(0);
        final RdpSocket to = right.bind(4_000);
        final ByteBuffer datagram = ByteBuffer.allocateDirect(64);
        for (int round = 0; round < 50; round++) {
            final CountDownLatch told = new CountDownLatch(1);
            to.watch(told::countDown);
            // It helps, and does not say when it stops.
            right.doWork(System.nanoTime());
            assertThat(from.send(datagram.clear(), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
            told.await();
            assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
            to.watch(null);
        }
    }
}
