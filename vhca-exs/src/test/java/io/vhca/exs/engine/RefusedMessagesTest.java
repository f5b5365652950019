package io.vhca.exs.engine;

import static io.vhca.exs.engine.FakePair.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.exs.wire.MessageDescriptor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a peer's that does not keep to the protocol is refused. */
class RefusedMessagesTest {
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

    private static byte[] memory(final int type, final int number, final long address, final long length) {
        final byte[] message = FakeEnd.message(type, 0, 0, number);
        java.nio.ByteBuffer.wrap(message)
                .putLong(MessageDescriptor.ADDRESS_OFFSET, address)
                .putLong(MessageDescriptor.LENGTH_OFFSET, length);
        return message;
    }

    private void refused(final String why, final byte[]... messages) {
        for (final byte[] message : messages) {
            assertThat(pair.right.engine.errno()).isZero();
            pair.right.receive(message);
        }
        assertThat(pair.right.engine.errno()).isEqualTo(Errno.EPROTO);
        assertThat(pair.right.engine.failure()).contains(why).contains("connect anew");
        final int postedBefore = pair.right.posted.size();
        pair.right.engine.progress();
        assertThat(pair.right.posted).hasSize(postedBefore);
    }

    @Test
    void aTruncatedMessageIsRefused() {
        refused("shorter than its header", new byte[MessageDescriptor.SIZE - 1]);
    }

    @Test
    void aMessageWhoseLengthIsWrongIsRefused() {
        final byte[] message = FakeEnd.message(MessageDescriptor.DATA, 0, 10, 0);
        refused("says that 10 are data", java.util.Arrays.copyOf(message, message.length - 1));
    }

    @Test
    void aMessageOutOfOrderIsRefused() {
        refused("came in place of 0", FakeEnd.message(MessageDescriptor.DATA, 0, 10, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 6, 255})
    void anUnknownTypeIsRefused(final int type) {
        refused("which nobody knows", FakeEnd.message(type, 0, 0, 0));
    }

    @Test
    void flagsThatMeanNothingAreRefused() {
        refused("has flags 1", FakeEnd.message(MessageDescriptor.DATA, MessageDescriptor.MORE, 0, 0));
    }

    @Test
    void dataWhereNoneBelongsIsRefused() {
        refused("carries data", FakeEnd.message(MessageDescriptor.ACK, 0, 4, 0));
    }

    @Test
    void moreMessagesThanCreditsAreRefused() {
        refused(
                "without a credit",
                IntStream.range(0, 5)
                        .mapToObj(i -> FakeEnd.message(MessageDescriptor.DATA, 0, 1, i))
                        .toArray(byte[][]::new));
    }

    @Test
    void moreControlMessagesThanCreditsAreRefused() {
        IntStream.range(0, 4).forEach(i -> pair.left.tamper.message(0, 0));
        pair.right.engine.fail(0, "");
        final byte[][] messages = IntStream.range(0, 5)
                .mapToObj(i -> FakeEnd.message(MessageDescriptor.ACK, 0, 0, i))
                .toArray(byte[][]::new);
        for (int i = 0; i < 4; i++) {
            final int slot = pair.right.receives.remove();
            final long at = pair.allocate(MessageDescriptor.SIZE);
            java.lang.foreign.MemorySegment.copy(
                    java.lang.foreign.MemorySegment.ofArray(messages[i]), 0,
                    NativeMemory.segment(at, messages[i].length), 0, messages[i].length);
            pair.right.engine.onMessage(slot, at, messages[i].length);
        }
        refused("without a credit", messages[4]);
    }

    @ParameterizedTest
    @ValueSource(ints = {MessageDescriptor.DATA_CREDITS_OFFSET, MessageDescriptor.CONTROL_CREDITS_OFFSET})
    void creditsThatWereNotUsedAreRefused(final int offset) {
        final byte[] message = FakeEnd.message(MessageDescriptor.ACK, 0, 0, 0);
        message[offset + 1] = 1;
        refused("more credits came back", message);
    }

    @Test
    void anAcknowledgementOfNothingIsRefused() {
        final byte[] message = FakeEnd.message(MessageDescriptor.ACK, 0, 0, 0);
        message[MessageDescriptor.ACKED_OFFSET + 3] = 1;
        refused("never sent", message);
    }

    @Test
    void anAdvertOfNothingOrAroundTheEndOfMemoryIsRefused() {
        refused("memory is advertised", memory(MessageDescriptor.ADVERT, 0, 4_096, 0));
        close();
        pair = new FakePair(false);
        refused("memory is advertised", memory(MessageDescriptor.DIRECT, 0, -10, 20));
    }

    @Test
    void dataAfterTheEndIsRefused() {
        refused(
                "after the last one",
                FakeEnd.message(MessageDescriptor.FIN, 0, 0, 0),
                FakeEnd.message(MessageDescriptor.DATA, 0, 1, 1));
    }

    /** What had come of the message was received as a whole one. */
    @ParameterizedTest
    @ValueSource(ints = {MessageDescriptor.DATA, MessageDescriptor.ADVERT})
    void theEndWithinAMessageIsRefused(final int type) {
        packets();
        final byte[] part = type == MessageDescriptor.DATA
                ? FakeEnd.message(type, 0, 10, 0)
                : memory(type, 0, pair.filled(10), 10);
        part[MessageDescriptor.FLAGS_OFFSET] = MessageDescriptor.MORE;
        receive(pair.right, pair.allocate(100), 0, 100);
        refused("within a message that goes on", part, FakeEnd.message(MessageDescriptor.FIN, 0, 0, 1));
        assertThat(pair.right.done).isEmpty();
    }

    @Test
    void theEndBehindAMessageOfSeveralPartsIsTaken() {
        packets();
        receive(pair.right, pair.allocate(100), 0, 100);
        pair.right.receive(FakeEnd.message(MessageDescriptor.DATA, MessageDescriptor.MORE, 10, 0));
        pair.right.receive(FakeEnd.message(MessageDescriptor.DATA, 0, 10, 1));
        pair.right.receive(FakeEnd.message(MessageDescriptor.FIN, 0, 0, 2));
        assertThat(pair.right.engine.isPeerFinished()).isTrue();
        assertThat(pair.right.done).containsExactly(new FakeEnd.Done(0, 20, 0, false, null));
    }

    @Test
    void aListOfReceivesThatIsCutShortIsRefused() {
        refused("a message of type 4 carries data", FakeEnd.message(MessageDescriptor.DIRECT, 0, 25, 0));
    }

    @Test
    void aFurtherReceiveIsLookedAtAsTheFirstOneIs() {
        refused("memory is advertised", list(0, 0));
        close();
        pair = new FakePair(false);
        refused("a receive has flags 5", list(10, 5));
    }

    private static byte[] list(final long length, final int flags) {
        final byte[] message = FakeEnd.message(MessageDescriptor.DIRECT, 0, MessageDescriptor.RECEIVE_SIZE, 0);
        java.nio.ByteBuffer.wrap(message)
                .putLong(MessageDescriptor.ADDRESS_OFFSET, 4_096)
                .putLong(MessageDescriptor.LENGTH_OFFSET, 10)
                .putLong(MessageDescriptor.SIZE, 4_096)
                .putLong(MessageDescriptor.SIZE + Long.BYTES, length)
                .putInt(MessageDescriptor.SIZE + MessageDescriptor.RECEIVE_SIZE - Integer.BYTES, flags);
        return message;
    }

    @Test
    void moreReceivesThanMayBeToldOfAreRefused() {
        pair.close();
        pair = new FakePair(false, FakePair.SMALL, new EngineSizes(16, 4, 64, 104, 8, 12, 1_000, 0));
        refused(
                "more than 32 receives",
                IntStream.range(0, 33)
                        .mapToObj(i -> memory(MessageDescriptor.DIRECT, i, 4_096, 10))
                        .toArray(byte[][]::new));
    }

    @Test
    void aWriteThatNoReceiveWasToldForIsRefused() {
        receive(pair.right, pair.allocate(8), 0, 8);
        pair.settle();
        pair.right.engine.onWriteWithImm(pair.right.receives.remove(), 8);
        assertThat(pair.right.engine.failure()).contains("a WRITE of 8 bytes came for no receive");
    }

    @Test
    void aWriteOfMoreThanTheReceiveHoldsIsRefused() {
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.settle();
        pair.right.engine.onWriteWithImm(pair.right.receives.remove(), LONG + 1);
        assertThat(pair.right.engine.errno()).isEqualTo(Errno.EPROTO);
    }

    /** A stream would take it for its end. */
    @Test
    void aWriteOfNothingIsRefused() {
        receive(pair.right, pair.allocate(LONG), 0, LONG);
        pair.settle();
        pair.right.engine.onWriteWithImm(pair.right.receives.remove(), 0);
        assertThat(pair.right.engine.errno()).isEqualTo(Errno.EPROTO);
        pair.right.engine.progress();
        assertThat(pair.right.done).isEmpty();
    }
}
