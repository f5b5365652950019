package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Marks behind one-sided requests, in the word that the peer's bond tells of. */
class QpLedgerTest {
    private final TwoBonds bonds = new TwoBonds(options -> options.ledger(LedgerMode.EACH));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void theFirstWriteAsksForTheWordAndTheMarkSaysHowFarThePeerIs() {
        active.write(1, "one", passive.into(0), passive.region().rkey());
        active.write(2, "two", passive.into(1), passive.region().rkey());
        bonds.advance(20 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(passive.qp().ledger().marked()).isEqualTo(2);
    }

    @Test
    void aWriteThatTheMarkProvesIsNotSentAgain() {
        active.write(1, "one", passive.into(0), passive.region().rkey());
        bonds.advance(20 * MS);
        bonds.fabric.stop(true);
        active.write(2, "two", passive.into(1), passive.region().rkey());
        active.write(3, "three", passive.into(2), passive.region().rkey());
        active.physical().executeUnacknowledged(2);
        bonds.fabric.stop(false);
        bonds.a.device(0).port(false);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(bonds.a.count(Counter.NEGOTIATED)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.REPLAYED)).isEqualTo(1);
        assertThat(passive.text(2, 5)).isEqualTo("three");
    }

    @Test
    void theWordIsAskedForAgainWhileNobodyAnswers() {
        bonds.fabric.stop(true);
        active.write(1, "one", passive.into(0), passive.region().rkey());
        bonds.advance(50 * MS);
        bonds.fabric.stop(false);
        bonds.advance(50 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }
}
