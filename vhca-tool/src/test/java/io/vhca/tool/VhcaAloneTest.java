package io.vhca.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The tool without the test harness, as an operator installs it. */
class VhcaAloneTest {
    @Test
    void hasTheOperatorsCommandsAndNoOther() {
        assertThat(Vhca.commandLine().getSubcommands().keySet())
                .containsExactly(
                        "version", "example", "exs", "devinfo", "doctor", "journal", "status", "stat", "errors",
                        "trace", "snapshot", "decode", "dump", "users", "guard", "health", "memory",
                        "check", "threads", "metrics", "bond", "rdp",
                        "completion", "manual");
    }

    @Test
    void theHelpShowsNoCommandThatIsNotThere() {
        assertThat(Vhca.commandLine().getUsageMessage())
                .contains("Examples:\n  vhca example hello", "Exit codes:")
                .doesNotContain("vhca sim", "vhca drill");
    }

    @Test
    void itsRuntimeHasNoBenchmarksAndNoHarness() {
        assertThatThrownBy(() -> Class.forName("org.openjdk.jmh.Main")).isInstanceOf(ClassNotFoundException.class);
        assertThatThrownBy(() -> Class.forName("io.vhca.harness.cli.SimCommand"))
                .isInstanceOf(ClassNotFoundException.class);
    }
}
