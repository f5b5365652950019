package io.vhca.harness.cli;

import io.vhca.harness.drill.SharePage;
import io.vhca.harness.drill.ShareResult;
import io.vhca.harness.drill.ShareRun;
import io.vhca.tool.console.Json;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code vhca drill --modes}. */
final class ModesReport {
    private ModesReport() {}

    /** Measures and shows; the exit code, 0 where everything could be measured. */
    static int run(
            final PrintWriter out, final boolean isShort, final @Nullable Path report, final @Nullable Path json)
            throws IOException, InterruptedException {
        out.println("drill: two soft links whose rate is the limit, in every mode");
        final List<ShareResult> results = new ShareRun(out, isShort).run();
        final SharePage page = new SharePage(results);
        final TextTable table = new TextTable(SharePage.heads().toArray(new String[0]));
        page.rows().forEach(row -> table.row(row.toArray(new String[0])));
        out.println();
        out.print(table.render());
        if (json != null) {
            Files.writeString(json, Json.write(results.stream().map(ModesReport::map).toList()));
        }
        if (report != null) {
            Files.createDirectories(report);
            Files.writeString(report.resolve("modes.html"), page.html());
            out.println("report: " + report.resolve("modes.html").toAbsolutePath());
        }
        out.flush();
        return 0;
    }

    private static Map<String, Object> map(final ShareResult result) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("mode", result.mode().text());
        map.put("beforeMBs", result.beforeMBs());
        map.put("cutMBs", result.cutMBs());
        map.put("healedMBs", result.healedMBs());
        map.put("healedShare", result.healedShare());
        map.put("asWanted", result.isAsWanted());
        return map;
    }
}
