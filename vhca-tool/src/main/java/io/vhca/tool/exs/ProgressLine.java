package io.vhca.tool.exs;

import java.io.PrintWriter;

/** How far something long is: one line that is written over, where a person watches. One thread. */
final class ProgressLine implements FileCopy.Progress, AutoCloseable {
    private static final int WIDTH = 40;
    private static final int NOTHING = -1;

    private final PrintWriter out;
    private final boolean isWatched;
    private long shown = NOTHING;

    /** @param isWatched false where the output goes to a file or a program: nothing is shown then */
    ProgressLine(final PrintWriter out, final boolean isWatched) {
        this.out = out;
        this.isWatched = isWatched;
    }

    @Override
    public void at(final long done, final long all) {
        final long percent = 100 * done / all;
        if (isWatched && percent != shown) {
            shown = percent;
            final int full = (int) (WIDTH * percent / 100);
            out.print("\r[" + "#".repeat(full) + " ".repeat(WIDTH - full) + "] " + percent + " %");
            out.flush();
        }
    }

    /** What is printed next, if only why it is not done, has a line of its own. */
    @Override
    public void close() {
        if (shown != NOTHING) {
            out.println();
            out.flush();
        }
    }
}
