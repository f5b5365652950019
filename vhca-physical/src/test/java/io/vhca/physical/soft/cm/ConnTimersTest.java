package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Against a plain list that is searched. The clock is about to wrap. */
class ConnTimersTest {
    private static final long T0 = Long.valueOf(Long.MAX_VALUE - 500);

    private final ConnTimers timers = new ConnTimers();
    private final List<Connection> set = new ArrayList<>();
    private int numbers;

    private Connection connection() {
        return new Connection(++numbers, new Gid(0, 1), false, ConnState.REQ_SENT, null);
    }

    private long earliest() {
        return set.stream()
                .map(one -> one.timerNs())
                .min(Comparator.comparing(deadline -> deadline - T0))
                .orElse(Long.MAX_VALUE);
    }

    @Test
    void withoutADeadlineNothingIsDue() {
        assertThat(timers.earliestNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(timers.takeDue(T0)).isNull();
        timers.clear(connection());
        assertThat(timers.earliestNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whateverIsSetMovedAndClearedTheFirstComesFirst() {
        final SplittableRandom random = new SplittableRandom(5);
        for (int step = 0; step < 20_000; step++) {
            final int choice = random.nextInt(8);
            if (choice < 3 || set.isEmpty()) {
                final Connection fresh = connection();
                timers.set(fresh, T0 + random.nextInt(1_000));
                set.add(fresh);
            } else if (choice < 6) {
                timers.set(set.get(random.nextInt(set.size())), T0 + random.nextInt(1_000));
            } else if (choice == 6) {
                timers.clear(set.remove(random.nextInt(set.size())));
            } else {
                final long nowNs = T0 + random.nextInt(600);
                final long first = earliest();
                final Connection due = timers.takeDue(nowNs);
                if (first - nowNs > 0) {
                    assertThat(due).isNull();
                } else {
                    assertThat(Objects.requireNonNull(due).timerNs()).isEqualTo(first);
                    assertThat(due.isTimed()).isFalse();
                    assertThat(set.remove(due)).isTrue();
                }
            }
            assertThat(timers.earliestNs()).isEqualTo(earliest());
        }
        assertThat(set).as("enough at once for a few levels").hasSizeGreaterThan(100);
    }
}
