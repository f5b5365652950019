package io.vhca.harness.lab;

import io.vhca.harness.drill.DrillResult;
import io.vhca.harness.drill.FailoverRow;
import io.vhca.harness.drill.Outages;
import io.vhca.tool.console.Json;
import io.vhca.tool.console.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** One kind of fault and what its drill gave, for the table over all kinds. Immutable. */
public record DrillTally(LabFault fault, DrillResult result) {
    private static final int CUTS_THAT_MUST_NEGOTIATE = 4;

    /**
     * Judges also whether the drill showed what it is for: where a receiver's acknowledgements are lost again and
     * again, somebody must have been told by negotiation that a message arrived.
     */
    public DrillTally {
        if (fault == LabFault.EGRESS
                && result.ok()
                && result.options().cuts() >= CUTS_THAT_MUST_NEGOTIATE
                && negotiated(result) == 0) {
            result = result.failed("nobody was told by negotiation that a message had arrived");
        }
    }

    /** A line for each kind: the middle of its failovers' times, and the longest outages, in ms. */
    public static String table(final List<DrillTally> tallies) {
        final TextTable table = new TextTable(
                "fault", "cuts", "survived", "failovers", "detect ms", "fence ms", "connect ms", "replay ms",
                "total ms", "worst ms", "outage ms", "ud outage ms", "negotiated", "sender saw", "verdict");
        for (final DrillTally tally : tallies) {
            final List<FailoverRow> rows = tally.caused();
            table.row(
                    tally.fault.word(),
                    String.valueOf(tally.result.options().cuts()),
                    String.valueOf(tally.result.survived()),
                    String.valueOf(rows.size()),
                    median(rows, FailoverRow::detectMs),
                    median(rows, FailoverRow::fenceMs),
                    median(rows, FailoverRow::connectMs),
                    median(rows, FailoverRow::replayMs),
                    median(rows, FailoverRow::totalMs),
                    rows.isEmpty() ? "-" : ms(rows.stream().mapToDouble(FailoverRow::totalMs).max().orElse(0)),
                    Outages.cell(tally.result.outages().connectionsMs()),
                    Outages.cell(tally.result.outages().datagramsMs()),
                    String.valueOf(tally.negotiated()),
                    rows.stream().map(FailoverRow::seenBy).distinct().sorted().collect(Collectors.joining(" ")),
                    tally.ok() ? "passed" : "FAILED");
        }
        return table.render();
    }

    /** All kinds for machines. */
    public static String json(final List<DrillTally> tallies) {
        return Json.write(tallies.stream().map(DrillTally::map).toList());
    }

    private Map<String, Object> map() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("fault", fault.word());
        map.put("ok", ok());
        map.put("verdict", result.verdict());
        map.put("seed", result.options().seed());
        map.put("cuts", result.options().cuts());
        map.put("survived", result.survived());
        map.put("bytes", result.bytes());
        map.put("connectionsOutageMs", result.outages().connectionsMs());
        map.put("datagramsOutageMs", result.outages().datagramsMs());
        map.put("negotiated", negotiated());
        map.put("totalMs", caused().stream().map(FailoverRow::totalMs).toList());
        return map;
    }

    /** The failovers that a cut caused, where there are cuts; going back to a healed link is none. */
    private List<FailoverRow> caused() {
        return result.failovers().stream()
                .filter(row -> (row.cut() > 0 || fault == LabFault.CALM) && row.error() == null)
                .toList();
    }

    /** True when the drill passed and showed what it is for. */
    public boolean ok() {
        return result.ok();
    }

    /** Operations that were completed because the peer said that it has them. */
    public long negotiated() {
        return negotiated(result);
    }

    private static long negotiated(final DrillResult result) {
        return result.failovers().stream().mapToLong(FailoverRow::negotiated).sum();
    }

    private static String median(final List<FailoverRow> rows, final ToDoubleFunction<FailoverRow> value) {
        if (rows.isEmpty()) {
            return "-";
        }
        final double[] sorted = rows.stream().mapToDouble(value).sorted().toArray();
        return ms(sorted[sorted.length / 2]);
    }

    private static String ms(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
