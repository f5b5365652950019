package io.vhca.ras.snapshot;

/**
 * A report as one page that needs nothing else: a list of its sections, then each as a table. It is ASCII, and so the
 * same in each character set that a terminal or a file may have. Pure.
 */
public final class ReportHtml {
    private static final int LAST_PLAIN = 0x7e;

    private ReportHtml() {}

    /** The page. */
    public static String page(final Report report) {
        final StringBuilder page = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
                <title>vHCA report</title><style>
                body { font: 14px sans-serif; margin: 2em; }
                td { font-family: monospace; padding: 2px 1em 2px 0; vertical-align: top; white-space: pre-wrap; }
                td:first-child { color: #555; white-space: nowrap; }
                tr:nth-child(odd) { background: #f4f4f4; }
                </style></head><body>
                <h1>vHCA report</h1>
                <ul>
                """);
        int number = 0;
        for (final Report.Section section : report.sections()) {
            page.append("<li><a href=\"#s").append(number++).append("\">").append(escaped(section.title()))
                    .append("</a></li>\n");
        }
        page.append("</ul>\n");
        number = 0;
        for (final Report.Section section : report.sections()) {
            page.append("<h2 id=\"s").append(number++).append("\">").append(escaped(section.title()))
                    .append("</h2>\n<table>\n");
            section.facts().forEach(fact -> page.append("<tr><td>").append(escaped(fact.name()))
                    .append("</td><td>").append(escaped(fact.value())).append("</td></tr>\n"));
            page.append("</table>\n");
        }
        return page.append("</body></html>\n").toString();
    }

    private static String escaped(final String text) {
        final StringBuilder escaped = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> {
                    if (c > LAST_PLAIN) {
                        escaped.append("&#").append(c).append(';');
                    } else {
                        escaped.append((char) c);
                    }
                }
            }
        });
        return escaped.toString();
    }
}
