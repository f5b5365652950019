package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.WatchedTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a driver that does not answer counts as ended, by a clock that is made up. */
class AnswerTimeoutTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    @AfterEach
    void clear() {
        System.clearProperty(AnswerTimeout.PROPERTY);
    }

    @Test
    void aDriverThatIsWatchedForSoLongIsOver() {
        final WatchedTime timeout = AnswerTimeout.begin(100 * MS, 0);
        for (long now = 10; now < 100; now += 10) {
            assertThat(timeout.isOver(now * MS)).as("after %d ms", now).isFalse();
        }
        assertThat(timeout.isOver(100 * MS)).isTrue();
    }

    @Test
    void whileTheCallerItselfDidNotRunNothingWasWatched() {
        final WatchedTime timeout = AnswerTimeout.begin(100 * MS, 0);
        assertThat(timeout.isOver(60_000 * MS)).as("a minute without a processor").isFalse();
        assertThat(timeout.isOver(60_010 * MS)).isFalse();
    }

    @Test
    void whatIsNoTimeIsNamed() {
        assertThat(AnswerTimeout.ns()).isEqualTo(30_000 * MS);
        System.setProperty(AnswerTimeout.PROPERTY, "250");
        assertThat(AnswerTimeout.ns()).isEqualTo(250 * MS);
        for (final String wrong : new String[] {"0", "-1", "soon", "3600001"}) {
            System.setProperty(AnswerTimeout.PROPERTY, wrong);
            assertThatThrownBy(AnswerTimeout::ns)
                    .hasMessage("-Dvhca.rdp.answer.timeout=" + wrong + " is no time in ms from 1 to 3600000");
        }
    }
}
