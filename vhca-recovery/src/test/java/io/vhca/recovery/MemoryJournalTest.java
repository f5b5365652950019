package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import org.junit.jupiter.api.Test;

class MemoryJournalTest {
    private static JournalEvent event(final int number) {
        return new JournalEvent(number * 1_000_000L, "bond0", 5, number, number, number & 1,
                JournalKind.TRANSITION,
                RecoveryState.CONNECTED, RecoveryState.FENCING, FailureReason.RETRY_EXC, 10 + number, -1, 3, 4,
                        new PathId(0, 1),
                "event " + number);
    }

    @Test
    void keepsTheLastEventsAndSaysWhatItDropped() {
        final MemoryJournal journal = new MemoryJournal(2);
        for (int i = 0; i < 3; i++) {
            journal.append(event(i));
        }
        assertThat(journal.events()).containsExactly(event(1), event(2));
        assertThat(journal.dropped()).isEqualTo(1);
        assertThat(journal.format()).startsWith("(1 older")
                .contains("CONNECTED -> FENCING reason=RETRY_EXC").contains(": event 2");
    }
}
