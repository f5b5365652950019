package io.vhca.harness.drill;

import java.util.List;
import java.util.Locale;

/**
 * A result as one HTML page that needs nothing else: no script, no font, no address outside. Light or dark as the
 * reader's system is. Pure.
 */
record DrillPage(DrillResult result, String input, String again) {
    String render() {
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>vHCA drill</title>
                <style>
                %s</style>
                </head>
                <body>
                <main>
                <h1>%s</h1>
                <p class="dim">%s</p>
                <p class="verdict%s">%s</p>
                %s
                <h2>Throughput</h2>
                %s
                %s
                %s
                <h2>Do it again</h2>
                <pre>%s</pre>
                <p class="dim">The seed decides where in the file links are cut, on which side, and how large each
                message is. How fast each step goes is the machine's own.</p>
                </main>
                </body>
                </html>
                """.formatted(
                        HtmlStyle.STYLE,
                        result.options().kill() ? "The receiver dies" : "A file crosses bond0 while links die",
                        escape(result.fabric()),
                        result.ok() ? "" : " bad",
                        escape(result.verdict()),
                        figures(),
                        new DrillTimeline(result).svg(),
                        key(),
                        failovers(),
                        escape(again));
    }

    private String figures() {
        final StringBuilder text = new StringBuilder("<div class=\"figures\">");
        figure(text, DrillView.megabytes(result.bytes()), "acknowledged");
        if (result.messages() > 0) {
            figure(text, String.format(Locale.ROOT, "%,d", result.messages()), "messages");
        }
        figure(text, String.format(Locale.ROOT, "%.1f s", result.elapsedNs() / 1e9), "from first to last byte");
        if (!result.options().kill()) {
            figure(
                    text, result.survived() + " of " + result.options().cuts(),
                    result.options().scenario().words().noun() + "s survived");
        }
        if (!result.options().kill() && !result.failovers().isEmpty()) {
            final double[] totals = result.failovers().stream()
                    .mapToDouble(FailoverRow::totalMs)
                    .sorted()
                    .toArray();
            figure(text, DrillTable.ms(totals[totals.length / 2]) + " ms", "median from cut to traffic");
            figure(text, DrillTable.ms(totals[totals.length - 1]) + " ms", "longest");
        }
        return text.append("</div>").toString();
    }

    private static void figure(final StringBuilder text, final String value, final String what) {
        text.append("<div><b>").append(escape(value)).append("</b><span>").append(escape(what)).append("</span></div>");
    }

    private String key() {
        final boolean kill = result.options().kill();
        return "<p class=\"key dim\">"
                + "<span><i style=\"background:var(--area)\"></i>megabytes acknowledged a second</span>"
                + "<span><i style=\"background:var(--cut);opacity:.35\"></i>"
                + (kill ? "the receiver is dead" : "a link is " + result.options().scenario().words().state())
                + "</span></p>"
                + (kill
                        ? ""
                        : "<p class=\"dim\">The sender keeps a pace, and drops it around each cut so that the cut"
                                + " meets a full window: hence the peaks there.</p>")
                + (result.sha256().isEmpty()
                        ? ""
                        : "<p class=\"dim\">SHA-256 at both ends: <code>" + escape(result.sha256()) + "</code></p>");
    }

    private String failovers() {
        if (result.failovers().isEmpty() || result.options().kill()) {
            return "";
        }
        final StringBuilder text = new StringBuilder(
                "<h2>Failovers, times in ms</h2><div class=\"scroll\"><table><thead><tr>");
        for (int column = 0; column < DrillTable.HEADS.size(); column++) {
            text.append(isNumber(column) ? "<th class=\"n\">" : "<th>")
                    .append(escape(DrillTable.HEADS.get(column).replace(" ms", "")))
                    .append("</th>");
        }
        text.append("</tr></thead><tbody>\n");
        for (final FailoverRow row : result.failovers()) {
            text.append("<tr>");
            final List<String> cells = DrillTable.cells(row);
            for (int column = 0; column < cells.size(); column++) {
                text.append(isNumber(column) ? "<td class=\"n\">" : "<td>")
                        .append(escape(cells.get(column)))
                        .append("</td>");
            }
            text.append("</tr>\n");
        }
        return text.append("</tbody></table></div>"
                        + "<p class=\"dim\">Detect: from the cut until one side noticed. Fence: until the old queue"
                        + " pair was stopped and drained. Connect: until the new connection stood and both ends had"
                        + " told each other what arrived. Replay: until everything open was posted again. Negotiated"
                        + " operations had arrived although their acknowledgement was lost; replayed ones had"
                        + " not.</p>")
                .toString();
    }

    private static boolean isNumber(final int column) {
        return column >= 4 && column <= 10;
    }

    static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
