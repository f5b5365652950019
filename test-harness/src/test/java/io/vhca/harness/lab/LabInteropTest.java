package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.vhca.harness.interop.CProgram;
import io.vhca.harness.interop.InteropPart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertThat(LabInterop.verdict(new InteropPart("soft0", CProgram.RPING, false), Map.of(), Map.of()))
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

    /** rxe can retry for ever: whoever it does that to has received all, and nobody is there to say so. */
    @Test
    void whoHasGoneMayBeWaitedForInVain() {
        final String c = "ended with exit code 124: ";
        final String java =
                "pollCq rxe0 qp 17: no completion, with 100 of 100 received and 99 sent; is the peer alive?";
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, c, "passed")).isEqualTo("passed, last ACK lost");
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, "passed", java)).isEqualTo("passed, last ACK lost");
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, "passed", java.replace("100 of", "99 of")))
                .as("a message was acknowledged and never completed")
                .startsWith("C: passed; Java: poll");
        assertThat(verdict(CProgram.RC_PINGPONG_LOSS, c, java)).as("nobody has all").startsWith("C: ended");
        assertThat(verdict(CProgram.RC_PINGPONG, c, "passed")).as("nothing gets lost").startsWith("C: ended");
    }

    /** What failed is not the last thing that the program says. */
    @Test
    void theReasonOfWhatFailedIsSaid(@TempDir final Path directory) throws IOException, InterruptedException {
        final Path log = directory.resolve("c.log");
        Files.writeString(log, "Failed status transport retry counter exceeded (12) for wr_id 2\nparse WC failed 1\n");
        final String part = new InteropPart("soft0", CProgram.RC_PINGPONG_LOSS, false).name();
        final String script = LabInterop.C_SIDE.replace("/run/lab/c.log", log.toString()) + "ended " + part + " 1";
        final Process shell = new ProcessBuilder("bash", "-c", script)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        final String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).isZero();
        final Map<String, String> ofC = LabInterop.parts(output);
        assertThat(LabInterop.verdict(
                        new InteropPart("soft0", CProgram.RC_PINGPONG_LOSS, false), ofC, Map.of(part, "passed")))
                .isEqualTo("passed, last ACK lost");
    }

    private static String verdict(final CProgram program, final String ofC, final String ofJava) {
        final InteropPart part = new InteropPart("soft0", program, false);
        return LabInterop.verdict(part, Map.of(part.name(), ofC), Map.of(part.name(), ofJava));
    }
}
