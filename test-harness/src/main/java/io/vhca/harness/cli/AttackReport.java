package io.vhca.harness.cli;

import io.vhca.harness.drill.attack.AttackOptions;
import io.vhca.harness.drill.attack.AttackPage;
import io.vhca.harness.drill.attack.AttackRun;
import io.vhca.harness.drill.attack.AttackVerdict;
import io.vhca.harness.drill.fabric.AttackFabric;
import io.vhca.tool.console.Json;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code vhca drill --attack}. */
final class AttackReport {
    private AttackReport() {}

    /**
     * Attacks and shows; the exit code, 0 where nothing got through that must not.
     *
     * @param again the command that does the same again
     */
    static int run(
            final PrintWriter out,
            final AttackOptions options,
            final String again,
            final AttackFabric fabric,
            final @Nullable Path report,
            final @Nullable Path json)
            throws IOException, InterruptedException {
        out.printf(
                Locale.ROOT, "drill: %s over bond0 while somebody attacks, %s, seed %d%n",
                options.input(), options.hasKey() ? "with a key" : "without a key", options.seed());
        out.flush();
        final List<AttackVerdict> verdicts = new AttackRun(options, fabric, verdict -> {
                    out.printf(Locale.ROOT, "  %s%n", one(options, fabric, verdict));
                    out.flush();
                })
                .run();
        final AttackPage page = new AttackPage(options, fabric.describe(), verdicts);
        final TextTable table = new TextTable(AttackPage.HEADS.toArray(new String[0]));
        page.rows().forEach(row -> table.row(row.toArray(new String[0])));
        out.println();
        out.print(table.render());
        out.println(page.verdict());
        for (final AttackVerdict verdict : verdicts) {
            if (!verdict.broken().isEmpty()) {
                out.println(verdict.kind().label() + ": " + verdict.broken());
            }
        }
        if (json != null) {
            Files.writeString(json, Json.write(verdicts.stream().map(one -> map(options, one)).toList()));
        }
        if (report != null) {
            Files.createDirectories(report);
            Files.writeString(report.resolve("attack.html"), page.html(again));
            out.println("report: " + report.resolve("attack.html").toAbsolutePath());
        }
        out.flush();
        return page.failures() == 0 ? 0 : 1;
    }

    private static String one(
            final AttackOptions options, final AttackFabric fabric, final AttackVerdict verdict) {
        final List<String> row = new AttackPage(options, fabric.describe(), List.of(verdict)).row(verdict);
        return row.getFirst() + ": " + row.getLast();
    }

    private static Map<String, Object> map(final AttackOptions options, final AttackVerdict verdict) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("attack", verdict.kind().label());
        map.put("defence", verdict.kind().defence().name());
        map.put("sent", verdict.sent());
        map.put("floodMBs", verdict.floodMBs());
        map.put("exact", verdict.isExact());
        map.put("failovers", verdict.failovers());
        map.put("beforeMBs", verdict.beforeMBs());
        map.put("duringMBs", verdict.duringMBs());
        map.put("grownBytes", verdict.grownBytes());
        map.put("leftBytes", verdict.leftBytes());
        map.put("counted", verdict.counted());
        map.put("failures", verdict.failures(options.isRateJudged()));
        map.put("ok", !verdict.isFailure(options.hasKey(), options.isRateJudged()));
        return map;
    }
}
