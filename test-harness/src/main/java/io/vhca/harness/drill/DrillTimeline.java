package io.vhca.harness.drill;

import java.util.List;
import java.util.Locale;

/** The throughput of a drill over time as an inline SVG, cuts marked. Pure. */
record DrillTimeline(DrillResult result) {
    private static final int WIDTH = 1020;
    private static final int HEIGHT = 300;
    private static final int LEFT = 58;
    private static final int RIGHT = 18;
    private static final int TOP = 34;
    private static final int BOTTOM = 40;
    private static final int BINS = 160;
    private static final int GRID_LINES = 5;

    String svg() {
        final long spanNs = Math.max(1, span());
        final double[] rates = rates(spanNs);
        double top = 1;
        for (final double rate : rates) {
            top = Math.max(top, rate);
        }
        top = niceAbove(top);
        final StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Throughput over time\">%n",
                WIDTH, HEIGHT));
        grid(text, top, spanNs);
        outages(text, spanNs);
        area(text, rates, top);
        labels(text, spanNs);
        return text.append("</svg>").toString();
    }

    private long span() {
        final List<DrillResult.Sample> samples = result.samples();
        return samples.isEmpty() ? 0 : samples.getLast().atNs() - result.startNs();
    }

    /** MB/s in each of the bins; bytes of a sample belong to the time since the one before. */
    private double[] rates(final long spanNs) {
        final double[] megabytes = new double[BINS];
        DrillResult.Sample before = null;
        for (final DrillResult.Sample sample : result.samples()) {
            if (before != null) {
                spread(megabytes, before, sample, spanNs);
            }
            before = sample;
        }
        final double binSeconds = spanNs / 1e9 / BINS;
        for (int bin = 0; bin < BINS; bin++) {
            megabytes[bin] /= binSeconds;
        }
        return megabytes;
    }

    private void spread(
            final double[] bins, final DrillResult.Sample from, final DrillResult.Sample to, final long spanNs) {
        final double low = bin(from.atNs(), spanNs);
        final double high = Math.max(low + 1e-9, bin(to.atNs(), spanNs));
        final double megabytes = (to.bytes() - from.bytes()) / 1e6;
        for (int bin = (int) Math.max(0, low); bin < BINS && bin < high; bin++) {
            final double overlap = Math.min(high, bin + 1.0) - Math.max(low, bin);
            bins[bin] += megabytes * Math.max(0, overlap) / (high - low);
        }
    }

    private double bin(final long atNs, final long spanNs) {
        return Math.min(BINS, Math.max(0, (double) (atNs - result.startNs()) * BINS / spanNs));
    }

    private static void grid(final StringBuilder text, final double top, final long spanNs) {
        for (int i = 0; i <= GRID_LINES; i++) {
            final double y = y(top * i / GRID_LINES, top);
            line(text, LEFT, y, WIDTH - RIGHT, y, "stroke=\"var(--line)\"");
            text(text, LEFT - 8, y + 4, "end", "", String.format(Locale.ROOT, "%.0f", top * i / GRID_LINES));
        }
        text(text, LEFT - 8, TOP - 14, "end", "", "MB/s");
        final double seconds = spanNs / 1e9;
        final double step = niceAbove(seconds / 8);
        for (double at = 0; at <= seconds * 1.0001; at += step) {
            final double x = LEFT + at / seconds * (WIDTH - LEFT - RIGHT);
            final String label = String.format(Locale.ROOT, step < 1 ? "%.1f s" : "%.0f s", at);
            text(text, x, HEIGHT - BOTTOM + 20, "middle", "", label);
        }
    }

    private void outages(final StringBuilder text, final long spanNs) {
        final List<DrillResult.Mark> marks = result.marks();
        for (int i = 0; i < marks.size(); i++) {
            final DrillResult.Mark mark = marks.get(i);
            if (!mark.up()) {
                final double from = x(mark.atNs(), spanNs);
                final double to = i + 1 < marks.size() ? x(marks.get(i + 1).atNs(), spanNs) : WIDTH - RIGHT;
                text.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"var(--cut)\" opacity=\"0.16\">"
                                + "<title>%s</title></rect>%n",
                        from, TOP, Math.max(1, to - from), HEIGHT - TOP - BOTTOM,
                        DrillPage.escape(mark.what() + " " + result.options().scenario().words().state())));
            }
        }
    }

    private static void area(final StringBuilder text, final double[] rates, final double top) {
        final StringBuilder line = new StringBuilder();
        for (int bin = 0; bin < rates.length; bin++) {
            final double left = LEFT + (double) bin * (WIDTH - LEFT - RIGHT) / BINS;
            final double right = LEFT + (bin + 1.0) * (WIDTH - LEFT - RIGHT) / BINS;
            final double y = y(rates[bin], top);
            line.append(String.format(Locale.ROOT, "%s%.1f %.1f L%.1f %.1f ", bin == 0 ? "M" : "L", left, y, right, y));
        }
        final double floor = HEIGHT - BOTTOM;
        text.append(String.format(
                Locale.ROOT,
                "<path d=\"%sL%d %.1f L%d %.1f Z\" fill=\"var(--area)\" opacity=\"0.22\"/>%n",
                line, WIDTH - RIGHT, floor, LEFT, floor));
        text.append("<path d=\"")
                .append(line)
                .append("\" fill=\"none\" stroke=\"var(--area)\" stroke-width=\"1.6\"/>\n");
    }

    private void labels(final StringBuilder text, final long spanNs) {
        int number = 0;
        double lastX = -100;
        for (final DrillResult.Mark mark : result.marks()) {
            if (!mark.up()) {
                number++;
                final double x = x(mark.atNs(), spanNs);
                line(text, x, TOP - 4, x, HEIGHT - BOTTOM, "stroke=\"var(--cut)\" stroke-width=\"1.4\"");
                if (x - lastX > 16) {
                    final String label = result.options().kill() ? "kill -9" : String.valueOf(number);
                    text(text, x, TOP - 10, "middle", "cuttext", label);
                    lastX = x;
                }
            }
        }
    }

    private double x(final long atNs, final long spanNs) {
        return LEFT + bin(atNs, spanNs) * (WIDTH - LEFT - RIGHT) / BINS;
    }

    private static double y(final double rate, final double top) {
        return HEIGHT - BOTTOM - rate / top * (HEIGHT - TOP - BOTTOM);
    }

    private static void line(
            final StringBuilder text,
            final double x1,
            final double y1,
            final double x2,
            final double y2,
            final String style) {
        text.append(String.format(
                Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", x1, y1, x2, y2, style));
    }

    private static void text(
            final StringBuilder text,
            final double x,
            final double y,
            final String anchor,
            final String style,
            final String what) {
        text.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>%n",
                x, y, anchor, style, DrillPage.escape(what)));
    }

    /** The least of 1, 2, 3, 5 times a power of ten that is not below the value. */
    static double niceAbove(final double value) {
        final double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-9, value))));
        for (final int factor : new int[] {1, 2, 3, 5}) {
            if (value <= power * factor * 1.000001) {
                return power * factor;
            }
        }
        return power * 10;
    }
}
