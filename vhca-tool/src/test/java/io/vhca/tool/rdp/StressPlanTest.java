package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Numbers of which the sum or the product is beyond an int are refused like all that are too large. */
class StressPlanTest {
    private static final int MESSAGE = 8_192;

    /** 1024 times that is 1024 once more, in an int. */
    private static final String PROCESSES = "4194305";

    private static StressOptions options(final String... words) {
        return CommandLine.populateCommand(new StressOptions(), words);
    }

    @Test
    void thePortsOfAllSocketsArePorts() {
        assertThat(new StressPlan(1, 1, 1, 64, 64, 65_535, 1).wrong(MESSAGE)).isEmpty();
        assertThat(new StressPlan(1, 2, 1, 64, 64, 65_535, 1).wrong(MESSAGE)).startsWith("--port");
        assertThat(new StressPlan(1, 1, 1, 64, 64, Integer.MAX_VALUE, 1).wrong(MESSAGE)).startsWith("--port");
    }

    @Test
    void thereAreNotMoreSocketsThanThereMayBe() {
        assertThat(options("-t", "1024", "--processes", "16").plan().wrong(MESSAGE)).isEmpty();
        assertThat(options("-t", "1024", "--processes", PROCESSES).plan().wrong(MESSAGE)).startsWith("--sockets");
    }

    @Test
    void eachTaskOfEachProcessHasASocket() {
        assertThat(options("-t", "4", "--processes", "2", "--sockets", "8").wrong(true, true)).isEmpty();
        assertThat(options("-t", "1024", "--processes", PROCESSES, "--sockets", "1024").wrong(true, true))
                .startsWith("--sockets");
    }
}
