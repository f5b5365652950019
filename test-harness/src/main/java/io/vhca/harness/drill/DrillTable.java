package io.vhca.harness.drill;

import io.vhca.tool.console.TextTable;
import java.util.List;
import java.util.Locale;

/** The table of failovers, for a terminal and for the page. Pure. */
final class DrillTable {
    static final List<String> HEADS = List.of(
            "cut", "link", "sender saw", "receiver saw", "detect ms", "fence ms", "connect ms", "replay ms", "total ms",
            "negotiated", "replayed", "now on");

    private static final int FIRST_NUMBER = HEADS.indexOf("detect ms");
    private static final int LAST_NUMBER = HEADS.indexOf("replayed");

    private DrillTable() {}

    static boolean isNumber(final int column) {
        return column >= FIRST_NUMBER && column <= LAST_NUMBER;
    }

    static List<String> cells(final FailoverRow row) {
        return List.of(
                row.cut() == 0 ? "-" : String.valueOf(row.cut()),
                row.what(),
                row.seenBy(),
                row.peerSeenBy().isEmpty() ? "-" : row.peerSeenBy(),
                ms(row.detectMs()),
                ms(row.fenceMs()),
                ms(row.connectMs()),
                ms(row.replayMs()),
                ms(row.totalMs()),
                String.valueOf(row.negotiated()),
                String.valueOf(row.replayed()),
                row.error() == null ? row.to() : row.error());
    }

    static String text(final List<FailoverRow> rows) {
        final TextTable table = new TextTable(HEADS.toArray(String[]::new));
        rows.forEach(row -> table.row(cells(row).toArray(String[]::new)));
        return table.render();
    }

    static String ms(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
