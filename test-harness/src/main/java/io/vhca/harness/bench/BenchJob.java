package io.vhca.harness.bench;

import io.vhca.harness.bench.profile.BenchProfile;
import io.vhca.harness.drill.ScalePlan;
import io.vhca.tool.console.Json;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs the benchmarks and shows one table.
 *
 * @param isQuick   short and few rounds: to see that it works, not to quote
 * @param isVerbose show JMH's own output
 * @param only      letters of what to measure, as the tool's help has them; empty for all
 * @param scale     what (e) measures
 * @param profile   where a flame graph of each part is drawn; null for none
 */
public record BenchJob(
        boolean isQuick, boolean isVerbose, String only, ScalePlan scale, @Nullable Path profile) {
    /** A part of the benchmark. */
    private interface Part {
        /** @param flags what every JVM of it is started with besides */
        List<BenchRow> run(List<String> flags) throws IOException, InterruptedException;
    }

    /** Measures; b and c are one measurement. */
    public List<BenchRow> run(final PrintWriter out) throws IOException, InterruptedException {
        final List<BenchRow> rows = new ArrayList<>();
        if (has("a")) {
            rows.addAll(part("a", "the bond's own cost, JMH", out, this::overhead));
        }
        if (has("b") || has("c")) {
            rows.addAll(part("bc", "UDP, soft0 and bond0 between two processes", out,
                    flags -> new WireBench(isQuick).run(out)));
        }
        if (has("d")) {
            rows.addAll(part("d", "the options of the contract, between two processes", out,
                    flags -> new ContractBench(isQuick).run(out)));
        }
        if (has("e")) {
            rows.addAll(part("e", "the failover of many queue pairs, between two processes", out,
                    flags -> ScaleBench.run(isQuick, scale, out)));
        }
        if (has("f")) {
            rows.addAll(part("f", "connects and failovers with a key and without, in one thread", out,
                    flags -> KeyBench.run(isQuick)));
        }
        if (has("g")) {
            rows.addAll(part("g", "extended sockets and the bond's own WRITEs, between two processes", out,
                    flags -> new ExsBench(isQuick).run(out)));
        }
        if (has("h")) {
            rows.addAll(part("h", "reliable datagrams and the bond's own SENDs, between two processes", out,
                    flags -> new RdpBench(isQuick).run(out)));
        }
        if (has("i")) {
            rows.addAll(part("i", "what it costs to know the state of many queue pairs, between two processes", out,
                    flags -> StateBench.run(isQuick, out)));
        }
        return rows;
    }

    private List<BenchRow> part(final String name, final String what, final PrintWriter out, final Part part)
            throws IOException, InterruptedException {
        out.println("(" + String.join("), (", name.split("")) + ") " + what + " ...");
        out.flush();
        if (profile == null) {
            return part.run(List.of());
        }
        try (BenchProfile recorded = BenchProfile.begin(profile, name)) {
            final List<BenchRow> rows = part.run(List.of(recorded.flag()));
            out.println("  flame graph: " + recorded.draw());
            out.flush();
            return rows;
        }
    }

    private List<BenchRow> overhead(final List<String> flags) throws IOException {
        try {
            return OverheadBench.run(isQuick, isVerbose, flags);
        } catch (final RunnerException e) {
            throw new IOException("JMH failed: " + e.getMessage(), e);
        }
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
