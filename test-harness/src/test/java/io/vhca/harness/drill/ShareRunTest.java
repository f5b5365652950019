package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.protocol.DrillLine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the link of a measurement of the modes is cut and healed. */
class ShareRunTest {
    private static final long MS = 1_000_000;
    private static final long PHASE = 500 * MS;
    /** On the sender's clock, which begins anywhere. */
    private static final long START = -7 * PHASE;

    private final List<DrillLine> told = new ArrayList<>();
    private final ShareRun.Watch watch = new ShareRun.Watch(BondMode.BALANCE_RR, PHASE, told::add);

    private void share(final long atMs) {
        watch.on(DrillLine.of("share", "t", START + atMs * MS, "first", atMs, "second", atMs));
    }

    private void plugged(final boolean isUp, final long atMs) {
        watch.on(DrillLine.of("plugged", "device", "soft0", "up", isUp, "t", START + atMs * MS));
    }

    @Test
    void theLinkIsCutOnceAndHealedOnce() {
        for (int atMs = 0; atMs < 500; atMs += 20) {
            share(atMs);
        }
        assertThat(told).isEmpty();
        share(500);
        share(520);
        assertThat(told).hasSize(1);
        plugged(false, 530);
        share(1_020);
        assertThat(told).hasSize(1);
        share(1_030);
        share(1_050);
        assertThat(told).hasSize(2);
        assertThat(told.getFirst()).isNotEqualTo(told.getLast());
        plugged(true, 1_060);
        share(2_059);
        assertThat(watch.isOver()).isFalse();
        share(2_060);
        assertThat(watch.isOver()).isTrue();
        assertThat(watch.result().cutNs()).isEqualTo(530 * MS);
    }

    /** Both moments lie between two samples of a sender that stood still. */
    @Test
    void aSenderThatStoodStillIsHealedAsWell() {
        share(0);
        share(480);
        share(1_010);
        plugged(false, 1_015);
        share(1_030);
        assertThat(told).as("it is not cut long enough yet").hasSize(1);
        share(1_520);
        assertThat(told).hasSize(2);
        plugged(true, 1_525);
        share(4_000);
        assertThat(watch.isOver()).isTrue();
    }
}
