package io.vhca.harness.drill.child;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** What a drill's stream must look like at its other end, and what it must not. */
class ExsStreamTest {
    private static final int LENGTH = 1_000;
    private static final long FROM = 123_456_789;

    @Test
    void aByteLostDoubledOrOutOfOrderShows() {
        try (Arena arena = Arena.ofConfined()) {
            final long at = arena.allocate(LENGTH + 1).address();
            ExsStream.fill(at, LENGTH + 1, FROM);
            assertThat(ExsStream.isRight(at, LENGTH, FROM)).isTrue();
            assertThat(ExsStream.isRight(at, LENGTH, FROM + 1)).isFalse();
            assertThat(ExsStream.isRight(at + 1, LENGTH, FROM)).as("a byte lost before it").isFalse();
            NativeMemory.copy(at + 500, at + 501, LENGTH - 500);
            assertThat(ExsStream.isRight(at, 501, FROM)).isTrue();
            assertThat(ExsStream.isRight(at, LENGTH, FROM)).as("a byte doubled").isFalse();
        }
    }

    @Test
    void piecesAreShortAndLongAndFitIntoASlot() {
        int longOnes = 0;
        for (long number = 0; number < 10_000; number++) {
            final int length = ExsStream.length(number);
            assertThat(length).isBetween(1, ExsStream.LONGEST);
            longOnes += length > ExsStream.LONGEST / 2 ? 1 : 0;
        }
        assertThat(longOnes).isGreaterThan(1_000);
    }
}
