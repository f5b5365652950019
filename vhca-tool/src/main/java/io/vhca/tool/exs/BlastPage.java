package io.vhca.tool.exs;

import java.util.List;
import java.util.Locale;

/** The rows of a blast as a page: throughput by size, both logarithmic, and what the link leaves for data dashed. */
final class BlastPage {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 420;
    private static final int LEFT = 80;
    private static final int BOTTOM = 50;
    private static final int TOP = 30;
    private static final int RIGHT = 20;

    private final List<BlastRow> rows;
    private final double leastSize;
    private final double mostSize;
    private final double leastMbps;
    private final double mostMbps;
    private final StringBuilder page = new StringBuilder();

    private BlastPage(final List<BlastRow> rows) {
        this.rows = rows;
        leastSize = log(rows.stream().mapToInt(BlastRow::size).min().orElse(1));
        mostSize = Math.max(leastSize + 1, log(rows.stream().mapToInt(BlastRow::size).max().orElse(1)));
        leastMbps = Math.floor(log(rows.stream().mapToDouble(BlastRow::mbps).min().orElse(1)));
        mostMbps = Math.max(leastMbps + 1, Math.ceil(log(rows.stream()
                .mapToDouble(row -> Math.max(row.mbps(), row.usableMbps()))
                .max()
                .orElse(1))));
    }

    /** The page; there is at least one row. */
    static String of(final String title, final List<BlastRow> rows) {
        assert !rows.isEmpty() : "sizes are checked before";
        return new BlastPage(rows).render(title);
    }

    private static double log(final double value) {
        return Math.log10(Math.max(value, 1e-3));
    }

    private double x(final double size) {
        return LEFT + (log(size) - leastSize) / (mostSize - leastSize) * (WIDTH - LEFT - RIGHT);
    }

    private double y(final double mbps) {
        return HEIGHT - BOTTOM - (log(mbps) - leastMbps) / (mostMbps - leastMbps) * (HEIGHT - BOTTOM - TOP);
    }

    private void add(final String format, final Object... arguments) {
        page.append(String.format(Locale.ROOT, format, arguments));
    }

    private String render(final String title) {
        add("<!DOCTYPE html>%n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>%n", escape(title));
        add("<style>body{font:14px sans-serif;margin:2em}td,th{padding:2px 12px;text-align:right}</style></head>%n");
        add("<body><h1>%s</h1>%n<svg width=\"%d\" height=\"%d\" font-size=\"12\">%n", escape(title), WIDTH, HEIGHT);
        for (int power = (int) leastMbps; power <= (int) mostMbps; power++) {
            final double y = y(Math.pow(10, power));
            add("<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>", LEFT, y, WIDTH - RIGHT, y);
            final String label = String.format(Locale.ROOT, "%." + Math.max(0, -power) + "f", Math.pow(10, power));
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n", LEFT - 6, y + 4, label);
        }
        for (final BlastRow row : rows) {
            add(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n", x(row.size()),
                    HEIGHT - BOTTOM + 18, row.size());
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#06c\"/>%n", x(row.size()), y(row.mbps()));
        }
        add("<text x=\"%d\" y=\"16\">Mbit/s</text><text x=\"%d\" y=\"%d\">bytes a send</text>%n", LEFT, WIDTH / 2,
                HEIGHT - 8);
        line("#06c", "none", false);
        if (rows.stream().allMatch(BlastRow::isUsableKnown)) {
            line("#c60", "6 4", true);
        }
        add("</svg>%n<table><tr><th>bytes a send</th><th>sends</th><th>Mbit/s</th><th>usable</th>"
                + "<th>sender, %% of a CPU</th><th>receiver, %% of a CPU</th></tr>%n");
        rows.forEach(row -> add(
                "<tr><td>%d</td><td>%d</td><td>%.1f</td><td>%s</td><td>%s</td><td>%s</td></tr>%n", row.size(),
                row.sends(), row.mbps(),
                row.isUsableKnown() ? String.format(Locale.ROOT, "%.1f", row.usableMbps()) : "-", row.cpu(),
                row.receiverCpu()));
        add("</table></body></html>%n");
        return page.toString();
    }

    private void line(final String colour, final String dashes, final boolean isUsable) {
        add("<polyline fill=\"none\" stroke=\"%s\" stroke-dasharray=\"%s\" points=\"", colour, dashes);
        rows.forEach(row -> add("%.1f,%.1f ", x(row.size()), y(isUsable ? row.usableMbps() : row.mbps())));
        add("\"/>%n");
    }

    private static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
