package io.vhca.exs.engine;

import static io.vhca.exs.engine.FakePair.isSame;
import static io.vhca.exs.engine.FakePair.receive;
import static io.vhca.exs.engine.FakePair.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.MessageDescriptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which receives a peer is told of, and what it writes into. */
class ToldReceivesTest {
    private static final int LONG = 10_000;

    private FakePair pair = new FakePair(false);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aReceiveThatCameFirstIsWrittenInto() {
        final long to = pair.allocate(LONG);
        receive(pair.right, to, 0, LONG);
        pair.settle();
        final long from = pair.filled(500);
        send(pair.left, from, 500);
        pair.settle();

        assertThat(pair.right.reads).isZero();
        assertThat(pair.left.writes).isOne();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 500, 0, false, null));
        assertThat(pair.left.done).hasSize(1);
        assertThat(isSame(from, to, 500)).isTrue();
    }

    @Test
    void severalReceivesAreWrittenIntoOneAfterTheOther() {
        final long to = pair.allocate(4 * LONG);
        for (int i = 0; i < 4; i++) {
            receive(pair.right, to + (long) i * LONG, Call.WAIT_ALL, LONG);
        }
        pair.settle();
        final long from = pair.filled(4 * LONG);
        send(pair.left, from, LONG + 1, 3 * LONG - 1);
        pair.settle();

        assertThat(pair.right.reads).isZero();
        assertThat(pair.right.done).extracting(FakeEnd.Done::bytes).containsOnly((long) LONG).hasSize(4);
        assertThat(isSame(from, to, 4 * LONG)).isTrue();
    }

    /** Messages of 104 bytes have room for three receives. */
    @Test
    void oneMessageTellsOfSeveralReceives() {
        final long to = pair.allocate(6 * LONG);
        for (int i = 0; i < 6; i++) {
            receive(pair.right, to + (long) i * LONG, i % 2 == 0 ? 0 : Call.WAIT_ALL, LONG);
        }
        pair.settle();
        assertThat(pair.right.messages).isEqualTo(2);

        final long from = pair.filled(6 * LONG);
        for (int i = 0; i < 6; i++) {
            send(pair.left, from + (long) i * LONG, LONG);
        }
        pair.settle();
        assertThat(pair.right.reads).isZero();
        // A piece of 1,000 bytes ends a receive that does not wait for all.
        assertThat(pair.right.done)
                .extracting(FakeEnd.Done::bytes)
                .containsExactly(1_000L, 10_000L, 1_000L, 10_000L, 1_000L, 10_000L);
        assertThat(isSame(from, to, 1_000)).isTrue();
        assertThat(isSame(from + 1_000, to + LONG, LONG)).isTrue();
    }

    /** Whoever has receives to write into is not told of each further one. */
    @Test
    void furtherReceivesAreToldOfWhenTheyAreHalfAsManyAsThePeerKnowsOf() {
        final long to = pair.allocate(500);
        for (int i = 0; i < 3; i++) {
            receive(pair.right, to, 0, 500);
        }
        pair.settle();
        assertThat(pair.right.messages).isOne();
        receive(pair.right, to, 0, 500);
        pair.settle();
        assertThat(pair.right.messages).isOne();
        receive(pair.right, to, 0, 500);
        pair.settle();
        assertThat(pair.right.messages).isEqualTo(2);

        for (int i = 0; i < 5; i++) {
            send(pair.left, pair.filled(500), 500);
        }
        pair.settle();
        assertThat(pair.right.done).extracting(FakeEnd.Done::bytes).containsOnly(500L).hasSize(5);
        assertThat(pair.left.writes).isEqualTo(5);
        receive(pair.right, to, 0, 500);
        pair.settle();
        send(pair.left, pair.filled(500), 500);
        pair.settle();
        assertThat(pair.left.writes).isEqualTo(6);
    }

    /** The peer would write into it. */
    @Test
    void aReceiveThatWasCancelledIsNotToldOf() {
        final long to = pair.allocate(5 * 500);
        for (int i = 0; i < 3; i++) {
            receive(pair.right, to + i * 500, 0, 500);
        }
        pair.settle();
        receive(pair.right, to + 3 * 500, 0, 500);
        assertThat(pair.right.engine.cancelRecv(3)).isTrue();
        receive(pair.right, to + 4 * 500, 0, 500);
        pair.settle();
        final long from = pair.filled(4 * 500);
        for (int i = 0; i < 4; i++) {
            send(pair.left, from + i * 500, 500);
        }
        pair.settle();
        assertThat(pair.right.done)
                .extracting(FakeEnd.Done::errno)
                .containsExactly(0, 0, 0, Errno.ECANCELED, 0);
        assertThat(pair.right.done).extracting(FakeEnd.Done::bytes).containsExactly(500L, 500L, 500L, 0L, 500L);
        assertThat(isSame(from, to, 3 * 500)).isTrue();
        assertThat(isSame(pair.allocate(500), to + 3 * 500, 500)).as("untouched").isTrue();
        assertThat(isSame(from + 3 * 500, to + 4 * 500, 500)).isTrue();
    }

    /** What was written into it would be missing for the next one. */
    @Test
    void aReceiveThatLeavesWhatItShowsIsNotToldOf() {
        final long shown = pair.allocate(LONG);
        final long taken = pair.allocate(LONG);
        receive(pair.right, shown, Call.PEEK, LONG);
        receive(pair.right, taken, 0, LONG);
        pair.settle();
        final long from = pair.filled(500);
        send(pair.left, from, 500);
        pair.settle();
        assertThat(pair.right.done).extracting(FakeEnd.Done::bytes).containsExactly(500L, 500L);
        assertThat(isSame(from, shown, 500)).isTrue();
        assertThat(isSame(from, taken, 500)).isTrue();
    }

    /** All that was written of it has completed, and the rest waits for credits. */
    @Test
    void aSendThatIsWrittenInPartCannotBeCancelled() {
        receive(pair.right, pair.allocate(LONG), Call.WAIT_ALL, LONG);
        pair.settle();
        send(pair.left, pair.filled(LONG), LONG);
        pair.left.engine.progress();
        boolean isBusy = true;
        while (isBusy) {
            isBusy = pair.left.happen(pair.right);
        }
        assertThat(pair.left.engine.cancelSend(0)).isFalse();
        pair.settle();
        assertThat(pair.left.done).containsExactly(new FakeEnd.Done(0, LONG, 0, false, null));
    }

    @Test
    void aPeerThatUnderstandsOneReceiveAMessageIsToldOfOne() {
        pair.close();
        // A header alone leaves no room for a second one.
        pair = new FakePair(false, new EngineSizes(16, 4, 64, 40, 8, 12, 1_000, 0), FakePair.SMALL);
        for (int i = 0; i < 3; i++) {
            receive(pair.right, pair.allocate(500), 0, 500);
        }
        pair.settle();
        assertThat(pair.right.messages).isEqualTo(3);
        send(pair.left, pair.filled(500), 500);
        pair.settle();
        assertThat(pair.left.writes).isOne();
    }

    @Test
    void aPeerIsToldOfNoMoreReceivesThanItTakes() {
        final FakeEnd end = new FakeEnd(pair.arena, false, FakePair.SMALL, new Greeting(1, 1, 1, 2, 4, 4, 104));
        for (int i = 0; i < 8; i++) {
            receive(end, pair.allocate(500), 0, 500);
        }
        end.engine.progress();
        assertThat(end.posted).hasSize(1);
        assertThat(MessageDescriptor.receives(end.posted.element().address())).isEqualTo(2);
    }

    /** The immediate data says how long it is: a longer one is advertised, though the receive has room. */
    @ParameterizedTest
    @CsvSource({"2147483647, 1", "2147483648, 0"})
    void aMessageIsWrittenWhereItsLengthFitsIntoImmediateData(final long bytes, final int writes) {
        pair.close();
        final EngineSizes large = new EngineSizes(16, 4, 4, 40 + 64, 8, 12, 1 << 30, 1_000);
        pair = new FakePair(true, large, large);
        pair.right.engine.nextRecv().add(1, 2L * Integer.MAX_VALUE, 1, 8, null);
        pair.right.engine.addRecv();
        pair.settle();
        assertThat(pair.right.messages).as("told of").isOne();

        pair.left.engine.nextSend().add(1, bytes, 1, 7, null);
        pair.left.engine.addSend();
        pair.left.engine.progress();
        assertThat(pair.left.writes).isEqualTo(writes);
        assertThat(pair.left.messages).as("adverts").isEqualTo(1 - writes);
        if (writes > 0) {
            assertThat(pair.left.posted.getLast().imm()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    /** An advert would end it: the peer tells of the next receive when one was written into. */
    @Test
    void aSendWaitsForTheNextReceiveWhileThoseBeforeItAreWrittenInto() {
        final long to = pair.allocate(3 * LONG);
        final long from = pair.filled(3 * LONG);
        receive(pair.right, to, 0, LONG);
        receive(pair.right, to + LONG, 0, LONG);
        pair.settle();
        for (int i = 0; i < 3; i++) {
            send(pair.left, from + (long) i * LONG, 1_000);
        }
        pair.left.engine.progress();
        assertThat(pair.left.writes).isEqualTo(2);
        assertThat(pair.left.messages).as("adverts").isZero();

        pair.left.happen(pair.right);
        pair.right.engine.progress();
        receive(pair.right, to + 2 * LONG, 0, LONG);
        pair.settle();
        assertThat(pair.left.writes).isEqualTo(3);
        assertThat(pair.right.reads).isZero();
        assertThat(pair.left.done).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(isSame(from + (long) i * LONG, to + (long) i * LONG, 1_000)).isTrue();
        }
    }

    @Test
    void aSendIsAdvertisedWhenAllBeforeItIsWrittenAndThePeerTellsOfNoReceive() {
        final long to = pair.allocate(LONG);
        final long from = pair.filled(LONG);
        receive(pair.right, to, 0, LONG);
        pair.settle();
        send(pair.left, from, 1_000);
        send(pair.left, from + 1_000, 1_000);
        pair.left.engine.progress();
        assertThat(pair.left.messages).isZero();
        pair.settle();
        assertThat(pair.left.messages).as("adverts").isOne();
        assertThat(pair.left.done).hasSize(1);

        receive(pair.right, to + 1_000, 0, 1_000);
        pair.settle();
        assertThat(pair.left.done).hasSize(2);
        assertThat(isSame(from, to, 2_000)).isTrue();
    }

    /** The send went out before the peer knew of the receive: the receive must take it as if it had told nobody. */
    @Test
    void aReceiveThatCrossesAnAdvertIsNotWrittenInto() {
        final long to = pair.allocate(2 * LONG);
        receive(pair.right, to, Call.WAIT_ALL, 2 * LONG);
        pair.right.engine.progress();
        final long from = pair.filled(2 * LONG);
        send(pair.left, from, LONG);
        pair.left.engine.progress();
        pair.right.happen(pair.left);
        send(pair.left, from + LONG, LONG);
        pair.settle();

        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 2 * LONG, 0, false, null));
        assertThat(isSame(from, to, 2 * LONG)).isTrue();
    }

    @Test
    void afterShortMessagesReceivesAreNotToldOf() {
        send(pair.left, pair.filled(8), 8);
        receive(pair.right, pair.allocate(8), 0, 8);
        pair.settle();
        final long before = pair.right.messages;
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.settle();
        assertThat(pair.right.messages).isEqualTo(before);
    }
}
