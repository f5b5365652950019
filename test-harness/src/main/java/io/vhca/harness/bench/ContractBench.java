package io.vhca.harness.bench;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * (d): what the options of the contract cost on bonds over soft RNICs, between two processes that open all of them. One
 * thread.
 */
final class ContractBench {
    private static final String SERVER = "127.78.3.1";
    private static final String CLIENT = "127.78.4.1";

    private final ContractFigures figures;

    ContractBench(final boolean isQuick) {
        figures = new ContractFigures(
                Rounds.count(isQuick), TimeUnit.MILLISECONDS.toNanos(isQuick ? 300 : 1_000), true);
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        final int settings = ContractFigures.SETTINGS.size();
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        try (ChildProcess server = start("server", SERVER, CLIENT, said);
                ChildProcess client = start("client", CLIENT, SERVER, said);
                BenchTalk talk = new BenchTalk(said, server, client)) {
            talk.connect(settings);
            for (int round = -1; round < figures.rounds(); round++) {
                progress.println("  round " + (round + 1) + " of " + figures.rounds());
                progress.flush();
                for (int n = 0; n < settings; n++) {
                    final int i = Rounds.place(round, n, settings);
                    figures.measure(talk, "bond" + i, i, Math.max(round, 0)); // the first round warms up
                }
            }
        }
        return figures.rows();
    }

    private static ChildProcess start(
            final String role, final String own, final String peer, final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final StringBuilder softs = new StringBuilder();
        final StringBuilder bonds = new StringBuilder();
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < ContractFigures.SETTINGS.size(); i++) {
            final String prefix = own.substring(0, own.lastIndexOf('.') + 1);
            final int first = 2 * i;
            softs.append(i == 0 ? "" : ",").append("soft").append(first).append('=').append(prefix).append(first + 1)
                    .append(",soft").append(first + 1).append('=').append(prefix).append(first + 2);
            bonds.append("bond").append(i).append(": mode=active-backup members=soft").append(first).append(",soft")
                    .append(first + 1).append(' ').append(ContractFigures.SETTINGS.get(i).options()).append("; ");
            names.add("bond" + i);
        }
        return ChildProcess.start(
                role,
                List.of(),
                List.of("vhca.soft=" + softs, "vhca.bond=" + bonds.substring(0, bonds.length() - 2)),
                BenchPeer.class,
                List.of(role, own, peer, String.valueOf(ContractFigures.WINDOW),
                        String.valueOf(ContractFigures.BYTES), String.join(",", names)),
                said);
    }
}
