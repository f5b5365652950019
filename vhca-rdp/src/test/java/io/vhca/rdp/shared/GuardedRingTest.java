package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads what Agrona writes, and refuses what it would not. */
class GuardedRingTest {
    private static final int CAPACITY = 1_024;
    private static final int LONGEST = CAPACITY / 8;

    private final UnsafeBuffer memory =
            new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY + RingBufferDescriptor.TRAILER_LENGTH));
    private final OneToOneRingBuffer writer = new OneToOneRingBuffer(memory);
    private final GuardedRing ring = new GuardedRing(memory, LONGEST);
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LONGEST]);

    @Test
    void whatIsWrittenIsReadAllAroundTheRing() {
        assertThat(ring.next()).isFalse();
        for (int i = 1; i <= 1_000; i++) {
            final int bytes = 4 + i % (LONGEST - 3);
            message.putInt(0, i);
            assertThat(writer.write(7, message, 0, bytes)).isTrue();
            assertThat(ring.next()).isTrue();
            assertThat(ring.kind()).isEqualTo(7);
            assertThat(ring.length()).isEqualTo(bytes);
            assertThat(ring.buffer().getInt(ring.offset())).isEqualTo(i);
            ring.done();
        }
        assertThat(ring.next()).isFalse();
        assertThat(writer.size()).isZero();
    }

    @Test
    void aMessageThatIsBeingWrittenIsNoneYet() {
        final int index = writer.tryClaim(7, 10);
        assertThat(ring.next()).isFalse();
        writer.commit(index);
        assertThat(ring.next()).isTrue();
    }

    @Test
    void whereReadingStandsIsNotTheWritersToSay() {
        writer.write(7, message, 0, 10);
        assertThat(ring.next()).isTrue();
        ring.done();
        memory.putLong(CAPACITY + RingBufferDescriptor.HEAD_POSITION_OFFSET, -77);
        message.putInt(0, 99);
        final int second = 24;
        memory.putInt(second + 4, 7);
        memory.putInt(second, 16);
        assertThat(ring.next()).isTrue();
        assertThat(ring.offset()).isEqualTo(second + 8);
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "137, 7", "1032, 7", "2147483647, 7", "1032, -1", "3, -1"})
    void aRecordThatCannotBeIsNamed(final int bytes, final int kind) {
        memory.putInt(4, kind);
        memory.putInt(0, bytes);
        assertThatThrownBy(ring::next)
                .isInstanceOf(CorruptRingException.class)
                .hasMessageContaining("a record of " + bytes + " bytes at 0 of 1024");
    }

    @Test
    void aRecordThatReachesOverTheEndIsNamed() {
        memory.putInt(4, -1);
        memory.putInt(0, CAPACITY - 16);
        memory.putInt(CAPACITY - 12, 7);
        memory.putInt(CAPACITY - 16, 17);
        assertThatThrownBy(ring::next).hasMessageContaining("a record of 17 bytes at 1008 of 1024");
    }
}
