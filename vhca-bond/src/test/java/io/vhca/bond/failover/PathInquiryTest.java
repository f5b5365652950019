package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that has no echoes, and hardware that never gives up: the connection manager asks. */
class PathInquiryTest {
    /** {@code detect_min}. */
    private static final long LEAST_NS = 50 * MS;

    private static final int BUSY = 8;

    private final TwoBonds bonds = new TwoBonds(options -> options.heartbeatNs(0).watchdogNs(0));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;
    private int sent;

    @BeforeEach
    void connect() {
        bonds.b.context().admin().set(List.of("detect=hardware"));
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        bonds.advance(2_100 * MS);
        for (int i = 0; i < BUSY; i++) {
            passive.receive(i);
            send();
            bonds.advance(LEAST_NS);
            assertThat(active.polled()).hasSize(1);
        }
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void send() {
        active.send(++sent, "one");
    }

    private void untilSuspected() {
        while (bonds.a.count(Counter.PATHS_SUSPECTED) == 0) {
            bonds.advance(MS);
        }
    }

    private void cut() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
    }

    /** So many looks, each of which comes late. */
    private void lateLooks(final int looks, final long lateNs) {
        for (int i = 0; i < looks; i++) {
            bonds.pause(lateNs);
            bonds.settle();
        }
    }

    @Test
    void aPathThatDiesIsFound() {
        passive.receive(BUSY);
        cut();
        send();
        untilSuspected();
        bonds.advance(20 * LEAST_NS);
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(1);
        assertThat(bonds.polled(active)).containsExactly(sent + " SUCCESS");
    }

    @Test
    void aReceiverThatIsNotReadyMovesNobody() {
        send();
        bonds.settle();
        send();
        untilSuspected();
        lateLooks(40, 300 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    /** What came in time is not judged by a look that comes late. */
    @Test
    void ofALateLookNothingFollowsAtOnce() {
        cut();
        send();
        untilSuspected();
        lateLooks(1, 300 * MS);
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    /** Each look counts for part of the time that an answer may take: late ones put nothing off for ever. */
    @Test
    void aBondWhoseEveryLookComesLateFindsItToo() {
        passive.receive(BUSY);
        cut();
        send();
        untilSuspected();
        lateLooks(20, 300 * MS);
        assertThat(bonds.a.context().failovers()).as(bonds.a.journal()).hasSize(1);
    }
}
