package io.vhca.harness.drill;

import io.vhca.harness.drill.html.HtmlPage;
import io.vhca.harness.drill.html.SvgChart;
import java.util.List;
import java.util.Locale;

/** What two links carry in each mode, as a table and as one HTML page. Pure. */
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
        final HtmlPage page = new HtmlPage("vHCA: two links in each mode", "Two links in each mode")
                .paragraph(
                        "dim",
                        "Two processes, bond0 over two soft ports of " + ShareRun.RATE_MBPS + " Mbit/s each; eight"
                                + " queue pairs that always have 4 KiB to write. The sender's first link is cut and"
                                + " healed.")
                .markup("""
                        <p class="key dim"><span><i style="background:var(--area)"></i>soft0</span><span><i
                        style="background:var(--other)"></i>soft1, on top of it</span><span><i
                        style="background:var(--cut);opacity:.35"></i>soft0 is down</span></p>""")
                .table(HEADS, rows(), column -> false);
        for (final ShareResult result : results) {
            page.heading(result.mode().text()).markup(chart(result));
        }
        return page.heading("Do it again").command("./vhca drill --modes --report DIR").render();
    }

    private static String chart(final ShareResult result) {
        final long spanNs = result.endNs();
        final double[] first = new double[SvgChart.BINS];
        final double[] both = new double[SvgChart.BINS];
        final double binSeconds = spanNs / 1e9 / SvgChart.BINS;
        ShareResult.Sample before = result.samples().getFirst();
        for (final ShareResult.Sample sample : result.samples()) {
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
