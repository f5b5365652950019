package io.vhca.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.snapshot.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecodeCommandTest {
    @Test
    void valuesStandBelowEachOther() {
        assertThat(DecodeCommand.text(new Report(List.of(new Report.Section(
                        "dump", List.of(new Report.Fact("bond", "bond0"), new Report.Fact("process", "4711")))))))
                .isEqualTo("dump\n  bond     bond0\n  process  4711\n");
    }

    /** A dump may come from anybody: 64 MB of it became gigabytes of blanks. */
    @Test
    void aLongNameDoesNotMakeEachLineLong() {
        final List<Report.Fact> facts = new ArrayList<>(Collections.nCopies(1_000, new Report.Fact("a", "1")));
        facts.add(new Report.Fact("n".repeat(4_000), "2"));
        assertThat(DecodeCommand.text(new Report(List.of(new Report.Section("dump", facts)))))
                .hasSizeLessThan(100_000)
                .endsWith("\n  " + "n".repeat(4_000) + "  2\n");
    }
}
