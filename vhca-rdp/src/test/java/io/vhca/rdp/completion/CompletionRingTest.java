package io.vhca.rdp.completion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompletionRingTest {
    private final CompletionRing ring = new CompletionRing();
    private final SendCompletion completion = new SendCompletion();

    private void addAndPoll(final int count) {
        for (int i = 0; i < count; i++) {
            ring.add(i, i % 3 == 0);
        }
        for (int i = 0; i < count; i++) {
            assertThat(ring.poll(completion)).isTrue();
            assertThat(completion.token()).isEqualTo(i);
            assertThat(completion.isLost()).as("loss of %d", i).isEqualTo(i % 3 == 0);
        }
        assertThat(ring.isEmpty()).isTrue();
    }

    /** Its oldest is not at the beginning of its memory then. */
    @Test
    void keepsTheOrderWhenItGrows() {
        addAndPoll(5);
        addAndPoll(40);
    }
}
