package io.vhca.harness.bench;

import io.vhca.api.WrOpcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the options of the contract cost: WRITEs of 64 bytes with marks behind them and with completions confirmed by
 * the peer, atomics by the members or by the peer's bond. Every round measures all settings one after the other; costs
 * are taken within a round. One thread.
 */
public final class ContractFigures {
    /** The first one is what the others are compared with. */
    public static final List<Setting> SETTINGS = List.of(
            new Setting("all off", "atomics=native", true),
            new Setting("ledger=batch", "ledger=batch", false),
            new Setting("ledger=each", "ledger=each", false),
            new Setting("confirm=peer", "confirm=peer", false),
            new Setting("atomics=emulated", "atomics=emulated", true));

    /** WRITEs under way at once where their number a second is measured. */
    public static final int WINDOW = 32;

    public static final int BYTES = 64;

    private final int rounds;
    private final long roundNs;
    private final boolean isPeerPolling;
    private final double[][] latencies;
    private final double[][] rates;
    private final double[][] atomics;

    /**
     * One bond.
     *
     * @param options    as in its configuration, beside mode and members
     * @param hasAtomics whether atomics are measured on it
     */
    public record Setting(String name, String options, boolean hasAtomics) {}

    /**
     * @param roundNs       how long each figure of a round is measured
     * @param isPeerPolling the peer's program polls meanwhile, as it must where programs drive their devices; where it
     *                      only takes the processor from the device, it rests
     */
    public ContractFigures(final int rounds, final long roundNs, final boolean isPeerPolling) {
        this.rounds = rounds;
        this.roundNs = roundNs;
        this.isPeerPolling = isPeerPolling;
        latencies = new double[SETTINGS.size()][rounds];
        rates = new double[SETTINGS.size()][rounds];
        atomics = new double[SETTINGS.size()][rounds];
    }

    int rounds() {
        return rounds;
    }

    /** One setting's turn; a round that is measured again forgets what it was. */
    public void measure(final BenchTalk talk, final String wire, final int setting, final int round)
            throws IOException, InterruptedException {
        if (isPeerPolling) {
            talk.poll(wire, BYTES);
        } else {
            talk.idle(wire);
        }
        rates[setting][round] = 1e9 * talk.writes(wire, BYTES, WINDOW, roundNs) / roundNs;
        latencies[setting][round] = Rounds.microseconds(roundNs, talk.writes(wire, BYTES, 1, roundNs));
        if (SETTINGS.get(setting).hasAtomics) {
            atomics[setting][round] = Rounds.microseconds(
                    roundNs, talk.oneSided(wire, WrOpcode.ATOMIC_FETCH_AND_ADD, Long.BYTES, 1, roundNs));
        }
    }

    public List<BenchRow> rows() {
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
