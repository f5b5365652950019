package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class VhcaTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Vhca.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(args);
    }

    @Test
    void helpTeachesExamplesAndExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("Examples:", "vhca sim --seeds", "Exit codes:", "verdict is bad", "version");
    }

    @Test
    void versionNamesJavaToo() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).contains("vhca 0.1.0", "Java " + Runtime.version());
    }

    @Test
    void unknownSubcommandIsUsageErrorWithSuggestion() {
        assertThat(run("versoin")).isEqualTo(2);
        assertThat(err.toString()).contains("versoin", "version");
    }
}
