package io.vhca.exs.engine;

import static io.vhca.exs.engine.FakePair.isSame;
import static io.vhca.exs.engine.FakePair.receive;
import static io.vhca.exs.engine.FakePair.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import java.lang.reflect.Field;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which way transfers take, and when calls complete. */
class SocketEngineTest {
    private static final int LONG = 10_000;

    private FakePair pair = new FakePair(false);

    @AfterEach
    void close() {
        pair.close();
    }

    private void packets() {
        pair.close();
        pair = new FakePair(true);
    }

    @Test
    void whatFitsTravelsInTheMessageAndIsDoneWhenItIsPosted() {
        final long from = pair.filled(64);
        send(pair.left, from, 64);
        pair.left.engine.progress();

        assertThat(pair.left.done).containsExactly(new FakeEnd.Done(0, 64, 0, false, null));
        final long to = pair.allocate(64);
        receive(pair.right, to, 0, 64);
        pair.settle();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 64, 0, false, null));
        assertThat(isSame(from, to, 64)).isTrue();
        assertThat(pair.right.reads).isZero();
    }

    @Test
    void whatDoesNotFitIsReadInPiecesAndDoneWhenItWasRead() {
        final long from = pair.filled(LONG);
        send(pair.left, from, LONG);
        pair.left.engine.progress();
        pair.left.happen(pair.right);
        assertThat(pair.left.done).isEmpty();

        final long to = pair.allocate(LONG);
        receive(pair.right, to, 0, LONG);
        pair.settle();
        assertThat(pair.right.reads).isEqualTo(LONG / 1_000);
        assertThat(isSame(from, to, LONG)).isTrue();
        assertThat(pair.left.done).containsExactly(new FakeEnd.Done(0, LONG, 0, false, null));
    }

    @Test
    void aSendWaitsForTheAcknowledgementOfItsLastRead() {
        send(pair.left, pair.filled(LONG), LONG);
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.left.engine.progress();
        assertThat(pair.left.happen(pair.right)).isTrue();
        pair.right.engine.progress();
        for (int read = 0; read < 9; read++) {
            pair.right.happen(pair.left);
            pair.right.engine.progress();
        }
        assertThat(pair.right.messages).isZero();
        pair.settle();
        assertThat(pair.left.done).hasSize(1);
    }

    @Test
    void aReceiveTakesWhatIsThereAndWaitsForAllOnlyWhereItIsTold() {
        send(pair.left, pair.filled(10), 10);
        send(pair.left, pair.filled(10), 10);
        pair.settle();
        receive(pair.right, pair.allocate(100), 0, 100);
        receive(pair.right, pair.allocate(15), Call.WAIT_ALL, 15);
        pair.settle();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 20, 0, false, null));
        send(pair.left, pair.filled(10), 10);
        pair.settle();
        assertThat(pair.right.done).hasSize(1);
        send(pair.left, pair.filled(10), 10);
        pair.settle();
        assertThat(pair.right.done.get(1)).isEqualTo(new FakeEnd.Done(1, 15, 0, false, null));
    }

    @Test
    void peekLeavesWhatItShows() {
        final long from = pair.filled(LONG);
        send(pair.left, from, 40);
        send(pair.left, from, LONG);
        pair.settle();
        final long shown = pair.allocate(LONG);
        final long taken = pair.allocate(LONG);
        receive(pair.right, shown, Call.PEEK, LONG);
        receive(pair.right, taken, 0, 40);
        receive(pair.right, shown, Call.PEEK, 900);
        receive(pair.right, taken, Call.WAIT_ALL, LONG);
        pair.settle();
        assertThat(pair.right.done).extracting(FakeEnd.Done::bytes).containsExactly(40L, 40L, 900L, (long) LONG);
        assertThat(isSame(from, shown, 900)).isTrue();
        assertThat(isSame(from, taken, LONG)).isTrue();
    }

    @Test
    void messagesKeepTheirBoundsAndWhatDoesNotFitIsCutOff() {
        packets();
        final long from = pair.filled(3 * LONG);
        send(pair.left, from, 10);
        send(pair.left, from, LONG, LONG, LONG);
        send(pair.left, from);
        send(pair.left, from, 30);
        final long to = pair.allocate(3 * LONG);
        receive(pair.right, pair.allocate(100), 0, 100);
        receive(pair.right, to, 0, LONG + 5);
        receive(pair.right, pair.allocate(100), 0, 100);
        receive(pair.right, pair.allocate(20), 0, 20);
        pair.settle();
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, 10, 0, false, null),
                        new FakeEnd.Done(1, LONG + 5, 0, true, null),
                        new FakeEnd.Done(2, 0, 0, false, null),
                        new FakeEnd.Done(3, 20, 0, true, null));
        assertThat(isSame(from, to, LONG + 5)).isTrue();
        assertThat(pair.left.done).hasSize(4);
    }

    @Test
    void aMessageIsWrittenIntoAReceiveOnlyWhole() {
        packets();
        final long to = pair.allocate(LONG);
        receive(pair.right, to, 0, LONG);
        pair.settle();
        final long from = pair.filled(LONG);
        send(pair.left, from, 3_000, 2_000);
        pair.settle();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 5_000, 0, false, null));
        assertThat(isSame(from, to, 5_000)).isTrue();
        assertThat(pair.left.writes).isOne();

        receive(pair.right, to, 0, 1_000);
        pair.settle();
        send(pair.left, from, 1_001);
        pair.settle();
        assertThat(pair.right.done.get(1)).isEqualTo(new FakeEnd.Done(1, 1_000, 0, true, null));
        assertThat(pair.left.writes).isOne();
    }

    /** The room of a message that nobody asked a completion of comes back with the next one, which waits for room. */
    @Test
    void aMessageThatNeedsAllWorkRequestsIsNotWritten() {
        packets();
        receive(pair.left, pair.allocate(LONG), 0, LONG);
        pair.settle();
        assertThat(pair.left.messages).as("it told of a receive").isOne();
        final int length = (FakePair.SMALL.workRequests() - 1) * FakePair.SMALL.maxPiece();
        receive(pair.right, pair.allocate(length), 0, length);
        pair.settle();
        send(pair.left, pair.filled(length), length);
        pair.settle();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, length, 0, false, null));
        assertThat(pair.right.reads).isPositive();
    }

    @Test
    void whoeverDoesNotReceiveStopsTheSenderAndIsHeardStill() {
        IntStream.range(0, 10).forEach(i -> send(pair.left, pair.filled(8), 8));
        pair.settle();
        assertThat(pair.left.done).hasSize(4);
        final long quiet = pair.left.messages;
        pair.settle();
        assertThat(pair.left.messages).isEqualTo(quiet);

        for (int i = 0; i < 12; i++) {
            send(pair.right, pair.filled(LONG), LONG);
            receive(pair.left, pair.allocate(LONG), Call.WAIT_ALL, LONG);
            pair.settle();
        }
        assertThat(pair.right.done).hasSize(12);
        receive(pair.right, pair.allocate(80), Call.WAIT_ALL, 80);
        pair.settle();
        assertThat(pair.left.done).hasSize(22);
    }

    @Test
    void theEndIsReadAfterAllThatWasSent() {
        send(pair.left, pair.filled(LONG), LONG);
        pair.left.engine.shutdown();
        receive(pair.right, pair.allocate(2 * LONG), Call.WAIT_ALL, 2 * LONG);
        receive(pair.right, pair.allocate(5), 0, 5);
        pair.settle();
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, LONG, 0, false, null), new FakeEnd.Done(1, 0, 0, false, null));
        assertThat(pair.left.done).hasSize(1);
        send(pair.right, pair.filled(30), 30);
        receive(pair.left, pair.allocate(30), 0, 30);
        pair.settle();
        assertThat(pair.left.done).hasSize(2);
    }

    @Test
    void whatHasNotBegunIsCancelledInItsTurn() {
        IntStream.range(0, 6).forEach(i -> send(pair.left, pair.filled(8), 8));
        pair.settle();
        assertThat(pair.left.engine.cancelSend(3)).isFalse();
        assertThat(pair.left.engine.cancelSend(5)).isTrue();
        assertThat(pair.left.engine.cancelSend(5)).isFalse();
        assertThat(pair.left.engine.cancelSend(6)).isFalse();
        receive(pair.right, pair.allocate(100), 0, 32);
        receive(pair.right, pair.allocate(100), 0, 100);
        receive(pair.right, pair.allocate(100), 0, 100);
        assertThat(pair.right.engine.cancelRecv(2)).isTrue();
        pair.settle();
        assertThat(pair.left.done).extracting(FakeEnd.Done::errno).containsExactly(0, 0, 0, 0, 0, Errno.ECANCELED);
        assertThat(pair.right.done).extracting(FakeEnd.Done::errno).containsExactly(0, 0, Errno.ECANCELED);
    }

    @Test
    void aReceiveThatThePeerKnowsOfCannotBeCancelled() {
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        assertThat(pair.right.engine.cancelRecv(0)).isTrue();
        pair.settle();
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.settle();
        assertThat(pair.right.engine.cancelRecv(1)).isFalse();
    }

    @Test
    void aReceiveThatHasPartOfItsBytesCannotBeCancelled() {
        send(pair.left, pair.filled(10), 10);
        receive(pair.right, pair.allocate(15), Call.WAIT_ALL, 15);
        pair.settle();
        assertThat(pair.right.engine.cancelRecv(0)).isFalse();
    }

    @Test
    void abortCompletesEverythingInOrderAndTheEndIsNoError() {
        send(pair.left, pair.filled(8), 8);
        send(pair.left, pair.filled(LONG), LONG);
        receive(pair.left, pair.allocate(8), 0, 8);
        pair.settle();
        pair.left.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.left.done)
                .containsExactly(
                        new FakeEnd.Done(0, 8, 0, false, null),
                        new FakeEnd.Done(1, 0, Errno.ECONNRESET, false, null),
                        new FakeEnd.Done(0, 0, Errno.ECONNRESET, false, null));
        pair.left.engine.progress();
        assertThat(pair.left.done).hasSize(3);
    }

    /** Its bytes are at the peer, which cannot receive them without those before. */
    @Test
    void aSendBehindOneThatFailedFailsToo() {
        send(pair.left, pair.filled(LONG), LONG);
        send(pair.left, pair.filled(9), 9);
        pair.settle();
        pair.left.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.left.done)
                .containsExactly(
                        new FakeEnd.Done(0, 0, Errno.ECONNRESET, false, null),
                        new FakeEnd.Done(1, 0, Errno.ECONNRESET, false, null));
    }

    @Test
    void whatCameInMessagesIsReceivedWhenThePeerIsGone() {
        send(pair.left, pair.filled(8), 8);
        send(pair.left, pair.filled(9), 9);
        pair.left.engine.shutdown();
        pair.settle();
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.engine.isOver()).isFalse();
        receive(pair.right, pair.allocate(20), 0, 8);
        receive(pair.right, pair.allocate(20), 0, 20);
        receive(pair.right, pair.allocate(20), 0, 20);
        pair.right.engine.progress();
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, 8, 0, false, null),
                        new FakeEnd.Done(1, 9, 0, false, null),
                        new FakeEnd.Done(2, 0, 0, false, null));
        assertThat(pair.right.engine.isOver()).isTrue();
    }

    /** The end is behind what nobody can read any more, and is not the end of what came before. */
    @Test
    void whatCameInMessagesIsReceivedUpToWhatWasToBeRead() {
        send(pair.left, pair.filled(8), 8);
        send(pair.left, pair.filled(LONG), LONG);
        send(pair.left, pair.filled(9), 9);
        pair.left.engine.shutdown();
        pair.settle();
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.engine.mayReceive()).isTrue();
        assertThat(pair.right.engine.isOver()).isFalse();
        receive(pair.right, pair.allocate(20), 0, 20);
        receive(pair.right, pair.allocate(20), 0, 20);
        pair.right.engine.progress();
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, 8, 0, false, null),
                        new FakeEnd.Done(1, 0, Errno.ECONNRESET, false, null));
        assertThat(pair.right.engine.isOver()).isTrue();
        assertThat(pair.right.engine.isPeerFinished()).isFalse();
    }

    @Test
    void whatWasBeingReadIsMissingAndNothingIsReceivedBehindIt() {
        send(pair.left, pair.filled(LONG), LONG);
        pair.left.engine.shutdown();
        pair.settle();
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.right.engine.progress();
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 0, Errno.ECONNRESET, false, null));
        assertThat(pair.right.engine.mayReceive()).isFalse();
    }

    /** The second receive has its bytes already. */
    @Test
    void aReceiveBehindWhatWasBeingReadFailsToo() {
        send(pair.left, pair.filled(LONG), LONG);
        send(pair.left, pair.filled(9), 9);
        pair.settle();
        receive(pair.right, pair.allocate(LONG), Call.WAIT_ALL, LONG);
        receive(pair.right, pair.allocate(20), 0, 20);
        pair.right.engine.progress();
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, 0, Errno.ECONNRESET, false, null),
                        new FakeEnd.Done(1, 0, Errno.ECONNRESET, false, null));
    }

    @Test
    void withoutTheEndTheLossOfThePeerIsAnErrorBehindWhatCame() {
        final long from = pair.filled(8);
        send(pair.left, from, 8);
        pair.settle();
        final long to = pair.allocate(20);
        receive(pair.right, to, Call.WAIT_ALL, 20);
        receive(pair.right, pair.allocate(20), 0, 20);
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.done)
                .containsExactly(
                        new FakeEnd.Done(0, 8, 0, false, null),
                        new FakeEnd.Done(1, 0, Errno.ECONNRESET, false, null));
        assertThat(isSame(from, to, 8)).isTrue();
    }

    /** Of a stream it would be received. */
    @Test
    void aMessageWhoseRestDidNotComeIsNotReceived() {
        packets();
        send(pair.left, pair.filled(2 * LONG), LONG, LONG);
        pair.left.engine.progress();
        assertThat(pair.left.happen(pair.right)).isTrue();
        receive(pair.right, pair.allocate(2 * LONG), 0, 2 * LONG);
        pair.right.engine.progress();
        for (int read = 0; read < 10; read++) {
            assertThat(pair.right.happen(pair.left)).isTrue();
        }
        pair.right.engine.over(Errno.ECONNRESET, "");
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 0, Errno.ECONNRESET, false, null));
    }

    /** As after four billion messages, where what counts them passes 32 bits; their places are no power of two. */
    @Test
    void placesAreKeptApartForEver() throws ReflectiveOperationException {
        pair.close();
        pair = new FakePair(false, FakePair.SMALL, new EngineSizes(16, 3, 4, 104, 8, 12, 1_000, 0));
        final long soon = (1L << 32) - 2;
        for (final String counter : new String[] {"head", "next", "tail"}) {
            count(pair.right, "receives", counter, soon);
        }
        for (final String counter : new String[] {"advertsSent", "advertsAcked"}) {
            count(pair.left, "sends", counter, soon);
        }
        for (final String counter : new String[] {"acked", "ackedSaid"}) {
            count(pair.right, "outgoing", counter, soon);
        }
        for (final int length : new int[] {LONG, 10}) {
            final long from = pair.filled(3 * length);
            final long to = pair.allocate(3L * length);
            IntStream.range(0, 3).forEach(i -> send(pair.left, from + (long) i * length, length));
            pair.settle();
            receive(pair.right, to, Call.WAIT_ALL, 3 * length);
            pair.settle();
            assertThat(isSame(from, to, 3 * length)).isTrue();
        }
        assertThat(pair.left.done).hasSize(6);
    }

    private static void count(final FakeEnd end, final String half, final String counter, final long to)
            throws ReflectiveOperationException {
        final Field part = SocketEngine.class.getDeclaredField(half);
        part.setAccessible(true);
        final Field field = part.getType().getDeclaredField(counter);
        field.setAccessible(true);
        if (half.equals("outgoing")) {
            field.setInt(part.get(end.engine), (int) to); // as it goes over the wire
        } else {
            field.setLong(part.get(end.engine), to);
        }
    }

    @Test
    void memoryThatCannotBeReadIsOneErrorOfTheReceiverAndTheOthersOfBothEnds() {
        send(pair.left, pair.filled(LONG), LONG);
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.left.revoke(7);
        pair.left.engine.progress();
        pair.left.happen(pair.right);
        pair.right.engine.progress();
        pair.right.happen(pair.left);
        assertThat(pair.right.engine.errno()).isEqualTo(Errno.EFAULT);
        assertThat(pair.right.engine.failure()).contains("may not be reached").contains("REM_ACCESS_ERR");
        pair.right.engine.over(Errno.ECONNRESET, "gone");
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 0, Errno.EFAULT, false, null));
    }
}
