package io.vhca.harness.drill;

import io.vhca.harness.drill.child.ScaleChild;
import io.vhca.harness.drill.fabric.ChildPair;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How the failover of many queue pairs grows with their number: between two processes with two soft ports each, on each
 * queue pair {@link #IN_FLIGHT} WRITEs in flight when the port goes that all are on. One thread.
 */
public final class ScaleRun {
    /** WRITEs in flight on each queue pair. */
    public static final int IN_FLIGHT = ScaleChild.WINDOW;

    private static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000);
    private static final int MOST_QUICKLY = 100;
    private static final int CUTS = 5;

    private final PrintWriter out;
    private final boolean isQuick;

    /** @param isQuick few and one cut each: to see that it works, not to quote */
    public ScaleRun(final PrintWriter out, final boolean isQuick) {
        this.out = out;
        this.isQuick = isQuick;
    }

    /**
     * Measures every number of queue pairs.
     *
     * @throws IOException when a process fails, or says nothing for three minutes
     */
    public List<ScaleResult> run() throws IOException, InterruptedException {
        final List<ScaleResult> results = new ArrayList<>();
        for (final int size : SIZES) {
            if (!isQuick || size <= MOST_QUICKLY) {
                out.printf("  %,d queue pairs%n", size);
                out.flush();
                results.add(run(size));
            }
        }
        return results;
    }

    private ScaleResult run(final int size) throws IOException, InterruptedException {
        final List<Long> took = new ArrayList<>();
        try (ChildPair children = new ChildPair(
                size + " queue pairs", "", "mode=active-backup", ScaleChild.class,
                String.valueOf(size), String.valueOf(isQuick ? 1 : CUTS))) {
            DrillLine line = children.next();
            while (!line.kind().equals("done")) {
                if (line.kind().equals("scale")) {
                    took.add(line.number("ns"));
                }
                line = children.next();
            }
        }
        Collections.sort(took);
        return new ScaleResult(size, took.get(took.size() / 2), took.getLast());
    }
}
