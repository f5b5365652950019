package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page needs nothing else and is well formed; table and JSON carry the same rows. */
class DrillOutcomeTest {
    private static final long MS = 1_000_000;

    private static DrillOutcome outcome(final String input, final String again) {
        final DrillOptions options = new DrillOptions(
                Path.of(input), 2, 7, DrillOptions.FabricKind.LOOPBACK, 25_000_000, false, 30_000, 64, 1 << 16,
                List.of(SideTraffic.BANK, SideTraffic.SRQ), BondMode.BALANCE_XOR, DrillScenario.DRAIN, 4, 0);
        final List<DrillResult.Sample> samples = new ArrayList<>();
        for (int i = 0; i <= 100; i++) {
            samples.add(new DrillResult.Sample(5 * MS + i * 10 * MS, i * 250_000L));
        }
        final List<FailoverRow> rows = List.of(
                new FailoverRow(
                        1, "sender soft0", 2, "PORT_ERR", "PEER_REQUEST", 1.25, 0.5, 3, 0.125, 4, 17,
                        "soft1 -> 127.0.0.2", null),
                new FailoverRow(2, "receiver soft1", 3, "RETRY_EXC", "", 70, 1, 2, 3, 0, 64, "", "NO_PATH"));
        final List<DrillResult.Mark> marks = List.of(
                new DrillResult.Mark(300 * MS, "sender soft0", false),
                new DrillResult.Mark(400 * MS, "sender soft0", true),
                new DrillResult.Mark(700 * MS, "receiver soft1", false));
        return new DrillOutcome(
                new DrillResult(
                        options, "loopback", false, "FAILED: <why> & \"how\".", 25_000_000, 900, "abc123",
                        1_000 * MS, 1, rows, samples, marks, 5 * MS, new Outages(750, 1_250)),
                input,
                again);
    }

    @Test
    void thePageIsWellFormedAndSelfContained() throws Exception {
        final String html = outcome("x", "./vhca drill --seed 7 --input '/tmp/a<b>&c'").html();
        PageAssert.isSelfContained(html);
        assertThat(html)
                .contains("prefers-color-scheme: dark", "FAILED: &lt;why&gt; &amp; &quot;how&quot;.", "abc123")
                .contains("./vhca drill --seed 7 --input '/tmp/a&lt;b&gt;&amp;c'")
                .contains("sender soft0 drained", "receiver soft1 drained", "drains survived");
    }

    @Test
    void aDrillThatSawNothingStillHasAPage() throws Exception {
        final DrillOptions options = new DrillOptions(
                Path.of("x"), 0, 1, DrillOptions.FabricKind.NETNS, 0, true, 5_000, 1, 16, List.of(),
                BondMode.ACTIVE_BACKUP, DrillScenario.CUT, 1, 0);
        final DrillResult result = new DrillResult(
                options, "netns", false, "FAILED.", 0, 0, "", 0, 0, List.of(), List.of(), List.of(), 0, Outages.NONE);
        final String html = new DrillOutcome(result, "x", "again").html();
        PageAssert.isSelfContained(html);
        assertThat(html).contains("The receiver dies");
    }

    @Test
    void theTableLinesUp() {
        final String text = DrillTable.text(outcome("x", "again").result().failovers());
        final String[] lines = text.split("\n", -1);
        assertThat(lines).hasSize(5);
        assertThat(lines[2]).contains("sender soft0", "PORT_ERR", "PEER_REQUEST", " 4.9 ", "soft1 -> 127.0.0.2");
        assertThat(lines[3]).contains("RETRY_EXC", " 76.0 ", "NO_PATH");
        assertThat(lines[2].indexOf("soft1 ->")).isEqualTo(lines[3].indexOf("NO_PATH"));
    }

    @Test
    void theJsonCarriesVerdictAndRows() {
        assertThat(outcome("a\"b", "again").json())
                .contains("\"ok\": false", "\"input\": \"a\\\"b\"")
                .contains("\"connectionsOutageMs\": 750", "\"datagramsOutageMs\": 1250")
                .contains("\"senderSaw\": \"PORT_ERR\"", "\"detectMs\": 1.25");
    }
}
