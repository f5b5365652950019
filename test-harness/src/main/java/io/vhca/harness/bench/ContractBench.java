package io.vhca.harness.bench;

import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * (d): what the options of the contract cost, between two processes: WRITEs of 64 bytes with marks behind them, with
 * completions confirmed by the peer, and atomics by the members or by the peer's bond. Every round measures all
 * settings one after the other; costs are taken within a round. One thread.
 */
final class ContractBench {
    /** Bonds by name, the first one is what the others are compared with. */
    private static final List<Setting> SETTINGS = List.of(
            new Setting("all off", "atomics=native", true),
            new Setting("ledger=batch", "ledger=batch", false),
            new Setting("ledger=each", "ledger=each", false),
            new Setting("confirm=peer", "confirm=peer", false),
            new Setting("atomics=emulated", "atomics=emulated", true));

    private static final int BYTES = 64;
    private static final int WINDOW = 32;
    private static final String SERVER = "127.78.3.1";
    private static final String CLIENT = "127.78.4.1";

    private final int rounds;
    private final long roundNs;

    /**
     * One bond.
     *
     * @param options     beside mode and members
     * @param hasAtomics  whether atomics are measured on it
     */
    private record Setting(String name, String options, boolean hasAtomics) {}

    ContractBench(final boolean isQuick) {
        rounds = isQuick ? 3 : 11;
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 300 : 1_000);
    }

    List<BenchRow> run(final PrintWriter progress) throws IOException, InterruptedException {
        final double[][] latencies = new double[SETTINGS.size()][rounds];
        final double[][] rates = new double[SETTINGS.size()][rounds];
        final double[][] atomics = new double[SETTINGS.size()][rounds];
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        try (ChildProcess server = start("server", SERVER, CLIENT, said);
                ChildProcess client = start("client", CLIENT, SERVER, said);
                BenchTalk talk = new BenchTalk(said, server, client)) {
            talk.connect(SETTINGS.size());
            for (int round = -1; round < rounds; round++) {
                progress.println("  round " + (round + 1) + " of " + rounds);
                progress.flush();
                for (int n = 0; n < SETTINGS.size(); n++) {
                    final int i = round % 2 == 0 ? n : SETTINGS.size() - 1 - n;
                    final int at = Math.max(round, 0); // the first round warms up
                    final String wire = "bond" + i;
                    rates[i][at] = 1e9 * talk.oneSided(wire, WrOpcode.RDMA_WRITE, BYTES, WINDOW, roundNs) / roundNs;
                    latencies[i][at] = microseconds(talk.oneSided(wire, WrOpcode.RDMA_WRITE, BYTES, 1, roundNs));
                    if (SETTINGS.get(i).hasAtomics) {
                        atomics[i][at] = microseconds(
                                talk.oneSided(wire, WrOpcode.ATOMIC_FETCH_AND_ADD, Long.BYTES, 1, roundNs));
                    }
                }
            }
        }
        return rows(latencies, rates, atomics);
    }

    private double microseconds(final long operations) {
        return roundNs / 1e3 / Math.max(1, operations);
    }

    private static ChildProcess start(
            final String role, final String own, final String peer, final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final StringBuilder softs = new StringBuilder();
        final StringBuilder bonds = new StringBuilder();
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < SETTINGS.size(); i++) {
            final String prefix = own.substring(0, own.lastIndexOf('.') + 1);
            final int first = 2 * i;
            softs.append(i == 0 ? "" : ",").append("soft").append(first).append('=').append(prefix).append(first + 1)
                    .append(",soft").append(first + 1).append('=').append(prefix).append(first + 2);
            bonds.append("bond").append(i).append(": mode=active-backup members=soft").append(first).append(",soft")
                    .append(first + 1).append(' ').append(SETTINGS.get(i).options).append("; ");
            names.add("bond" + i);
        }
        return ChildProcess.start(
                role,
                List.of(),
                List.of("vhca.soft=" + softs, "vhca.bond=" + bonds.substring(0, bonds.length() - 2)),
                BenchPeer.class,
                List.of(role, own, peer, String.valueOf(WINDOW), String.valueOf(BYTES), String.join(",", names)),
                said);
    }

    private static List<BenchRow> rows(
            final double[][] latencies, final double[][] rates, final double[][] atomics) {
        final List<BenchRow> rows = new ArrayList<>();
        for (int i = 0; i < SETTINGS.size(); i++) {
            final String name = SETTINGS.get(i).name;
            rows.add(BenchRow.figure("(d) WRITE of 64 bytes, " + name, OverheadBench.format(
                    "%.1f us (%+.1f %%), %.0f a second (%+.1f %%)",
                    Rounds.median(latencies[i]), Rounds.morePercent(latencies[i], latencies[0]),
                    Rounds.median(rates[i]), Rounds.morePercent(rates[i], rates[0]))));
        }
        for (int i = 0; i < SETTINGS.size(); i++) {
            if (SETTINGS.get(i).hasAtomics) {
                rows.add(BenchRow.figure(
                        "(d) FETCH_ADD, " + (i == 0 ? "atomics=native" : SETTINGS.get(i).name),
                        OverheadBench.format(
                                "%.1f us (%+.1f %%)",
                                Rounds.median(atomics[i]), Rounds.morePercent(atomics[i], atomics[0]))));
            }
        }
        return rows;
    }
}
