package io.vhca.harness.drill.html;

/** How the pages look: light or dark as the reader's system is, with nothing from outside. */
final class HtmlStyle {
    /** The contents of their style element. */
    static final String STYLE = """
            :root { color-scheme: light dark;
              --bg: #fbfaf7; --ink: #1d2430; --dim: #667080; --line: #dcd9d0; --card: #ffffff;
              --area: #2f6f9f; --other: #8a5a9e; --cut: #c2410c; --heal: #3f7d3a; --ok: #2f6b2b; --bad: #b3261e; }
            @media (prefers-color-scheme: dark) { :root {
              --bg: #14171c; --ink: #e7e5df; --dim: #98a1ae; --line: #323842; --card: #1b2027;
              --area: #6db1e0; --other: #c79ad6; --cut: #ff9356; --heal: #8cc987; --ok: #8cc987; --bad: #ff8a80; } }
            * { box-sizing: border-box; }
            body { margin: 0; background: var(--bg); color: var(--ink);
              font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
            main { max-width: 1160px; margin: 0 auto; padding: 40px 28px 64px; }
            h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
            h2 { font-size: 19px; margin: 40px 0 10px; }
            p { margin: 6px 0; max-width: 78ch; }
            .dim { color: var(--dim); }
            .verdict { margin: 22px 0; padding: 14px 18px; border-left: 5px solid var(--ok);
              background: var(--card); border-radius: 0 6px 6px 0; font-size: 18px; }
            .verdict.bad { border-color: var(--bad); }
            .figures { display: flex; flex-wrap: wrap; gap: 10px 42px; margin: 18px 0 6px; }
            .figures div b { display: block; font-size: 25px; font-weight: 600; font-variant-numeric: tabular-nums; }
            .figures div span { color: var(--dim); font-size: 14px; }
            svg { width: 100%; height: auto; display: block; background: var(--card);
              border: 1px solid var(--line); border-radius: 6px; }
            svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--dim); }
            svg .cuttext { fill: var(--cut); font-weight: 600; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
            th { text-align: left; font-weight: 600; color: var(--dim); border-bottom: 2px solid var(--line); }
            th, td { padding: 6px 10px 6px 0; white-space: nowrap; vertical-align: top; }
            td { border-bottom: 1px solid var(--line); }
            td.n, th.n { text-align: right; padding-right: 16px; }
            code, pre { font: 14px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
            pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px;
              overflow-x: auto; }
            .key i { display: inline-block; width: 22px; height: 10px; margin: 0 7px 0 0; border-radius: 2px; }
            .key span { margin-right: 24px; }
            """;

    private HtmlStyle() {}
}
