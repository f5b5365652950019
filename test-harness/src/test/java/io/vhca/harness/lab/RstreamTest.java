package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What rstream prints, as it prints it. */
class RstreamTest {
    private static final String RAN = """
            uptime 10.50 4.25
            name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer
            custom    64k     100     3       38m         3.10s      0.10    5169.42
            uptime 14.00 4.75
            """;

    @Test
    void theFigureIsTheLastOfItsLine() throws IOException {
        assertThat(Rstream.microseconds(RAN)).isEqualTo(5169.42);
    }

    @Test
    void noFigureIsNoZero() {
        assertThatThrownBy(() -> Rstream.microseconds("rconnect: Connection refused"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Connection refused");
    }

    @Test
    void aProcessorThatWasNotIdleHasWorked() {
        assertThat(ProcessorTime.busyNs("uptime 10.50 4.25\n")).isEqualTo(6_250_000_000L);
        assertThat(ProcessorTime.spentNs(RAN)).isEqualTo(3_000_000_000L);
    }

    @Test
    void whatIsNoTimeIsNamed() {
        assertThatThrownBy(() -> ProcessorTime.busyNs("up 10.50 4.25"))
                .hasMessage("'up 10.50 4.25' is not 'uptime SECONDS IDLE_SECONDS'");
        assertThatThrownBy(() -> ProcessorTime.spentNs("uptime 10.50 4.25\n"))
                .hasMessageStartingWith("no two lines of uptime in: ");
    }
}
