package io.vhca.harness.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus;
import org.junit.jupiter.api.Test;

/** Reporters of a bond whose member is down and one of whose queue pairs waits for a path. */
class BondHealthTest {
    private final BondStatus bond = SampleBond.of("bond0", 77, 1);

    @Test
    void eachReporterSaysWhatIsWrongNow() {
        assertThat(BondHealth.of(bond, true, bond.publishedMs() + 4_999))
                .extracting(BondHealth.Reporter::name, BondHealth.Reporter::state)
                .containsExactly(
                        tuple("member", "error"), tuple("path", "error"), tuple("queue_pair", "healthy"),
                        tuple("thread", "healthy"), tuple("journal", "healthy"), tuple("memory", "healthy"));
        assertThat(BondHealth.of(bond, true, bond.publishedMs()).get(0)).satisfies(member -> {
            assertThat(member.findings()).containsExactly("soft0 is down, for the 3. time");
            assertThat(member.errors()).isEqualTo(3);
            assertThat(member.recoveries()).isEqualTo(2);
        });
        assertThat(BondHealth.of(bond, true, bond.publishedMs()).get(1).findings())
                .containsExactly("qp:0x3 is without a path");
    }

    @Test
    void aThreadThatWritesNothingIsStuckAndAProcessThatEndedIsGone() {
        assertThat(BondHealth.of(bond, true, bond.publishedMs() + 7_200).get(3).findings())
                .containsExactly("the bond's thread has written nothing for 7 s: jstack 77");
        assertThat(BondHealth.of(bond, false, bond.publishedMs()).get(3).findings())
                .containsExactly("process 77 has ended without closing the bond");
    }
}
