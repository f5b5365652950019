package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** How equally the sockets of a stress are served. */
class StressCountTest {
    private static StressCount of(final long sent, final long received, final long tries) {
        return new StressCount(sent, received, tries, 0, 0);
    }

    @Test
    void allAreServedWhenEachHasAnAnswer() {
        assertThat(StressCount.allAreServed(List.of(of(3, 1, 3), of(1, 0, 1)))).isFalse();
        assertThat(StressCount.allAreServed(List.of(of(3, 1, 3), of(1, 1, 1)))).isTrue();
    }

    @Test
    void theLeastServedIsAShareOfTheMostServed() {
        final List<StressCount> before = List.of(of(9, 9, 9), of(1, 1, 1));
        final List<StressCount> after = List.of(of(14, 13, 19), of(9, 9, 9));
        assertThat(StressCount.served(StressCount.less(after, before))).isEqualTo(0.5);
        assertThat(StressCount.taken(StressCount.less(after, before))).isEqualTo(0.5);
    }
}
