package io.vhca.harness.drill;

import io.vhca.harness.drill.html.HtmlPage;
import java.util.Locale;

/** A result as one HTML page. Pure. */
record DrillPage(DrillResult result, String again) {
    String render() {
        final String heading = result.options().kill() ? "The receiver dies" : "A file crosses bond0 while links die";
        final HtmlPage page = new HtmlPage("vHCA drill", heading)
                .paragraph("dim", result.fabric())
                .paragraph(result.ok() ? "verdict" : "verdict bad", result.verdict())
                .markup(figures())
                .heading("Throughput")
                .markup(new DrillTimeline(result).svg());
        key(page);
        failovers(page);
        return page.heading("Do it again")
                .command(again)
                .paragraph(
                        "dim",
                        "The seed decides where in the file links are cut, on which side, and how large each message"
                                + " is. How fast each step goes is the machine's own.")
                .render();
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
        text.append("<div><b>").append(HtmlPage.escape(value))
                .append("</b><span>").append(HtmlPage.escape(what)).append("</span></div>");
    }

    private void key(final HtmlPage page) {
        final boolean kill = result.options().kill();
        page.markup("<p class=\"key dim\">"
                + "<span><i style=\"background:var(--area)\"></i>megabytes acknowledged a second</span>"
                + "<span><i style=\"background:var(--cut);opacity:.35\"></i>"
                + (kill ? "the receiver is dead" : "a link is " + result.options().scenario().words().state())
                + "</span></p>");
        if (!kill) {
            page.paragraph(
                    "dim",
                    "The sender keeps a pace, and drops it around each cut so that the cut meets a full window: hence"
                            + " the peaks there.");
        }
        if (!result.sha256().isEmpty()) {
            page.markup("<p class=\"dim\">SHA-256 at both ends: <code>" + HtmlPage.escape(result.sha256())
                    + "</code></p>");
        }
    }

    private void failovers(final HtmlPage page) {
        if (result.failovers().isEmpty() || result.options().kill()) {
            return;
        }
        page.heading("Failovers, times in ms")
                .table(
                        DrillTable.HEADS.stream().map(head -> head.replace(" ms", "")).toList(),
                        result.failovers().stream().map(DrillTable::cells).toList(),
                        DrillTable::isNumber)
                .paragraph(
                        "dim",
                        "Detect: from the cut until one side noticed. Fence: until the old queue pair was stopped and"
                                + " drained. Connect: until the new connection stood and both ends had told each other"
                                + " what arrived. Replay: until everything open was posted again. Negotiated operations"
                                + " had arrived although their acknowledgement was lost; replayed ones had not.");
    }
}
