package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What perftest prints, as it prints it. */
class PerftestTest {
    private static final String LATENCY = """
             local address: LID 0000 QPN 0x0012 PSN 0x9bccd6
             #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]
             64      300          213.57         3317.65      236.78   \t       375.34      \t474.57
            ---------------------------------------------------------------
            """;

    @Test
    void theFigureIsInTheLineOfNumbers() throws IOException {
        assertThat(Perftest.figure(LATENCY, 5)).isEqualTo(375.34);
    }

    @Test
    void noFigureIsNoZero() {
        assertThatThrownBy(() -> Perftest.figure("Couldn't connect to 10.77.0.2:18515", 4))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Couldn't connect");
    }
}
