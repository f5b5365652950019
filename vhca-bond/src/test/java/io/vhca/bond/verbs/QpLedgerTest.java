package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.wire.LedgerWord;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Marks behind one-sided requests, in the word that the peer's bond tells of. */
class QpLedgerTest {
    /** Words of a page of the board. */
    private static final int WORDS = 512;

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

    @Test
    void whoHasNoRoomForTheWordGivesItLater() {
        bonds.b.device(1).refuseOnce("regMr");
        active.write(1, "one", passive.into(0), passive.region().rkey());
        bonds.settle();
        assertThat(active.polled()).isEmpty();
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.b.count(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(1);
        assertThat(bonds.b.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }

    /** Behind it goes a mark, and nobody knows yet where to. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void aWriteWithAKeyThatNobodyHasWaitsForTheWordAsWell(final int key) {
        bonds.fabric.stop(true);
        active.write(1, "one", passive.into(0), key);
        bonds.advance(50 * MS);
        assertThat(kindsSent()).doesNotContain(PhysicalWrId.KIND_SEND, PhysicalWrId.KIND_MARK);
        bonds.fabric.stop(false);
        bonds.advance(50 * MS);
        assertThat(kindsSent()).containsSequence(PhysicalWrId.KIND_SEND, PhysicalWrId.KIND_MARK);
    }

    private List<Integer> kindsSent() {
        return active.physical().everSent().stream()
                .map(sent -> PhysicalWrId.kind(sent.wrId()))
                .toList();
    }

    @Test
    void aWriteIsWrittenThoughItsWordHasMarksOfAQueuePairThatIsGone() {
        active.write(1, "old", passive.into(1), passive.region().rkey());
        bonds.advance(20 * MS);
        final LedgerWord word = Objects.requireNonNull(passive.qp().ledger().word());
        assertThat(word.read()).isEqualTo(1);
        active.close();
        passive.close();
        bonds.settle();
        final LedgerBoard board = bonds.b.pd().ledgerBoard();
        bonds.b.locked(() -> {
            for (int others = 1; others < WORDS; others++) {
                assertThat(board.take()).isNotEqualTo(word);
            }
        });
        final TwoBonds.Connection next = bonds.connect();
        next.active().physical().pause(true);
        next.active().write(4, "new", next.passive().into(5), next.passive().region().rkey());
        bonds.advance(20 * MS);
        assertThat(next.active().physical().outstanding()).as("the WRITE and its mark").isEqualTo(2);
        assertThat(next.passive().qp().ledger().word()).as("its turn has come again").isEqualTo(word);
        bonds.a.device(0).port(false);
        bonds.advance(1_000 * MS);
        assertThat(next.active().polled()).containsExactly("4 SUCCESS");
        assertThat(next.passive().text(5, 3)).isEqualTo("new");
    }
}
