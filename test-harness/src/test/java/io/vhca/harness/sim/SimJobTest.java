package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.Odds;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code vhca sim} shows and answers. */
class SimJobTest {
    private final StringWriter printed = new StringWriter();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private int run(final SimOptions options, final long seeds, final boolean isTerminal)
            throws IOException, InterruptedException {
        return new SimJob(
                options, 1, seeds, 2, 1, new PrintWriter(printed), isTerminal, directory.resolve("history")).run();
    }

    @Test
    void aGoodRunShowsProgressAndItsRateAndAnswersZero() throws IOException, InterruptedException {
        assertThat(run(SimOptions.FULL, 40, false)).isZero();
        assertThat(printed.toString())
                .contains("seeds 1 .. 40 on 2 threads", "40 of 40 seeds", "every contract held in every scenario")
                .containsPattern("scenarios 40 in [0-9.]+ s \\([0-9]+ a second\\)")
                .doesNotContain("\u001b");
    }

    /** A scenario that cannot be drawn has no run that could be bad. */
    @Test
    void seedsThatWereNotRunAreNoGoodOnes() {
        final SimOptions options = SimOptions.FULL.with(FaultKind.beside("never", Odds.of(100, 100), dice -> {
            throw new IllegalStateException("not drawn");
        }));
        assertThatThrownBy(() -> run(options, 40, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("only 0 of 40 seeds were run")
                .hasMessageContaining("not drawn");
        assertThat(printed.toString()).doesNotContain("every contract held");
    }

    @Test
    void onATerminalProgressStaysOnOneLine() throws IOException, InterruptedException {
        assertThat(run(SimOptions.SOFT, 5, true)).isZero();
        assertThat(printed.toString()).contains("\r\u001b[K5 of 5 seeds");
    }

    @Test
    void aBadSeedIsNamedWithItsHistoryAndTheAnswerIsOne() throws IOException, InterruptedException {
        assertThat(run(SimOptions.FULL.with(Mutation.REPLAY_ONE_TOO_LATE), 50, false)).isEqualTo(1);
        assertThat(printed.toString())
                .contains(" bad seeds")
                .containsPattern("BAD SEED [0-9]+\n")
                .contains("again with: vhca sim --seeds 1 --seed ", "history:", "the whole history is in " + directory);
        final String history = Files.readString(directory.resolve("history"));
        assertThat(history.lines().findFirst().orElseThrow())
                .as("it is whole from its beginning")
                .matches(" +[0-9.]+ us  (left|right) +qp [0-9]  (cm call 0, attempt 0"
                        + "|queue pair .* from stage 0, life 0)");
        assertThat(history).contains("post send, op 0").doesNotContain(" datagram ");
        assertThat(printed.toString()).contains(history.lines().toList().getLast());
    }

    @Test
    void datagramsAreInTheHistoryWhereTheyAreWhatWentWrong() throws IOException, InterruptedException {
        assertThat(run(SimOptions.FULL.with(Mutation.DATAGRAM_SENT_TWICE), 50, false)).isEqualTo(1);
        assertThat(Files.readString(directory.resolve("history"))).containsPattern(" datagram [0-9]+ received");
    }

    @Test
    void aHistoryThatGrowsTooLongLosesItsBeginning() {
        final History history = new History(Recording.ALL);
        for (int i = 0; i < 200_000; i++) {
            history.note(i, 0, 0, "line number " + i + " of many");
        }
        assertThat(history.render().length()).isBetween(2_000_000, 4_100_000);
        assertThat(history.render()).matches("(?s) *[0-9]+\\.[0-9]{3} us.*line number 199999 of many\n");
    }
}
