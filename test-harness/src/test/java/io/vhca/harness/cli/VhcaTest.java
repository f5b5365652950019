package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class VhcaTest {
    private static final ParseResult NONE = Vhca.commandLine().parseArgs();

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Vhca.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(args);
    }

    @Test
    void helpTeachesExamplesAndExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("Examples:", "vhca sim --seeds", "Exit codes:", "verdict is bad");
    }

    @Test
    void theListOfCommandsShowsWholeSentences() {
        Vhca.commandLine().getSubcommands().forEach((name, command) -> assertThat(
                        command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .matches("[A-Z].*[.]"));
    }

    @Test
    void versionNamesJavaToo() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).containsPattern("vhca \\d+\\.\\d+\\.\\d+").contains("Java " + Runtime.version());
        assertThat(out.toString()).doesNotContain("$");
    }

    @Test
    void unknownSubcommandIsUsageErrorWithSuggestion() {
        assertThat(run("versoin")).isEqualTo(2);
        assertThat(err.toString()).contains("versoin", "version");
    }

    @Test
    void wrongUseOfAnOptionIsUsageError() {
        assertThat(run("sim", "--seeds", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("at least 1");
    }

    @Test
    void whatIsMissingIsSaidInOneSentence() {
        assertThat(run("journal", "/no/such/journal")).isEqualTo(3);
        assertThat(err.toString().lines())
                .containsExactly("vhca journal: there is no /no/such/journal; name a journal's directory");
        assertThat(run("drill", "--input", "/no/such/file")).isEqualTo(3);
        assertThat(err.toString()).contains("vhca drill: ", "/no/such/file");
    }

    @Test
    void aDeviceThatDoesNotExistIsMissing() {
        assertThat(run("example", "hello", "--device", "nosuch0")).isEqualTo(3);
        assertThat(err.toString()).contains("vhca example hello: openDevice on nosuch0 failed (ENODEV)", "soft0");
        assertThat(err.toString()).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({"openDevice, 3", "configure, 3", "getDeviceList, 3", "createQp, 1"})
    void aVerbThatFailedIsOneSentence(final String verb, final int code) throws Exception {
        final CommandLine commandLine = Vhca.commandLine().setErr(new PrintWriter(err, true));
        final VerbsException failure = new VerbsException(verb, Errno.EINVAL, "soft0", "no");
        assertThat(new FailureHandler().handleExecutionException(failure, commandLine, NONE)).isEqualTo(code);
        assertThat(err.toString().lines()).containsExactly("vhca: " + failure.getMessage());
    }

    @Test
    void aDefectShowsItsTrace() {
        final IllegalStateException defect = new IllegalStateException("defect");
        assertThatThrownBy(() -> new FailureHandler().handleExecutionException(defect, Vhca.commandLine(), NONE))
                .isSameAs(defect);
    }
}
