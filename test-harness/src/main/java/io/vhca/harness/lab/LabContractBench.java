package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.bench.BenchTalk;
import io.vhca.harness.bench.ContractFigures;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What the options of the contract cost on bonds over rxe devices. The machines have one processor each, so every
 * setting has processes of its own in its turn: a bond that is not measured would still take its share. One thread.
 */
public final class LabContractBench {
    private static final String BOND = "bond0";

    private final Lab lab;
    private final PrintWriter out;
    private final int rounds;
    private final ContractFigures figures;

    public LabContractBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        rounds = isQuick ? 1 : 5;
        figures = new ContractFigures(rounds, TimeUnit.SECONDS.toNanos(isQuick ? 1 : 3), false);
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final int settings = ContractFigures.SETTINGS.size();
        for (int round = 0; round < rounds; round++) {
            out.printf(Locale.ROOT, "  options, round %d of %d%n", round + 1, rounds);
            out.flush();
            for (int n = 0; n < settings; n++) {
                measure(round % 2 == 0 ? n : settings - 1 - n, round);
            }
        }
        return figures.rows();
    }

    private void measure(final int setting, final int round) throws IOException, InterruptedException {
        final String options = ContractFigures.SETTINGS.get(setting).options();
        final String bond = BOND + ": mode=active-backup members=rxe0,rxe1 path_timeout=5s " + options;
        try (BenchTalk talk = LabBench.open(
                lab, bond, ContractFigures.WINDOW, ContractFigures.BYTES, List.of(BOND), 1)) {
            figures.measure(talk, BOND, setting, round); // warms up
            figures.measure(talk, BOND, setting, round);
        }
        lab.endJvms();
    }
}
