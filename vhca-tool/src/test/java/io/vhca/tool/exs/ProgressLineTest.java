package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What a person who watches a copy sees, and what a file or a program gets that does not watch. */
class ProgressLineTest {
    private static final String HALF = "\r[####################                    ] 50 %";
    private static final String ALL = "\r[########################################] 100 %";

    private final StringWriter out = new StringWriter();

    private ProgressLine line(final boolean isWatched) {
        return new ProgressLine(new PrintWriter(out), isWatched);
    }

    @Test
    void theLineIsWrittenOverAndEnded() {
        try (ProgressLine line = line(true)) {
            line.at(5, 10);
            assertThat(out).as("at once").hasToString(HALF);
            line.at(10, 10);
        }
        assertThat(out.toString()).isEqualTo(HALF + ALL + System.lineSeparator());
    }

    /** However many pieces there are, and however large the file is. */
    @Test
    void itIsWrittenOnceForEachPercent() {
        final long all = 1L << 50;
        try (ProgressLine line = line(true)) {
            for (long piece = 1; piece <= 1_000; piece++) {
                line.at(piece * (all / 1_000), all);
            }
            line.at(all, all);
        }
        assertThat(out.toString().chars().filter(letter -> letter == '\r').count()).isEqualTo(101);
        assertThat(out.toString().lines()).last().asString().isEqualTo(ALL.strip());
    }

    /** What is there of an earlier copy counts. */
    @Test
    void aCopyThatGoesOnBeginsWhereItIs() {
        line(true).at(99, 100);
        assertThat(out.toString()).isEqualTo("\r[####################################### ] 99 %");
    }

    @Test
    void whoDoesNotWatchGetsNothing() {
        try (ProgressLine line = line(false)) {
            line.at(5, 10);
            line.at(10, 10);
        }
        assertThat(out.toString()).isEmpty();
    }

    /** As where all was there, or the file is empty: no piece is sent. */
    @Test
    void withoutAPieceThereIsNoLineToEnd() {
        line(true).close();
        assertThat(out.toString()).isEmpty();
    }

    /** Why a copy ended had stood behind the bar, and there are no commands to a terminal but the return. */
    @Test
    void aCopyThatEndsMidwayEndsItsLine() {
        try (ProgressLine line = line(true)) {
            line.at(1, 3);
        }
        assertThat(out.toString()).endsWith("] 33 %" + System.lineSeparator()).doesNotContain("\u001b");
    }
}
