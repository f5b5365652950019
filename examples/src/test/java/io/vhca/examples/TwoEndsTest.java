package io.vhca.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
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

    /** As under {@code vhca example}. */
    @Test
    void aDeviceThatThereIsNotIsMissing() {
        for (final Callable<Integer> program : List.of(new DevInfo(), new Rping(), new RcPingPong())) {
            assertThat(TwoEnds.execute(program, new String[] {"--device", "nosuch"})).isEqualTo(3);
        }
    }
}
