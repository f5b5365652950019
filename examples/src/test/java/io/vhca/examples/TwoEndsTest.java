package io.vhca.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TwoEndsTest {
    @Test
    void aPortThatThereIsNotIsAWrongArgument() {
        final String[] far = {"--port", "70000", "127.0.0.1"};
        assertThat(TwoEnds.execute(new Rping(), far)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(TwoEnds.execute(new RcPingPong(), far)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(TwoEnds.execute(new RdpEcho(), far)).isEqualTo(CommandLine.ExitCode.USAGE);
        final String[] below = {"--port", "-1", "--server"};
        assertThat(TwoEnds.execute(new ExsFiles(), below)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(new CommandLine(new UdpEcho()).execute(far)).isEqualTo(CommandLine.ExitCode.USAGE);
    }
}
