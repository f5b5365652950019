package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What {@code vhca sim} shows and answers. */
class SimJobTest {
    private final StringWriter printed = new StringWriter();

    private int run(final SimOptions options, final long seeds, final boolean isTerminal) throws InterruptedException {
        return new SimJob(options, 1, seeds, 2, 1, new PrintWriter(printed), isTerminal).run();
    }

    @Test
    void aGoodRunShowsProgressAndItsRateAndAnswersZero() throws InterruptedException {
        assertThat(run(SimOptions.FULL, 40, false)).isZero();
        assertThat(printed.toString())
                .contains("seeds 1 .. 40 on 2 threads", "40 of 40 seeds", "every contract held in every scenario")
                .containsPattern("scenarios 40 in [0-9.]+ s \\([0-9]+ a second\\)")
                .doesNotContain("\u001b");
    }

    @Test
    void onATerminalProgressStaysOnOneLine() throws InterruptedException {
        assertThat(run(SimOptions.SOFT, 5, true)).isZero();
        assertThat(printed.toString()).contains("\r\u001b[K5 of 5 seeds");
    }

    @Test
    void aBadSeedIsNamedWithItsHistoryAndTheAnswerIsOne() throws InterruptedException {
        assertThat(run(SimOptions.FULL.with(Mutation.REPLAY_ONE_TOO_LATE), 50, false)).isEqualTo(1);
        assertThat(printed.toString())
                .contains(" bad seeds")
                .containsPattern("BAD SEED [0-9]+\n")
                .contains("again with: vhca sim --seeds 1 --seed ", "history:");
    }
}
