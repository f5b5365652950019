package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.vhca.harness.interop.CProgram;
import io.vhca.harness.interop.InteropPart;
import java.util.Map;
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
        assertThat(verdict(CProgram.RPING, "passed", "passed")).isEqualTo("passed");
        assertThat(verdict(CProgram.RPING, "passed", "no completion")).isEqualTo("C: passed; Java: no completion");
        assertThat(LabInterop.verdict(new InteropPart(CProgram.RPING, false), Map.of(), Map.of()))
                .isEqualTo("C: not reached; Java: not reached");
    }

    @Test
    void whoHasGoneDoesNotAcknowledgeAgain() {
        final String java = "pollCq soft0 qp 17: completed with RETRY_EXC_ERR";
        final String c = "ended with exit code 1: Failed status transport retry counter exceeded (12) for wr_id 2 parse"
                + " WC failed 1";
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, "passed", java)).isEqualTo("passed, last ACK lost");
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, c, "passed")).isEqualTo("passed, last ACK lost");
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, c, java)).as("nobody has all").startsWith("C: ended");
        assertThat(verdict(CProgram.RC_PINGPONG, "passed", java)).as("nothing gets lost").startsWith("C: passed; J");
    }

    private static String verdict(final CProgram program, final String ofC, final String ofJava) {
        final InteropPart part = new InteropPart(program, false);
        return LabInterop.verdict(part, Map.of(part.name(), ofC), Map.of(part.name(), ofJava));
    }
}
