package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.DrillOptions;
import io.vhca.harness.drill.DrillOutcome;
import io.vhca.harness.drill.DrillResult;
import io.vhca.harness.drill.FailoverRow;
import io.vhca.harness.drill.Outages;
import io.vhca.harness.drill.protocol.DrillScenario;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever reads of a drill, in whatever form, reads the same verdict. */
class DrillTallyTest {
    private static DrillResult result(final boolean isOk, final int cuts, final long negotiated) {
        final DrillOptions options = new DrillOptions(
                Path.of("x"), cuts, 1, DrillOptions.FabricKind.LAB, 0, false, 5_000, 1, 16, List.of(),
                BondMode.ACTIVE_BACKUP, DrillScenario.CUT, 1, 0);
        final FailoverRow row = new FailoverRow(
                1, "receiver rxe0", 2, "RETRY_EXC", "", 1, 1, 1, 1, negotiated, 0, "rxe1", null);
        return new DrillResult(
                options, "lab", isOk, isOk ? "All is well." : "FAILED: 1 lost.", 0, 0, "", 0, cuts, List.of(row),
                List.of(), List.of(), 0, new Outages(0, 0));
    }

    private static void assertFailed(final DrillTally tally, final String verdict) {
        assertThat(tally.ok()).isFalse();
        assertThat(DrillTally.table(List.of(tally))).contains("FAILED");
        assertThat(DrillTally.json(List.of(tally))).contains("\"ok\": false", "\"verdict\": \"" + verdict + "\"");
        assertThat(new DrillOutcome(tally.result(), "x", "again").html())
                .contains("verdict bad", verdict)
                .doesNotContain("All is well");
    }

    /** The JSON had said that it was ok. */
    @Test
    void aDrillThatDidNotShowWhatItIsForHasFailed() {
        assertFailed(
                new DrillTally(LabFault.EGRESS, result(true, 4, 0)),
                "FAILED: nobody was told by negotiation that a message had arrived.");
        assertFailed(new DrillTally(LabFault.EGRESS, result(false, 4, 0)), "FAILED: 1 lost.");
    }

    @Test
    void oneThatShowedItHasPassed() {
        for (final DrillTally tally : List.of(
                new DrillTally(LabFault.EGRESS, result(true, 4, 1)),
                new DrillTally(LabFault.EGRESS, result(true, 3, 0)),
                new DrillTally(LabFault.CARRIER, result(true, 4, 0)))) {
            assertThat(tally.ok()).isTrue();
            assertThat(DrillTally.table(List.of(tally))).contains("passed");
            assertThat(DrillTally.json(List.of(tally)))
                    .contains("\"ok\": true", "\"verdict\": \"All is well.\"");
        }
    }

    /** A soak whose processes grow, say. */
    @Test
    void whatWasWrongBesidesIsSaid() {
        assertThat(result(true, 1, 0).failed("")).isEqualTo(result(true, 1, 0));
        assertFailed(
                new DrillTally(LabFault.FLAP, result(true, 1, 0).failed("it grew")), "FAILED: it grew.");
        assertFailed(
                new DrillTally(LabFault.FLAP, result(false, 1, 0).failed("it grew")),
                "FAILED: 1 lost. FAILED: it grew.");
    }
}
