package io.vhca.harness.drill.protocol;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines that a process printed, for a failure's message. Any thread. */
public final class LastLines {
    private static final int MOST = 60;

    private final Deque<String> lines = new ArrayDeque<>();

    public synchronized void add(final String line) {
        if (lines.size() == MOST) {
            lines.removeFirst();
        }
        lines.add(line);
    }

    /** The lines, the oldest first. */
    public synchronized String text() {
        return String.join("\n", lines);
    }
}
