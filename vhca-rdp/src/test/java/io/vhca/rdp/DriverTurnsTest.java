package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.Peer;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.verbs.RdpNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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

    /** Somebody comes, and is gone, as soon as who is about to doze has looked for the last time. */
    private static final class LateGate extends DriverGate {
        private final Consumer<DriverTurns> comer;
        private @Nullable DriverTurns turns;
        private boolean hasCome;
        private boolean isDozing;

        LateGate(final Consumer<DriverTurns> comer) {
            this.comer = comer;
        }

        @Override
        void leave() {
            super.leave();
            final DriverTurns its = turns;
            if (its != null && its.isDozing() && !hasCome) {
                hasCome = true;
                comer.accept(its);
                isDozing = its.isDozing();
            }
        }
    }

    /** What it does may leave something to do. */
    @Test
    @Timeout(60)
    void whoComesFirstEndsTheDozeOfTheDriversThread() {
        final List<Consumer<DriverTurns>> comers =
                List.of(turns -> turns.inside(engine -> engine), turns -> turns.help(System.nanoTime()));
        for (final Consumer<DriverTurns> comer : comers) {
            final LateGate gate = new LateGate(turns -> {
                comer.accept(turns);
                while (node.wake().getCqEvent(Long.MAX_VALUE / 2) != null) {
                    Thread.onSpinWait(); // until it is the comer that has ended the sleep
                }
            });
            gate.turns = new DriverTurns(node, gate);
            while (!gate.hasCome) {
                gate.turns.sleep();
            }
            assertThat(gate.isDozing).isFalse();
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
