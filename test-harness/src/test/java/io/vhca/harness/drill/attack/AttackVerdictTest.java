package io.vhca.harness.drill.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.PageAssert;
import io.vhca.harness.drill.attack.kind.AttackKind;
import io.vhca.harness.drill.attack.kind.AttackTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each thing that an attack must not do is a failure of its own, and shows in table and page. */
class AttackVerdictTest {
    private static final AttackKind STRANGER = AttackTable.byLabel("stranger-req-recover");
    private static final AttackKind ON_PATH = AttackTable.byLabel("onpath-req-recover");
    private static final AttackKind PACKETS = AttackTable.byLabel("onpath-rc");
    private static final Map<String, Long> COUNTED = Map.of("bond.REQ_FORGED", 7L);
    private static final long MIB = 1 << 20;

    private static AttackVerdict verdict(
            final AttackKind kind,
            final long sent,
            final String broken,
            final boolean isExact,
            final long failovers,
            final double duringMBs,
            final long grown,
            final long left,
            final Map<String, Long> counted) {
        return new AttackVerdict(kind, sent, 1, broken, isExact, failovers, 20, duringMBs, grown, left, 5, counted);
    }

    private static AttackVerdict failing(final AttackKind kind) {
        return verdict(kind, 300, "", true, 2, 20, 0, 0, COUNTED);
    }

    private static final AttackVerdict GOOD = verdict(STRANGER, 300, "", true, 0, 16.1, 63 * MIB, 15 * MIB, COUNTED);

    private static void assertFails(final AttackVerdict verdict, final String why) {
        assertThat(verdict.failures(true)).singleElement().asString().contains(why);
        assertThat(verdict.isFailure(false, true)).isTrue();
    }

    @Test
    void whatChangesNothingIsRefused() {
        assertThat(GOOD.failures(true)).isEmpty();
        assertThat(GOOD.isFailure(true, true)).isFalse();
    }

    @Test
    void eachHarmIsAFailure() {
        assertFails(verdict(STRANGER, 300, "it died", false, 0, 20, 0, 0, Map.of()), "the transfer ended: it died");
        assertFails(verdict(STRANGER, 300, "", false, 0, 20, 0, 0, COUNTED), "not exact");
        assertFails(verdict(STRANGER, 300, "", true, 1, 20, 0, 0, COUNTED), "1 failovers");
        assertFails(verdict(STRANGER, 300, "", true, 0, 15.9, 0, 0, COUNTED), "throughput fell to 0.80");
        assertFails(verdict(STRANGER, 300, "", true, 0, 20, 65 * MIB, 0, COUNTED), "memory grew by 65 MiB");
        assertFails(verdict(STRANGER, 300, "", true, 0, 20, 0, 17 * MIB, COUNTED), "memory is not back: 17 MiB");
        assertFails(verdict(STRANGER, 0, "", true, 0, 20, 0, 0, COUNTED), "nothing was sent");
        assertFails(verdict(STRANGER, 300, "", true, 0, 20, 0, 0, Map.of()), "not counted");
    }

    @Test
    void throughputIsJudgedOnlyWhereItCanBe() {
        final AttackVerdict slow = verdict(STRANGER, 300, "", true, 0, 2, 0, 0, COUNTED);
        assertThat(slow.isFailure(false, true)).isTrue();
        assertThat(slow.isFailure(false, false)).isFalse();
        assertThat(slow.isOnlySlow()).isTrue();
        assertThat(GOOD.isOnlySlow()).isFalse();
        assertThat(verdict(STRANGER, 300, "", true, 1, 2, 0, 0, COUNTED).isOnlySlow())
                .isFalse();
    }

    @Test
    void whoIsOnThePathIsRefusedByAKeyAndPacketsByNothing() {
        assertThat(failing(STRANGER).isFailure(false, true)).isTrue();
        assertThat(failing(ON_PATH).isFailure(false, true)).isFalse();
        assertThat(failing(ON_PATH).isFailure(true, true)).isTrue();
        assertThat(failing(PACKETS).isFailure(true, true)).isFalse();
    }

    private static AttackPage page(final AttackVerdict... verdicts) {
        return new AttackPage(
                new AttackOptions(Path.of("input"), 7, false, "", 25, "", false), "somewhere", List.of(verdicts));
    }

    @Test
    void thePageSaysWhatFailedAndWhatGotThrough() throws Exception {
        final AttackPage good = page(GOOD);
        assertThat(good.failures()).isZero();
        assertThat(good.verdict()).startsWith("PASSED: 1 attacks, each refused and counted");
        final AttackPage bad = page(GOOD, failing(STRANGER), failing(ON_PATH), failing(PACKETS));
        assertThat(bad.failures()).isEqualTo(1);
        assertThat(bad.verdict())
                .startsWith("FAILED: 1 of 4 attacks")
                .contains("2 got through that nothing promises to hold");
        assertThat(bad.rows()).extracting(List::getLast)
                .containsExactly(
                        "refused", "FAILED: 2 failovers", "got through (refused with a key): 2 failovers",
                        "got through (no proof in RoCEv2): 2 failovers");
        final String html = bad.html("./vhca drill --attack --seed 7");
        assertThat(html)
                .contains("FAILED: 1 of 4", "stranger-req-recover", "bond.REQ_FORGED 7", "--attack --seed 7");
        PageAssert.isSelfContained(html);
    }
}
