package io.vhca.harness.drill.html;

import java.util.Locale;

/** A rate over time as an inline SVG: a grid, times that are marked, steps. Rates are drawn in bins. One thread. */
public final class SvgChart {
    public static final int BINS = 160;

    private static final int WIDTH = 1020;
    private static final int HEIGHT = 300;
    private static final int LEFT = 58;
    private static final int RIGHT = 18;
    private static final int TOP = 34;
    private static final int BOTTOM = 40;
    private static final int GRID_LINES = 5;

    private final StringBuilder text = new StringBuilder();
    private final long spanNs;
    private final double top;

    /**
     * An empty chart.
     *
     * @param label  what it is, for who cannot see it
     * @param spanNs what it shows, from 0
     * @param most   the greatest rate, MB/s
     */
    public SvgChart(final String label, final long spanNs, final double most) {
        this.spanNs = Math.max(1, spanNs);
        top = niceAbove(most);
        text.append(String.format(
                Locale.ROOT, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n", WIDTH, HEIGHT,
                HtmlPage.escape(label)));
        grid();
    }

    /** Adds megabytes to the bins that they were carried in. */
    public static void spread(
            final double[] bins, final long spanNs, final long fromNs, final long toNs, final double megabytes) {
        final double low = bin(fromNs, spanNs);
        final double high = Math.max(low + 1e-9, bin(toNs, spanNs));
        for (int bin = (int) Math.max(0, low); bin < BINS && bin < high; bin++) {
            final double overlap = Math.min(high, bin + 1.0) - Math.max(low, bin);
            bins[bin] += megabytes * Math.max(0, overlap) / (high - low);
        }
    }

    private static double bin(final long atNs, final long spanNs) {
        return Math.min(BINS, Math.max(0, (double) atNs * BINS / spanNs));
    }

    private void grid() {
        for (int i = 0; i <= GRID_LINES; i++) {
            final double y = y(top * i / GRID_LINES);
            line(LEFT, y, WIDTH - RIGHT, y, "stroke=\"var(--line)\"");
            text(LEFT - 8, y + 4, "end", "", number(top * i / GRID_LINES, top / GRID_LINES));
        }
        text(LEFT - 8, TOP - 14, "end", "", "MB/s");
        final double seconds = spanNs / 1e9;
        final double step = niceAbove(seconds / 8);
        for (double at = 0; at <= seconds * 1.0001; at += step) {
            final double x = LEFT + at / seconds * (WIDTH - LEFT - RIGHT);
            text(x, HEIGHT - BOTTOM + 20, "middle", "", number(at, step) + " s");
        }
    }

    /** With as many decimals as tell it from its neighbours, which are a step away. */
    private static String number(final double value, final double step) {
        return String.format(Locale.ROOT, "%." + Math.max(0, (int) Math.ceil(-Math.log10(step) - 1e-9)) + "f", value);
    }

    /** A time in which a link was not there; to the end where {@code toNs} is beyond it. */
    public void outage(final long fromNs, final long toNs, final String title) {
        final double from = x(fromNs);
        text.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"var(--cut)\" opacity=\"0.16\">"
                        + "<title>%s</title></rect>%n",
                from, TOP, Math.max(1, x(toNs) - from), HEIGHT - TOP - BOTTOM, HtmlPage.escape(title)));
    }

    /** The rates in the bins, MB/s, as steps over a filled area. */
    public void area(final double[] rates, final String colour) {
        final StringBuilder line = new StringBuilder();
        for (int bin = 0; bin < rates.length; bin++) {
            final double left = LEFT + (double) bin * (WIDTH - LEFT - RIGHT) / BINS;
            final double right = LEFT + (bin + 1.0) * (WIDTH - LEFT - RIGHT) / BINS;
            final double y = y(rates[bin]);
            line.append(String.format(Locale.ROOT, "%s%.1f %.1f L%.1f %.1f ", bin == 0 ? "M" : "L", left, y, right, y));
        }
        final double floor = HEIGHT - BOTTOM;
        text.append(String.format(
                Locale.ROOT,
                "<path d=\"%sL%d %.1f L%d %.1f Z\" fill=\"%s\" opacity=\"0.22\"/>%n",
                line, WIDTH - RIGHT, floor, LEFT, floor, colour));
        text.append("<path d=\"")
                .append(line)
                .append("\" fill=\"none\" stroke=\"")
                .append(colour)
                .append("\" stroke-width=\"1.6\"/>\n");
    }

    /** A moment. */
    public void moment(final long atNs) {
        final double x = x(atNs);
        line(x, TOP - 4, x, HEIGHT - BOTTOM, "stroke=\"var(--cut)\" stroke-width=\"1.4\"");
    }

    /** A word over a moment. */
    public void label(final long atNs, final String what) {
        text(x(atNs), TOP - 10, "middle", "cuttext", what);
    }

    public String svg() {
        return text + "</svg>";
    }

    /** Where on the picture a moment is. */
    public double x(final long atNs) {
        return LEFT + bin(atNs, spanNs) * (WIDTH - LEFT - RIGHT) / BINS;
    }

    private double y(final double rate) {
        return HEIGHT - BOTTOM - rate / top * (HEIGHT - TOP - BOTTOM);
    }

    private void line(final double x1, final double y1, final double x2, final double y2, final String style) {
        text.append(String.format(
                Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", x1, y1, x2, y2, style));
    }

    private void text(final double x, final double y, final String anchor, final String style, final String what) {
        text.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>%n",
                x, y, anchor, style, HtmlPage.escape(what)));
    }

    /** The least of 1, 2, 3, 5 times a power of ten that is not below the value. */
    public static double niceAbove(final double value) {
        final double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-9, value))));
        for (final int factor : new int[] {1, 2, 3, 5}) {
            if (value <= power * factor * 1.000001) {
                return power * factor;
            }
        }
        return power * 10;
    }
}
