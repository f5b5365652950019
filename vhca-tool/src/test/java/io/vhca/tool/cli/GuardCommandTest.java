package io.vhca.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.tool.Vhca;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What is said of a configuration that cannot be read. */
class GuardCommandTest {
    @Test
    void aConfigurationThatIsNotThereIsSaidInWords() {
        final StringWriter said = new StringWriter();
        final int code = Vhca.commandLine().setErr(new PrintWriter(said)).execute("guard", "--config", "/no/such");
        assertThat(code).isEqualTo(2);
        assertThat(said.toString())
                .contains("--config /no/such cannot be read: there is no /no/such")
                .doesNotContain("java.nio");
    }
}
