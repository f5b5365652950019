package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vhca.bond.config.BondMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the samples of two links are taken to mean, and the page about them. */
class ShareResultTest {
    private static final long MS = 1_000_000;
    private static final long PHASE = 900 * MS;
    private static final long STEP = 10 * MS;

    /** Rates of both members, MB/s, with two links, with one cut, and after the healing. */
    private static ShareResult result(final BondMode mode, final double[] first, final double[] second) {
        final List<ShareResult.Sample> samples = new ArrayList<>();
        double a = 0;
        double b = 0;
        for (long at = 0; at <= 3 * PHASE; at += STEP) {
            samples.add(new ShareResult.Sample(at, (long) a, (long) b));
            final int phase = (int) Math.min(2, at / PHASE);
            a += first[phase] * STEP / 1e3;
            b += second[phase] * STEP / 1e3;
        }
        return new ShareResult(mode, samples, PHASE, 2 * PHASE);
    }

    @Test
    void ratesAreThoseOfEachPhase() {
        final ShareResult result =
                result(BondMode.BALANCE_RR, new double[] {12, 0, 10}, new double[] {11, 12, 14});
        assertThat(result.beforeMBs()).isCloseTo(23, within(0.1));
        assertThat(result.cutMBs()).isCloseTo(12, within(0.1));
        assertThat(result.healedMBs()).isCloseTo(24, within(0.1));
        assertThat(result.healedShare()).isCloseTo(10.0 / 24, within(0.001));
    }

    @Test
    void balancingIsTwiceOneLinkAndEvenInTheEnd() {
        assertThat(result(BondMode.BALANCE_TLB, new double[] {12, 0, 12}, new double[] {12, 12, 12}).isAsWanted())
                .isTrue();
        assertThat(result(BondMode.BALANCE_TLB, new double[] {12, 0, 0}, new double[] {12, 12, 12}).isAsWanted())
                .as("did not come back").isFalse();
        assertThat(result(BondMode.BALANCE_TLB, new double[] {12, 0, 9}, new double[] {12, 12, 15}).isAsWanted())
                .as("is uneven").isFalse();
        assertThat(result(BondMode.BALANCE_RR, new double[] {12, 0, 12}, new double[] {0, 12, 12}).isAsWanted())
                .as("used one link").isFalse();
    }

    @Test
    void activeBackupIsOneLinkAllTheTime() {
        assertThat(result(BondMode.ACTIVE_BACKUP, new double[] {12, 0, 0}, new double[] {0, 12, 12}).isAsWanted())
                .isTrue();
        assertThat(result(BondMode.ACTIVE_BACKUP, new double[] {12, 0, 0}, new double[] {0, 5, 12}).isAsWanted())
                .isFalse();
    }

    @Test
    void thePageIsWellFormedAndSelfContained() throws Exception {
        final String html = new SharePage(List.of(
                        result(BondMode.BALANCE_RR, new double[] {12, 0, 12}, new double[] {12, 12, 12}),
                        result(BondMode.BALANCE_XOR, new double[] {0, 0, 0}, new double[] {0, 0, 0})))
                .html();
        PageAssert.isSelfContained(html);
        assertThat(html)
                .contains("balance-rr", "balance-xor", "Throughput in balance-xor", "soft0 down", "as wanted");
    }
}
