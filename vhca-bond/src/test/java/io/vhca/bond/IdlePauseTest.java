package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdlePauseTest {
    private static final long CHEAP_NS = 1_000;
    private static final long DEAR_NS = 50_000;

    private final IdlePause pause = new IdlePause();

    private long after(final int turns, final long turnNs) {
        long last = 0;
        for (int i = 0; i < turns; i++) {
            last = pause.next(turnNs);
        }
        return last;
    }

    @Test
    void pausesDoubleUpToAMillisecondAndBeginAnewAfterWork() {
        assertThat(LongStream.range(0, 4).map(i -> pause.next(CHEAP_NS)))
                .containsExactly(20_000L, 40_000L, 80_000L, 160_000L);
        assertThat(after(100, CHEAP_NS)).isEqualTo(IdlePause.LONGEST_NS);
        pause.restart();
        assertThat(pause.next(CHEAP_NS)).isEqualTo(IdlePause.SHORTEST_NS);
    }

    @Test
    void dearTurnsLeaveMostOfTheProcessorToOthers() {
        assertThat(after(100, DEAR_NS)).isEqualTo(512 * DEAR_NS);
        assertThat(after(100, 100 * DEAR_NS)).isEqualTo(IdlePause.LONGEST_OF_DEAR_NS);
    }

    /** Most turns that take long have waited for the processor. */
    @Test
    void oneTurnThatIsNotDearSaysThatTheyAreNot() {
        for (int i = 0; i < 20 * IdlePause.LOOKED_AT; i++) {
            assertThat(pause.next(i % IdlePause.LOOKED_AT == 3 ? CHEAP_NS : 100 * DEAR_NS))
                    .isLessThanOrEqualTo(IdlePause.LONGEST_NS);
        }
    }

    @Test
    void turnsThatAreCheapAgainHaveShortPausesAgain() {
        after(100, DEAR_NS);
        assertThat(after(2 * IdlePause.LOOKED_AT, CHEAP_NS)).isEqualTo(IdlePause.LONGEST_NS);
    }
}
