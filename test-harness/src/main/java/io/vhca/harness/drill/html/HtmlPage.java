package io.vhca.harness.drill.html;

import java.util.List;
import java.util.function.IntPredicate;

/**
 * One HTML page that needs nothing else: no script, no font, no address outside. Light or dark as the reader's system
 * is. Texts are escaped here, markup goes in as it is. One thread.
 */
public final class HtmlPage {
    private final StringBuilder text = new StringBuilder();

    public HtmlPage(final String title, final String heading) {
        text.append("""
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>%s</title>
                <style>
                %s</style>
                </head>
                <body>
                <main>
                <h1>%s</h1>
                """.formatted(escape(title), HtmlStyle.STYLE, escape(heading)));
    }

    public HtmlPage heading(final String words) {
        text.append("<h2>").append(escape(words)).append("</h2>\n");
        return this;
    }

    /** A paragraph; {@code style} names its classes. */
    public HtmlPage paragraph(final String style, final String words) {
        text.append("<p class=\"").append(style).append("\">").append(escape(words)).append("</p>\n");
        return this;
    }

    /** What to type. */
    public HtmlPage command(final String line) {
        text.append("<pre>").append(escape(line)).append("</pre>\n");
        return this;
    }

    public HtmlPage markup(final String markup) {
        text.append(markup).append('\n');
        return this;
    }

    /** A table that scrolls by itself where the page is narrow; columns of numbers stand to the right. */
    public HtmlPage table(final List<String> heads, final List<List<String>> rows, final IntPredicate isNumber) {
        text.append("<div class=\"scroll\"><table><thead>");
        row("th", heads, isNumber);
        text.append("</thead><tbody>\n");
        for (final List<String> row : rows) {
            row("td", row, isNumber);
            text.append('\n');
        }
        text.append("</tbody></table></div>\n");
        return this;
    }

    private void row(final String tag, final List<String> cells, final IntPredicate isNumber) {
        text.append("<tr>");
        for (int column = 0; column < cells.size(); column++) {
            text.append('<').append(tag).append(isNumber.test(column) ? " class=\"n\">" : ">")
                    .append(escape(cells.get(column)))
                    .append("</").append(tag).append('>');
        }
        text.append("</tr>");
    }

    /** The whole page. */
    public String render() {
        return text + "</main>\n</body>\n</html>\n";
    }

    public static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
