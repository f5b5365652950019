package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.cm.CmScope;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hardware that never gives up, and no heartbeat: what is found here is found by asking. The peer has no echoes, so it
 * is asked by the connection manager.
 */
class StallDetectorTest {
    private static final long LEAST_NS = 50 * MS;
    /** An idle bond looks every 250 ms; then come a wait, and as long again for the answer. */
    private static final long FOUND_NS = 350 * MS;

    private final TwoBonds bonds = new TwoBonds(options -> options.heartbeatNs(0).watchdogNs(0));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        bonds.b.device(0).withoutDatagrams();
        bonds.b.device(1).withoutDatagrams();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        passive.receives(2);
        bonds.advance(1_000 * MS);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void cut(final int network) {
        bonds.fabric.cut(bonds.a.device(network), bonds.b.device(network));
    }

    private long questions() {
        final List<InetAddress> own =
                List.of(bonds.a.device(0).address(), bonds.a.device(1).address());
        return bonds.fabric.heard().stream()
                .filter(one -> one.kind() == CmMessage.REQ && own.contains(one.from()))
                .count();
    }

    @Test
    void aPathThatDiesUnderARequestIsFoundByAskingThePeer() {
        cut(0);
        active.send(1, "one");
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers())
                .as(bonds.a.journal())
                .extracting(report -> report.reason())
                .containsExactly(FailureReason.HEARTBEAT);
        assertThat(active.recovery().attachment().describe()).startsWith("a1");
        assertThat(bonds.polled(active)).containsExactly("1 SUCCESS");
    }

    @Test
    void aBondWithSomethingUnderWayLooksMoreOften() {
        passive.receives(8);
        for (int i = 0; i < 8; i++) { // longer than an idle bond does not look
            active.send(i, "busy");
            bonds.advance(LEAST_NS);
            assertThat(active.polled()).hasSize(1);
        }
        cut(0);
        active.send(9, "one");
        bonds.advance(3 * LEAST_NS + 2 * MS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    @Test
    void aShorterDetectMinCountsAtOnce() {
        bonds.a.context().admin().set(List.of("detect_min=60s"));
        bonds.advance(1_000 * MS);
        bonds.a.context().admin().set(List.of("detect_min=50ms"));
        cut(0);
        active.send(1, "one");
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    @Test
    void allOnThePathMove() {
        final AppEnd idle = bonds.connect().active();
        cut(0);
        active.send(1, "one");
        bonds.advance(FOUND_NS);
        assertThat(idle.recovery().attachment().describe()).startsWith("a1");
    }

    /** RNR: the peer answers over the path, and is asked less and less often. */
    @Test
    void aReceiverThatIsNotReadyMovesNobody() {
        active.send(1, "one");
        active.send(2, "two");
        bonds.settle();
        active.send(3, "waits");
        final long before = questions();
        bonds.advance(20_000 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        final long asked = bonds.a.count(Counter.PATHS_SUSPECTED);
        assertThat(asked).as("less and less often").isBetween(2L, 15L);
        assertThat(questions() - before)
                .as("two a question, and now and then two whether the peer has echoes by now")
                .isBetween(2 * asked, 2 * asked + 14);
        passive.receive(9);
        bonds.settle();
        assertThat(active.polled()).hasSize(3);
    }

    /** What has completed stands in the physical CQ until somebody looks. */
    @Test
    void anApplicationThatDoesNotPollAsksNobody() {
        active.send(1, "one");
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.count(Counter.PATHS_SUSPECTED)).isZero();
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    /** How long it takes an application to poll says nothing of how long requests take. */
    @Test
    void anApplicationThatSeldomPollsIsToldAsSoonAsOthers() {
        passive.receives(8);
        for (int i = 0; i < 8; i++) {
            active.send(i, "busy");
            bonds.advance(10 * LEAST_NS);
            assertThat(active.polled()).hasSize(1);
        }
        cut(0);
        active.send(9, "one");
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    /** The path answers: only a look at what was flushed finds it. */
    @Test
    void aQueuePairThatFlushesUnaskedIsRecovered() {
        active.send(1, "one");
        bonds.fabric.stop(true);
        active.physical().flushUnasked();
        bonds.fabric.stop(false);
        bonds.advance(10_000 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.context().failovers())
                .extracting(report -> report.reason())
                .containsExactly(FailureReason.LOCAL_QP_ERROR);
    }

    /** As of a peer's process that has no turn: there is nothing to go over to. */
    @Test
    void wherePeersAreSilentOnAllPathsNothingFollows() {
        cut(0);
        cut(1);
        active.send(1, "one");
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.fabric.heal();
        bonds.advance(LEAST_NS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void withoutAnotherPathNobodyIsAsked() {
        bonds.a.device(1).port(false);
        bonds.settle();
        final long before = questions();
        cut(0);
        active.send(1, "one");
        bonds.advance(5_000 * MS);
        assertThat(questions()).isEqualTo(before);
    }

    /** What came in time is not judged by a look that comes late. */
    @Test
    void ofALateLookNothingFollowsAtOnce() {
        cut(0);
        active.send(1, "one");
        final long before = questions();
        while (questions() == before) {
            bonds.advance(MS);
        }
        bonds.pause(300 * MS);
        bonds.settle();
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.advance(LEAST_NS + MS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    /** A peer that takes its time to answer over one path may take it over the other. */
    @Test
    void theAnswerMayBeAsLateAsTheOneOverTheOtherPath() {
        cut(0);
        active.send(1, "one");
        for (int ms = 0; ms < 600; ms++) { // only b has no turns
            bonds.pause(MS);
            bonds.a.context().doWork(bonds.nowNs());
            bonds.fabric.run();
        }
        bonds.settle();
        bonds.advance(200 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.advance(400 * MS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    @Test
    void detectHardwareAsksNobody() {
        bonds.a.context().admin().set(List.of("detect=hardware"));
        assertThat(bonds.a.context().admin().config().get(BondOption.DETECT)).isEqualTo(Detect.HARDWARE);
        final long before = questions();
        cut(0);
        active.send(1, "one");
        bonds.advance(5_000 * MS);
        assertThat(questions()).isEqualTo(before);
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    @Test
    void ofQueuePairsThatAreGoneItKeepsNothing() {
        final VerbsScope verbs = bonds.a.verbs();
        final CmScope cm = bonds.a.cm();
        final BondCore core = verbs.core();
        bonds.a.locked(() -> {
            try (PathEchoes echoes =
                    new PathEchoes(core, cm.links(), cm.members(), verbs.qps(), cm.peers())) {
                final PathInquirer inquirer = new PathInquirer(core, cm.links(), cm.members(), echoes);
                final SilenceMonitor silence = new SilenceMonitor(core.config(), verbs.qps());
                final StallDetector detector = new StallDetector(
                        core, verbs.qps(), new PathInquiries(core, inquirer, silence), echoes);
                detector.doWork(bonds.nowNs());
                detector.doWork(bonds.nowNs() + LEAST_NS);
                final int before = detector.watched();
                assertThat(before).isPositive();
                active.close();
                assertThat(detector.watched()).isEqualTo(before - 1);
            }
        });
    }
}
