package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.memory.NativeBlock;
import io.vhca.ras.snapshot.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is read of a block is what a line of its hexdump costs, of whoever wrote it. */
class NativeFactsTest {
    private static final String PART = "256 bytes at 0x7f0012345040, each 64, data from 48";

    private static NativeFacts parse(final List<Report.Fact> more) {
        final List<Report.Fact> facts = new ArrayList<>();
        facts.add(new Report.Fact("block", "384 bytes at 0x7f0012345000, raw at 0, of bond0, number 0x12"));
        facts.addAll(more);
        return Objects.requireNonNull(NativeFacts.parse(new Report.Section("qp:0x12 native memory", facts)));
    }

    @Test
    void aPartWhoseTagIsLongerThanAnyIsNone() {
        final NativeFacts facts = parse(List.of(
                new Report.Fact("part " + "v".repeat(4_000), PART), new Report.Fact("part vS Q", PART),
                new Report.Fact("part ", PART), new Report.Fact("part vSRQ", PART)));
        assertThat(facts.parts()).extracting(NativeBlock.Part::tag).containsExactly("vSRQ");
    }

    @Test
    void cursorsAreAsManyAsABlockMayHave() {
        final List<Report.Fact> cursors = new ArrayList<>();
        cursors.add(new Report.Fact("vSQ retired", "7"));
        cursors.add(new Report.Fact("vSQ retired", "8"));
        for (int i = 0; i < 1_000; i++) {
            cursors.add(new Report.Fact("vRQ " + i, "9"));
        }
        final NativeFacts facts = parse(cursors);
        assertThat(facts.cursor("vSQ retired")).isEqualTo(7);
        assertThat(facts.cursor("vRQ 1")).isEqualTo(9);
        assertThat(facts.cursor("vSQ posted")).isZero();
        assertThat(facts.cursors()).hasSize(64);
    }
}
