package io.vhca.harness.drill;

import java.util.List;
import java.util.Locale;

/** What two links carry in each mode, as a table and as one HTML page that needs nothing else. Pure. */
public record SharePage(List<ShareResult> results) {
    private static final List<String> HEADS =
            List.of("mode", "two links MB/s", "one cut MB/s", "healed MB/s", "share of the healed link", "verdict");

    /** The lines of a table of text. */
    public static List<String> heads() {
        return HEADS;
    }

    /** One line for each mode. */
    public List<List<String>> rows() {
        return results.stream().map(SharePage::row).toList();
    }

    private static List<String> row(final ShareResult result) {
        return List.of(
                result.mode().text(),
                number(result.beforeMBs()),
                number(result.cutMBs()),
                number(result.healedMBs()),
                String.format(Locale.ROOT, "%.0f %%", 100 * result.healedShare()),
                result.isAsWanted() ? "as wanted" : "NOT as wanted");
    }

    private static String number(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** The whole page. */
    public String html() {
        final StringBuilder text = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>vHCA: two links in each mode</title>
                <style>
                %s</style>
                </head>
                <body>
                <main>
                <h1>Two links in each mode</h1>
                <p class="dim">Two processes, bond0 over two soft ports of %d Mbit/s each; eight queue pairs that always
                have 4 KiB to write. The sender's first link is cut and healed.</p>
                <p class="key dim"><span><i style="background:var(--area)"></i>soft0</span><span><i
                style="background:var(--other)"></i>soft1, on top of it</span><span><i
                style="background:var(--cut);opacity:.35"></i>soft0 is down</span></p>
                """.formatted(HtmlStyle.STYLE, ShareRun.RATE_MBPS));
        table(text);
        for (final ShareResult result : results) {
            text.append("<h2>").append(DrillPage.escape(result.mode().text())).append("</h2>\n")
                    .append(chart(result)).append('\n');
        }
        return text.append("<h2>Do it again</h2>\n<pre>./vhca drill --modes --report DIR</pre>\n")
                .append("</main>\n</body>\n</html>\n")
                .toString();
    }

    private void table(final StringBuilder text) {
        text.append("<div class=\"scroll\"><table><thead><tr>");
        HEADS.forEach(head -> text.append("<th>").append(DrillPage.escape(head)).append("</th>"));
        text.append("</tr></thead><tbody>\n");
        for (final List<String> row : rows()) {
            text.append("<tr>");
            row.forEach(cell -> text.append("<td>").append(DrillPage.escape(cell)).append("</td>"));
            text.append("</tr>\n");
        }
        text.append("</tbody></table></div>\n");
    }

    private static String chart(final ShareResult result) {
        final long spanNs = result.endNs();
        final double[] first = new double[SvgChart.BINS];
        final double[] both = new double[SvgChart.BINS];
        ShareResult.Sample before = result.samples().getFirst();
        for (final ShareResult.Sample sample : result.samples()) {
            final double binSeconds = spanNs / 1e9 / SvgChart.BINS;
            SvgChart.spread(
                    first, spanNs, before.atNs(), sample.atNs(), (sample.first() - before.first()) / 1e6 / binSeconds);
            SvgChart.spread(
                    both, spanNs, before.atNs(), sample.atNs(), (sample.both() - before.both()) / 1e6 / binSeconds);
            before = sample;
        }
        // Of both links at the rate of their ports, so that the modes' pictures compare.
        final SvgChart chart = new SvgChart(
                "Throughput in " + result.mode().text(), spanNs, 2 * ShareRun.RATE_MBPS / 8.0);
        chart.outage(result.cutNs(), result.healNs(), "soft0 down");
        chart.area(both, "var(--other)");
        chart.area(first, "var(--area)");
        chart.moment(result.cutNs());
        chart.label(result.cutNs(), "cut");
        chart.moment(result.healNs());
        chart.label(result.healNs(), "healed");
        return chart.svg();
    }
}
