package io.vhca.bond.control;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code confirm = peer}: success is reported when the peer's bond has the data. */
class ConfirmationsTest {
    private final TwoBonds bonds =
            new TwoBonds(options -> options.confirm(ConfirmMode.PEER).ledger(LedgerMode.EACH));
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

    @Test
    void whatHardwareHasAcknowledgedIsNotSuccessYet() {
        active.send(1, "one");
        bonds.fabric.run();
        assertThat(active.polled()).isEmpty();
        bonds.advance(10 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aWriteIsConfirmedByItsMark() {
        active.write(1, "one", passive.into(9), passive.region().rkey());
        bonds.advance(20 * MS);
        assertThat(bonds.polled(active)).containsExactly("1 SUCCESS");
        assertThat(passive.text(9, 3)).isEqualTo("one");
    }

    @Test
    void oneQuestionServesMany() {
        for (int i = 0; i < 8; i++) {
            active.send(i, "m" + i);
        }
        bonds.advance(10 * MS);
        assertThat(bonds.polled(active)).hasSize(8).allMatch(text -> text.endsWith("SUCCESS"));
    }

    @Test
    void afterAFailoverTheExchangedCountsConfirm() {
        active.send(1, "one");
        active.send(2, "two");
        bonds.fabric.run();
        assertThat(active.polled()).isEmpty();
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        assertThat(bonds.a.count(Counter.REPLAYED)).isZero();
    }

    @Test
    void whatThePeerHasButHardwareHasNotCompletedWaitsForThat() {
        active.send(1, "one");
        bonds.fabric.run();
        active.send(2, "two");
        active.physical().executeUnacknowledged();
        assertThat(active.polled()).isEmpty();
        final FakeQp physical = active.physical();
        physical.pause(true);
        bonds.advance(20 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        physical.completeUnacknowledged();
        assertThat(active.polled()).isEmpty();
        bonds.advance(20 * MS);
        assertThat(active.polled()).containsExactly("2 SUCCESS");
    }

    @Test
    void aPeerThatDoesNotAnswerIsAskedAgain() {
        active.send(1, "one");
        bonds.fabric.run();
        assertThat(active.polled()).isEmpty();
        bonds.fabric.stop(true);
        bonds.advance(30 * MS);
        assertThat(active.polled()).isEmpty();
        bonds.fabric.stop(false);
        bonds.advance(30 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    /** Neither where the application ends it nor where no path is left: the peer's bond may not have it. */
    @Test
    void whatWasNotConfirmedIsNoSuccessWhenTheQueuePairEnds() {
        active.send(1, "one");
        bonds.fabric.run();
        assertThat(active.polled()).isEmpty();
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 WR_FLUSH_ERR");
    }

    @Test
    void whatWasNotConfirmedIsNoSuccessWhenNoPathIsLeft() {
        active.send(1, "one");
        bonds.fabric.run();
        assertThat(active.polled()).isEmpty();
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.advance(100_000 * MS);
        assertThat(active.polled()).hasSize(1).doesNotContain("1 SUCCESS");
    }

    @Test
    void aQueuePairThatIsDestroyedIsNotAskedFor() {
        active.send(1, "one");
        bonds.fabric.run();
        active.poll();
        bonds.a.context().doWork(bonds.nowNs());
        active.close();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }
}
