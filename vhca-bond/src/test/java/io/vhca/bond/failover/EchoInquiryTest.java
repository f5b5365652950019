package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hardware that never gives up, and no heartbeat: what is found here is found by echoes, in a round trip or two. */
class EchoInquiryTest {
    /** {@code detect_min}. */
    private static final long LEAST_NS = 50 * MS;
    /** A bond with something under way looks twice in that time, asks twice and then waits for half of it. */
    private static final long FOUND_NS = 2 * LEAST_NS + LEAST_NS / 4;
    /** So long both paths may be silent: four times the half of the least time. */
    private static final long SILENT_NS = 2 * LEAST_NS;
    /** Longer than an idle bond does not look. */
    private static final int BUSY = 8;

    private TwoBonds bonds = twoBonds();
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;
    private int sent;

    private static TwoBonds twoBonds() {
        return new TwoBonds(options -> options.heartbeatNs(0).watchdogNs(0));
    }

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        bonds.advance(2_100 * MS);
        busy();
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    /** Something is under way all the time; then one more receive is there. */
    private void busy() {
        for (int i = 0; i < BUSY; i++) {
            passive.receive(i);
            send();
            bonds.advance(LEAST_NS);
            assertThat(active.polled()).hasSize(1);
        }
        passive.receive(BUSY);
    }

    /** A request waits for a receiver that is not ready: only the peer can say that the path carries. */
    private void sendTooMuch() {
        send();
        bonds.settle();
        assertThat(active.polled()).hasSize(1);
        send();
    }

    private void untilSuspected() {
        while (bonds.a.count(Counter.PATHS_SUSPECTED) == 0) {
            bonds.advance(MS);
        }
    }

    private void send() {
        active.send(++sent, "one");
    }

    private void cut(final int network) {
        bonds.fabric.cut(bonds.a.device(network), bonds.b.device(network));
    }

    private long questions() {
        return bonds.fabric.heard().stream().filter(one -> one.kind() == CmMessage.REQ).count();
    }

    /** No REQ and no REJ of the connection manager arrives any more. */
    private void withoutConnectionManager() {
        bonds.fabric.lose(CmMessage.REJ);
    }

    @Test
    void aPathThatDiesIsFoundWithoutTheConnectionManager() {
        withoutConnectionManager();
        cut(0);
        send();
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers())
                .as(bonds.a.journal())
                .extracting(report -> report.reason())
                .containsExactly(FailureReason.HEARTBEAT);
        assertThat(active.recovery().attachment().describe()).startsWith("a1");
        assertThat(bonds.polled(active)).containsExactly(sent + " SUCCESS");
        assertThat(bonds.a.count(Counter.PATHS_SUSPECTED)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.PATHS_LOST)).isEqualTo(1);
    }

    @Test
    void aReceiverThatIsNotReadyMovesNobody() {
        sendTooMuch();
        final long before = questions();
        bonds.advance(20_000 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        assertThat(bonds.a.count(Counter.PATHS_SUSPECTED)).as("less and less often").isBetween(2L, 15L);
        assertThat(bonds.a.count(Counter.PATHS_LOST)).isZero();
        assertThat(questions()).as("none by the connection manager").isEqualTo(before);
    }

    /** Nothing is answered over the other path either: then the connection manager asks, and knows no more. */
    @Test
    void wherePeersAreSilentOnAllPathsNothingFollows() {
        cut(0);
        cut(1);
        send();
        final long before = questions();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        assertThat(questions()).isGreaterThan(before);
        bonds.fabric.heal();
        bonds.advance(LEAST_NS);
        assertThat(active.polled()).containsExactly(sent + " SUCCESS");
    }

    /** Neither path answers, and the session that the connection manager would be asked for is over by then. */
    @Test
    void aResetInTheMidstOfAnInquiryStopsNobodysTurns() {
        cut(0);
        cut(1);
        send();
        untilSuspected();
        bonds.advance(SILENT_NS - 2 * MS);
        active.qp().modify(new QpAttributes().qpState(QpState.RESET));
        bonds.pause(4 * MS);
        bonds.a.context().doWork(bonds.nowNs());
        assertThat(bonds.a.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }

    /** Both answers are as late: they go through the same thread. */
    @Test
    void aPeerWithoutATurnMovesNobody() {
        sendTooMuch();
        for (int ms = 0; ms < 400; ms++) {
            bonds.pause(MS);
            bonds.a.context().doWork(bonds.nowNs());
            bonds.fabric.run();
        }
        assertThat(bonds.a.count(Counter.PATHS_SUSPECTED)).isNotZero();
        bonds.settle();
        bonds.advance(LEAST_NS);
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    /** What came in time is not judged by a look that comes late. */
    @Test
    void ofALateLookNothingFollowsAtOnce() {
        cut(0);
        send();
        untilSuspected();
        bonds.pause(300 * MS);
        bonds.settle();
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.advance(LEAST_NS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    /** Its turns come later than an answer may: each look counts for so much, and no inquiry begins anew for it. */
    @Test
    void aBondWhoseEveryLookComesLateFindsItToo() {
        withoutConnectionManager();
        cut(0);
        send();
        untilSuspected();
        for (int looks = 0; looks < 8; looks++) {
            bonds.pause(40 * MS);
            bonds.settle();
        }
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(1);
    }

    /** Datagrams may get lost, and one answer is enough. */
    @Test
    void aPathThatAnswersOneOfSeveralQuestionsIsNotDead() {
        sendTooMuch();
        cut(0);
        untilSuspected();
        bonds.advance(LEAST_NS / 10);
        bonds.fabric.heal();
        bonds.advance(2 * LEAST_NS);
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    @Test
    void aPathThatAnswersNoneIsDeadWhateverTheRequestWaitsFor() {
        sendTooMuch();
        cut(0);
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).hasSize(1);
    }

    /** Its number is another one then, and nobody says so. */
    @Test
    void aPeerWhoseDeviceCameBackIsAskedByItsNewNumber() {
        // No heartbeat finds that what stood by is gone with that device.
        bonds.a.context().admin().set(List.of("standby=cold"));
        bonds.b.device(1).die();
        bonds.advance(200 * MS);
        bonds.b.device(1).plug();
        bonds.advance(20_000 * MS);
        busy();
        withoutConnectionManager();
        cut(0);
        send();
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(1);
    }

    /** A bond that does not know yet who asks says that it has none: nobody waits for 64 beats until that is over. */
    @Test
    void aPeerThatHadNoEchoIsSoonAskedAgain() {
        bonds.close();
        bonds = twoBonds();
        bonds.b.context().admin().set(List.of("detect=hardware"));
        active = new AppEnd(bonds.a);
        connect();
        bonds.b.context().admin().set(List.of("detect=probe"));
        for (int i = 0; i < 5; i++) {
            passive.polled();
            busy();
        }
        withoutConnectionManager();
        cut(0);
        send();
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(1);
    }

    /** What a recovery would rather not try is good enough to compare with, as soon as it answers again. */
    @Test
    void aPathThatFailedAShortTimeAgoIsComparedWith() {
        cut(0);
        send();
        bonds.advance(FOUND_NS);
        assertThat(bonds.polled(active)).containsExactly(sent + " SUCCESS");
        bonds.fabric.heal();
        busy();
        withoutConnectionManager();
        cut(1);
        send();
        bonds.advance(FOUND_NS);
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(2);
    }

    @Test
    void detectHardwareHasNoEchoes() {
        bonds.a.context().admin().set(List.of("detect=hardware"));
        withoutConnectionManager();
        cut(0);
        send();
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
        assertThat(bonds.a.count(Counter.PATHS_SUSPECTED)).isZero();
    }
}
