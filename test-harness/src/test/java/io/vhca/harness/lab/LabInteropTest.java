package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

/** What the jobs of the C programs' table print. */
class LabInteropTest {
    @Test
    void partsAreReadAndOtherLinesAreNot() {
        assertThat(LabInterop.parts("part rping/client passed\nnobody listens\npart send_bw/server ended with exit code"
                        + " 1: Couldn't connect\npart cut\n"))
                .containsOnly(
                        entry("rping/client", "passed"),
                        entry("send_bw/server", "ended with exit code 1: Couldn't connect"));
    }

    @Test
    void aPartPassedWhenBothSidesSaySo() {
        assertThat(LabInterop.verdict("a", LabInterop.parts("part a passed"), LabInterop.parts("part a passed")))
                .isEqualTo("passed");
        assertThat(LabInterop.verdict("a", LabInterop.parts("part a passed"), LabInterop.parts("part a no completion")))
                .isEqualTo("C: passed; Java: no completion");
        assertThat(LabInterop.verdict("a", LabInterop.parts(""), LabInterop.parts("part b passed")))
                .isEqualTo("C: not reached; Java: not reached");
    }
}
