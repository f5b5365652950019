package io.vhca.harness.bench;

import io.vhca.tool.console.Json;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs the benchmarks and shows one table.
 *
 * @param isQuick   short and few rounds: to see that it works, not to quote
 * @param isVerbose show JMH's own output
 * @param only      letters of what to measure, as the tool's help has them; empty for all
 * @param sizes     numbers of queue pairs of (e)
 * @param starve    the processes of (e) run for one part in so many of the time
 */
public record BenchJob(boolean isQuick, boolean isVerbose, String only, List<Integer> sizes, int starve) {
    /** Measures; b and c are one measurement. */
    public List<BenchRow> run(final PrintWriter out) throws IOException, InterruptedException {
        final List<BenchRow> rows = new ArrayList<>();
        try {
            if (has("a")) {
                out.println("(a) the bond's own cost, JMH ...");
                out.flush();
                rows.addAll(OverheadBench.run(isQuick, isVerbose));
            }
        } catch (final RunnerException e) {
            throw new IOException("JMH failed: " + e.getMessage(), e);
        }
        if (has("b") || has("c")) {
            out.println("(b), (c) UDP, soft0 and bond0 between two processes ...");
            out.flush();
            rows.addAll(new WireBench(isQuick).run(out));
        }
        if (has("d")) {
            out.println("(d) the options of the contract, between two processes ...");
            out.flush();
            rows.addAll(new ContractBench(isQuick).run(out));
        }
        if (has("e")) {
            out.println("(e) the failover of many queue pairs, between two processes ...");
            out.flush();
            rows.addAll(ScaleBench.run(isQuick, sizes, starve, out));
        }
        if (has("f")) {
            out.println("(f) connects and failovers with a key and without, in one thread ...");
            out.flush();
            rows.addAll(KeyBench.run(isQuick));
        }
        return rows;
    }

    private boolean has(final String part) {
        return only.isEmpty() || only.contains(part);
    }

    /** The table as text. */
    public static String table(final List<BenchRow> rows) {
        final TextTable table = new TextTable("what", "measured", "goal", "verdict");
        rows.forEach(row -> table.row(row.what(), row.measured(), row.goal(), row.verdict()));
        return table.render();
    }

    /** The table for machines. */
    public static String json(final List<BenchRow> rows) {
        final List<Object> list = new ArrayList<>();
        for (final BenchRow row : rows) {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("what", row.what());
            map.put("measured", row.measured());
            map.put("goal", row.goal());
            map.put("met", row.met());
            list.add(map);
        }
        return Json.write(Map.of("rows", list));
    }
}
