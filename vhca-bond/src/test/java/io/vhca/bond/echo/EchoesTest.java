package io.vhca.bond.echo;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpType;
import io.vhca.api.ServiceClass;
import io.vhca.api.WcFlags;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.HandDriver;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.wire.EchoDescriptor;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Echoes of bonds whose threads sleep: each gives the bond that it comes to one turn, and is done with it. */
class EchoesTest {
    /** Between two questions of an idle bond: 20 times {@code detect_min}. */
    private static final long BEAT_NS = 1_000 * MS;

    private static final int STEPS = 50;
    private static final long STEP_NS = BEAT_NS / STEPS;
    private static final int PATHS = 2;

    private final TwoBonds bonds = new TwoBonds(options -> options.heartbeatNs(0).watchdogNs(0));

    private final HandDriver threadOfA = new HandDriver();
    private final HandDriver threadOfB = new HandDriver();

    @BeforeEach
    void connect() {
        threadOfA.drive(bonds.a);
        threadOfB.drive(bonds.b);
        bonds.connect();
        bonds.advance(2 * BEAT_NS);
        for (int step = 0; step < 5 * STEPS; step++) { // until both know whom to ask, and have been answered
            bonds.pause(STEP_NS);
            turn(bonds.a);
            turn(bonds.b);
        }
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    /** How often the bond was woken by completions. */
    private static int heard(final HandBond bond) {
        return bond.device(0).opened().cqEvents() + bond.device(1).opened().cqEvents();
    }

    /** What is on its way arrives, and both bonds have heard of all that has. */
    private void deliver() {
        bonds.fabric.run();
        awaitTurns(bonds.a, threadOfA);
        awaitTurns(bonds.b, threadOfB);
    }

    private static void awaitTurns(final HandBond bond, final HandDriver thread) {
        while (thread.turns.availablePermits() < heard(bond)) {
            assertThat(Thread.currentThread().isInterrupted()).as("timed out").isFalse();
            Thread.onSpinWait();
        }
    }

    private void turn(final HandBond bond) {
        bond.context().doWork(bonds.nowNs());
        deliver();
    }

    /** Until bond a has asked over all paths. */
    private void ask() {
        final int before = heard(bonds.b);
        for (int step = 0; step < 2 * STEPS && heard(bonds.b) == before; step++) {
            bonds.pause(STEP_NS); // of a turn that is late not all of the time counts
            turn(bonds.a);
        }
    }

    @Test
    void anEchoGivesOneTurnAndNothingFollowsIt() {
        for (int beat = 0; beat < 3; beat++) {
            final int answers = heard(bonds.a);
            final int questions = heard(bonds.b);
            ask();
            assertThat(heard(bonds.b) - questions).isEqualTo(PATHS);
            assertThat(heard(bonds.a) - answers).as("not of what it sent").isZero();
            assertThat(bonds.b.context().doWork(bonds.nowNs())).isZero();
            deliver();
            assertThat(heard(bonds.b) - questions).as("not of what it sent").isEqualTo(PATHS);
            assertThat(heard(bonds.a) - answers).isEqualTo(PATHS);
            assertThat(bonds.a.context().doWork(bonds.nowNs())).isZero();
        }
    }

    @Test
    void whoIsNotAnsweredForLongCanAskStill() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        for (int beat = 0; beat < 2 * EchoPort.DEPTH; beat++) {
            ask();
        }
        bonds.fabric.heal();
        final int before = heard(bonds.b);
        ask();
        assertThat(heard(bonds.b) - before).isEqualTo(PATHS);
    }

    /** Whoever sends them: handles are not made without end. */
    @Test
    void questionsOfManyClassesTakeAFewHandles() {
        final FakeContext device = bonds.b.device(0).opened();
        final FakeQp asked = device.queuePairs().stream()
                .filter(qp -> qp.qpType() == QpType.UD)
                .findFirst()
                .orElseThrow();
        final int before = device.addressVectors().size();
        for (int tos = 1; tos < 4 * EchoPort.MOST_CLASSES; tos++) {
            asked.inject(question(tos));
        }
        ask(); // which wakes it
        bonds.settle();
        assertThat(device.addressVectors()).hasSize(before + EchoPort.MOST_CLASSES);
    }

    private static byte[] question(final int tos) {
        final ByteBuffer message = ByteBuffer.allocate(WcFlags.GRH_BYTES + EchoDescriptor.SIZE);
        new Echo(EchoDescriptor.QUESTION, ServiceClass.ofTos(tos), tos, InetAddress.ofLiteral("10.1.0.1"))
                .encode(message.slice(WcFlags.GRH_BYTES, EchoDescriptor.SIZE));
        return message.array();
    }
}
