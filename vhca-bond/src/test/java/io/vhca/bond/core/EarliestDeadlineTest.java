package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EarliestDeadlineTest {
    @Test
    void noneIsNever() {
        assertThat(new EarliestDeadline().atNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(new EarliestDeadline().add(Long.MAX_VALUE).atNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theEarlierIsFoundInAnyOrderWhereverTheClockStands() {
        final long[] times = {0, -5, 5, 1L << 40, Long.MAX_VALUE - 5, Long.MIN_VALUE, Long.MIN_VALUE + 5};
        for (final long nowNs : times) {
            final long soon = nowNs + 3;
            final long later = nowNs + 1_000;
            assertThat(new EarliestDeadline().add(soon).notBefore(later).atNs()).isEqualTo(later);
            assertThat(new EarliestDeadline().add(later).notBefore(soon).atNs()).isEqualTo(later);
            assertThat(new EarliestDeadline().notBefore(soon).atNs()).as("never").isEqualTo(Long.MAX_VALUE);
            assertThat(new EarliestDeadline().add(soon).add(later).add(Long.MAX_VALUE).atNs()).isEqualTo(soon);
            assertThat(new EarliestDeadline().add(Long.MAX_VALUE).add(later).add(soon).atNs()).isEqualTo(soon);
        }
    }
}
