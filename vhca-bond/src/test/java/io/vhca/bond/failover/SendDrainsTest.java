package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WrOpcode;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SendDrainsTest {
    private final TwoBonds bonds = new TwoBonds();
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        passive.receives(8);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void toSqd(final boolean isNotified) {
        final QpAttributes change = new QpAttributes().qpState(QpState.SQD);
        active.qp().modify(isNotified ? change.enSqdAsyncNotify(1) : change);
    }

    private void assertDrained() {
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.SQ_DRAINED);
    }

    @Test
    void theEventComesWhenTheLastRequestOfTheHardwareIsDone() {
        bonds.fabric.stop(true);
        active.send(1, "one");
        toSqd(true);
        active.send(2, "two");
        bonds.advance(5 * MS);
        assertThat(bonds.a.events()).isEmpty();
        bonds.fabric.stop(false);
        bonds.advance(5 * MS);
        assertDrained();
        assertThat(active.polled()).as("what was posted in SQD waits").containsExactly("1 SUCCESS");
        active.qp().modify(new QpAttributes().qpState(QpState.RTS));
        bonds.settle();
        assertThat(active.polled()).containsExactly("2 SUCCESS");
    }

    @Test
    void aRequestWithoutACompletionOfItsOwnIsDoneWhenTheProbeBehindItIs() {
        bonds.fabric.stop(true);
        active.post(1, WrOpcode.SEND, "one", 0, 0, 0);
        toSqd(true);
        bonds.advance(2 * MS);
        assertThat(bonds.a.events()).isEmpty();
        bonds.fabric.stop(false);
        bonds.advance(5 * MS);
        assertDrained();
    }

    @Test
    void whoDoesNotAskForTheEventHearsNothing() {
        toSqd(false);
        bonds.advance(5 * MS);
        assertThat(bonds.a.events()).isEmpty();
    }

    @Test
    void theDrainSurvivesAFailover() {
        bonds.fabric.stop(true);
        active.send(1, "one");
        toSqd(true);
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).contains(AsyncEventType.SQ_DRAINED);
    }

    @Test
    void whoGoesOnIsNotLookedAtAnyMore() {
        bonds.fabric.stop(true);
        active.send(1, "one");
        toSqd(true);
        active.qp().modify(new QpAttributes().qpState(QpState.RTS));
        bonds.fabric.stop(false);
        bonds.advance(5 * MS);
        assertThat(bonds.a.events()).isEmpty();
    }

    /** It would be looked at each millisecond for as long as the bond is there. */
    @Test
    void whoIsDestroyedIsNotLookedAtAnyMore() {
        bonds.fabric.stop(true);
        active.send(1, "one");
        toSqd(true);
        bonds.settle();
        active.close();
        bonds.fabric.stop(false);
        bonds.advance(5 * MS);
        assertThat(bonds.a.events()).isEmpty();
        assertThat(bonds.a.context().nextDeadlineNs() - bonds.nowNs()).isGreaterThan(MS);
    }
}
