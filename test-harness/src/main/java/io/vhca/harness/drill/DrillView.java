package io.vhca.harness.drill;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Shows a drill while it runs: a bar on a terminal, plain lines elsewhere. One thread. */
public final class DrillView {
    private static final int BAR_CELLS = 30;
    private static final long REDRAW_NS = 100_000_000;
    private static final long RATE_NS = 500_000_000;
    private static final int TENTHS = 10;

    private final PrintWriter out;
    private final boolean isTerminal;
    private long drawnNs;
    private int tenth;
    private boolean isDrawn;

    /** @param isTerminal redraw one line in place */
    public DrillView(final PrintWriter out, final boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    void connected(final DrillLog log) {
        event("connected; sending " + megabytes(log.totalBytes()));
    }

    /** A line that stays. */
    void event(final String text) {
        erase();
        out.println("  " + text);
        out.flush();
    }

    void failover(final FailoverRow row) {
        event(String.format(
                Locale.ROOT,
                "  failover in %.1f ms (%s), now on %s: %d completed by negotiation, %d replayed",
                row.totalMs(), row.seenBy(), row.to(), row.negotiated(), row.replayed()));
    }

    void tick(final DrillLog log) {
        final int now = log.totalBytes() == 0 ? 0 : (int) (log.ackedBytes() * TENTHS / log.totalBytes());
        if (!isTerminal) {
            if (now > tenth) {
                tenth = now;
                event(now * TENTHS + " %, " + rate(log) + " MB/s, " + log.state() + ", " + log.failovers()
                        + " failovers");
            }
            return;
        }
        final long nowNs = System.nanoTime();
        if (nowNs - drawnNs > REDRAW_NS) {
            drawnNs = nowNs;
            erase();
            out.print(bar(log));
            out.flush();
            isDrawn = true;
        }
    }

    private static String bar(final DrillLog log) {
        final double part = log.totalBytes() == 0 ? 0 : (double) log.ackedBytes() / log.totalBytes();
        final int cells = (int) (part * BAR_CELLS);
        return String.format(
                Locale.ROOT,
                "[%s%s] %3.0f %%  %5s MB/s  %s  %d failovers",
                "#".repeat(cells), ".".repeat(BAR_CELLS - cells), part * 100, rate(log), log.state(), log.failovers());
    }

    /** Megabytes a second over the last half second. */
    private static String rate(final DrillLog log) {
        final List<DrillResult.Sample> samples = log.samples();
        if (samples.isEmpty()) {
            return "0";
        }
        final DrillResult.Sample last = samples.getLast();
        DrillResult.Sample from = last;
        for (int i = samples.size() - 1; i >= 0 && last.atNs() - samples.get(i).atNs() <= RATE_NS; i--) {
            from = samples.get(i);
        }
        final long ns = last.atNs() - from.atNs();
        return String.format(Locale.ROOT, "%.0f", ns == 0 ? 0 : (last.bytes() - from.bytes()) * 1e3 / ns);
    }

    /** Takes the bar away. */
    void erase() {
        if (isDrawn) {
            out.print("\r\033[K");
            isDrawn = false;
        }
    }

    static String megabytes(final long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
