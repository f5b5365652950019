package io.vhca.harness.drill;

import io.vhca.harness.drill.html.SvgChart;
import java.util.Arrays;
import java.util.List;

/** The throughput of a drill over time as an inline SVG, cuts marked. Pure. */
record DrillTimeline(DrillResult result) {
    /** Numbers closer than this would lie over each other. */
    private static final double LABEL_WIDTH = 16;

    /** MB/s: a scale has a length, also where nothing was carried. */
    private static final double LEAST = 1e-3;

    String svg() {
        final long spanNs = Math.max(1, span());
        final double[] rates = rates(spanNs);
        final double most = Math.max(LEAST, Arrays.stream(rates).max().orElse(LEAST));
        final SvgChart chart = new SvgChart("Throughput over time", spanNs, most);
        outages(chart, spanNs);
        chart.area(rates, "var(--area)");
        labels(chart);
        return chart.svg();
    }

    private long span() {
        final List<DrillResult.Sample> samples = result.samples();
        return samples.isEmpty() ? 0 : samples.getLast().atNs() - result.startNs();
    }

    /** MB/s in each of the bins; bytes of a sample belong to the time since the one before. */
    private double[] rates(final long spanNs) {
        final double[] megabytes = new double[SvgChart.BINS];
        DrillResult.Sample before = null;
        for (final DrillResult.Sample sample : result.samples()) {
            if (before != null) {
                SvgChart.spread(
                        megabytes, spanNs, before.atNs() - result.startNs(), sample.atNs() - result.startNs(),
                        (sample.bytes() - before.bytes()) / 1e6);
            }
            before = sample;
        }
        final double binSeconds = spanNs / 1e9 / SvgChart.BINS;
        return Arrays.stream(megabytes).map(one -> one / binSeconds).toArray();
    }

    private void outages(final SvgChart chart, final long spanNs) {
        final List<DrillResult.Mark> marks = result.marks();
        for (int i = 0; i < marks.size(); i++) {
            final DrillResult.Mark mark = marks.get(i);
            if (!mark.up()) {
                chart.outage(
                        mark.atNs() - result.startNs(),
                        i + 1 < marks.size() ? marks.get(i + 1).atNs() - result.startNs() : spanNs,
                        mark.what() + " " + result.options().scenario().words().state());
            }
        }
    }

    private void labels(final SvgChart chart) {
        int number = 0;
        double lastX = Double.NEGATIVE_INFINITY;
        for (final DrillResult.Mark mark : result.marks()) {
            if (!mark.up()) {
                number++;
                final long atNs = mark.atNs() - result.startNs();
                chart.moment(atNs);
                if (chart.x(atNs) - lastX > LABEL_WIDTH) {
                    chart.label(atNs, result.options().kill() ? "kill -9" : String.valueOf(number));
                    lastX = chart.x(atNs);
                }
            }
        }
    }
}
