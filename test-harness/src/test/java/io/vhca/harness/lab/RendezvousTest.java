package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RendezvousTest {
    private final Rendezvous<String> rendezvous = new Rendezvous<>(Set.of(1, 2));

    @Test
    void nobodyGoesOnBeforeAllHaveCome() {
        assertThat(rendezvous.arrive("a", 1, "one").waiting()).isEmpty();
        assertThat(rendezvous.arrive("b", 2, "other barrier").waiting()).isEmpty();
        final Rendezvous.Release<String> release = rendezvous.arrive("a", 2, "two");
        assertThat(release.waiting()).containsExactly("one", "two");
        assertThat(release.isComplete()).isTrue();
    }

    @Test
    void aBarrierCanBeUsedAgain() {
        for (int round = 0; round < 3; round++) {
            assertThat(rendezvous.arrive("a", 2, "two").waiting()).isEmpty();
            assertThat(rendezvous.arrive("a", 1, "one").waiting()).hasSize(2);
        }
    }

    @Test
    void whoWaitsForAJobThatEndedIsToldSo() {
        rendezvous.arrive("a", 1, "one");
        final Rendezvous.Release<String> release = rendezvous.leave();
        assertThat(release.waiting()).containsExactly("one");
        assertThat(release.isComplete()).isFalse();
        final Rendezvous.Release<String> late = rendezvous.arrive("b", 1, "late");
        assertThat(late.waiting()).containsExactly("late");
        assertThat(late.isComplete()).isFalse();
    }

    @Test
    void aJobAloneWaitsForNobody() {
        assertThat(new Rendezvous<String>(Set.of(1)).arrive("a", 1, "one").isComplete()).isTrue();
    }
}
