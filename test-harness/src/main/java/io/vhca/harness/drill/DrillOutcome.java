package io.vhca.harness.drill;

import io.vhca.tool.console.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A result as a table, as JSON and as a page.
 *
 * @param input what was sent
 * @param again the command that does the same again
 */
public record DrillOutcome(DrillResult result, String input, String again) {
    /** Prints the one table and the verdict. */
    public void show(final PrintWriter out) {
        out.println();
        if (!result.failovers().isEmpty()) {
            out.println(DrillTable.text(result.failovers()));
        }
        out.println(result.verdict());
        final String outages = result.outages().text();
        if (!outages.isEmpty()) {
            out.println(outages);
        }
        out.printf(
                Locale.ROOT,
                "%s in %.1f s, %.1f MB/s with all interruptions; seed %d%n",
                DrillView.megabytes(result.bytes()),
                result.elapsedNs() / 1e9,
                result.megabytesPerSecond(),
                result.options().seed());
        out.flush();
    }

    /** Everything but the timeline. */
    public String json() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("ok", result.ok());
        map.put("verdict", result.verdict());
        map.put("fabric", result.options().fabric());
        map.put("seed", result.options().seed());
        map.put("input", input);
        map.put("bytes", result.bytes());
        map.put("messages", result.messages());
        map.put("sha256", result.sha256());
        map.put("elapsedMs", result.elapsedNs() / 1e6);
        map.put("cuts", result.options().cuts());
        map.put("survived", result.survived());
        map.put("recoveryTimeoutMs", result.options().recoveryTimeoutMs());
        map.put("connectionsOutageMs", result.outages().connectionsMs());
        map.put("datagramsOutageMs", result.outages().datagramsMs());
        final List<Object> failovers = new ArrayList<>();
        result.failovers().forEach(row -> failovers.add(json(row)));
        map.put("failovers", failovers);
        return Json.write(map);
    }

    private static Map<String, Object> json(final FailoverRow row) {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("cut", row.cut());
        map.put("link", row.what());
        map.put("epoch", row.epoch());
        map.put("senderSaw", row.seenBy());
        map.put("receiverSaw", row.peerSeenBy());
        map.put("detectMs", row.detectMs());
        map.put("fenceMs", row.fenceMs());
        map.put("connectMs", row.connectMs());
        map.put("replayMs", row.replayMs());
        map.put("negotiated", row.negotiated());
        map.put("replayed", row.replayed());
        map.put("to", row.to());
        map.put("error", row.error() == null ? "" : row.error());
        return map;
    }

    /** A page that needs nothing else. */
    public String html() {
        return new DrillPage(result, again).render();
    }
}
