package io.vhca.harness.bench.profile;

import io.vhca.harness.drill.html.HtmlPage;
import java.util.Locale;

/**
 * Draws a flame graph as one page that needs nothing else: a bar a frame, as wide as its share of the samples, under
 * the bar of the frame that called it. A click makes a bar as wide as the page, a second one takes that back.
 */
final class FlamePage {
    private static final int ROW_HEIGHT = 18;
    /** Bars that would be no wider than a hair are left out. */
    private static final double LEAST_PERCENT = 0.05;

    private static final String STYLE = """
            body { font: 12px sans-serif; margin: 1em; }
            #graph { position: relative; }
            #graph div { position: absolute; height: 16px; line-height: 16px; overflow: hidden; white-space: nowrap;
              box-sizing: border-box; padding-left: 2px; border-radius: 2px; cursor: pointer; border: 1px solid #fff; }
            """;
    private static final String SCRIPT = """
            const graph = document.getElementById('graph');
            const bars = [...graph.children].map(e =>
              ({e: e, left: parseFloat(e.style.left), width: parseFloat(e.style.width)}));
            let wide = null;
            graph.addEventListener('click', event => {
              const bar = bars.find(b => b.e === event.target);
              if (bar === undefined) { return; }
              wide = wide === bar ? null : bar;
              const from = wide === null ? 0 : wide.left;
              const all = wide === null ? 100 : wide.width;
              for (const b of bars) {
                b.e.style.left = (b.left - from) * 100 / all + '%';
                b.e.style.width = b.width * 100 / all + '%';
                const isSeen = b.left + b.width - from > 1e-9 * all;
                b.e.style.display = b.left - from > all * (1 - 1e-9) ? 'none' : isSeen ? '' : 'none';
              }
            });
            """;

    private final StringBuilder bars = new StringBuilder();
    private final long all;
    private int depth;

    private FlamePage(final FlameGraph graph) {
        all = Math.max(1, graph.root().samples());
        draw(graph.root(), 0, 0);
    }

    /** The page, which is well-formed XML too. */
    static String of(final String title, final FlameGraph graph) {
        final FlamePage page = new FlamePage(graph);
        return String.format(
                Locale.ROOT,
                """
                <!DOCTYPE html>
                <html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8" />
                <title>%1$s</title><style>
                %2$s</style></head><body><h1>%1$s</h1>
                <p>%3$d samples of the JVM's flight recorder; what is called stands below its caller. Click on a bar to
                see it as wide as the page.</p>
                <div id="graph" style="height:%4$dpx">
                %5$s</div><script>//<![CDATA[
                %6$s//]]></script></body></html>
                """,
                HtmlPage.escape(title), STYLE, graph.root().samples(), (page.depth + 1) * ROW_HEIGHT, page.bars,
                SCRIPT);
    }

    private void draw(final FlameGraph.Frame frame, final long before, final int row) {
        final double width = 100.0 * frame.samples() / all;
        if (width < LEAST_PERCENT) {
            return;
        }
        depth = Math.max(depth, row);
        final String name = HtmlPage.escape(frame.name());
        bars.append(String.format(
                Locale.ROOT,
                "<div style=\"left:%.4f%%;width:%.4f%%;top:%dpx;background:%s\" title=\"%s: %d samples, %.1f %%\">%s"
                        + "</div>%n",
                100.0 * before / all, width, row * ROW_HEIGHT, colour(frame.name()), name, frame.samples(), width,
                name));
        long left = before;
        for (final FlameGraph.Frame callee : frame.callees()) {
            draw(callee, left, row + 1);
            left += callee.samples();
        }
    }

    /** The same for the same name, on every page. */
    private static String colour(final String name) {
        final int hash = name.hashCode() * 0x9E37_79B9;
        return String.format(Locale.ROOT, "hsl(%d,70%%,%d%%)", (hash >>> 16) % 55, 62 + (hash >>> 8 & 0xF));
    }
}
