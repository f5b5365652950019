package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.Peer;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.verbs.RdpNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No turn is given after the end, however close to it; and a thread that dozes is woken by who comes. */
class DriverTurnsTest {
    private final Drivers drivers = new Drivers();
    private final RdpNode node = new RdpNode(drivers.context(1), RdpConfig.DEFAULT, new SplittableRandom(1), 0);

    @AfterEach
    void close() {
        node.close();
        drivers.close();
    }

    /** Another thread comes first, closes the driver, and is gone. */
    private static final class SlowGate extends DriverGate {
        private Runnable first = () -> {};

        @Override
        boolean tryEnter() {
            first.run();
            return super.tryEnter();
        }
    }

    @Test
    void whoComesInJustAfterTheEndDoesNothing() {
        final Peer called = call();
        final SlowGate gate = new SlowGate();
        final DriverTurns turns = new DriverTurns(node, gate);
        gate.first = turns::close;
        assertThat(turns.turn(RdpConfig.DEFAULT.connectTimeoutNs())).isZero();
        assertThat(called.state()).as("what is due is not done").isEqualTo(PeerState.CONNECTING);
    }

    /** What it does may leave something to do. */
    @Test
    @Timeout(60)
    void whoComesFirstEndsTheDozeOfTheDriversThread() throws InterruptedException {
        final DriverTurns turns = new DriverTurns(node);
        final List<Runnable> comers =
                List.of(() -> turns.inside(engine -> engine), () -> turns.help(System.nanoTime()));
        for (final Runnable comer : comers) {
            final AtomicBoolean isOver = new AtomicBoolean();
            final Thread own = new Thread(() -> {
                while (!isOver.get()) {
                    turns.sleep();
                }
            });
            own.start();
            while (!turns.isDozing()) {
                Thread.onSpinWait();
            }
            isOver.set(true); // it does not doze again
            comer.run();
            assertThat(turns.isDozing()).isFalse();
            own.join();
        }
    }

    /** Calls a node that is not there, which the next turn gives up when its time has come. */
    private Peer call() {
        final RdpEngine engine = node.engine();
        final Peer called = engine.nodes().peer(Drivers.own(2));
        engine.nodes().onConnecting(called);
        return called;
    }
}
