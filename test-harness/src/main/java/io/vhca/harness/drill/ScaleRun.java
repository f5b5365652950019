package io.vhca.harness.drill;

import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.harness.drill.child.ScaleChild;
import io.vhca.harness.drill.fabric.ChildPair;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How the failover of many queue pairs grows with their number: between two processes with two soft ports each, on each
 * queue pair {@link #IN_FLIGHT} WRITEs in flight when the port goes that all are on. One thread.
 */
public final class ScaleRun {
    /** WRITEs in flight on each queue pair. */
    public static final int IN_FLIGHT = ScaleChild.WINDOW;

    private static final int MOST_QUICKLY = 100;
    /** The first ones of a process show its compiler. */
    private static final int CUTS = 31;
    /** Of one queue pair, of which the slowest of a hundred counts as well. */
    private static final int CUTS_OF_ONE = 201;
    /** Of many, each of which takes long; and of processes that hardly run. */
    private static final int FEW_CUTS = 5;

    private static final int MANY = 10_000;

    private final PrintWriter out;
    private final boolean isQuick;
    private final ScalePlan plan;
    private final String options;

    /**
     * What is measured.
     *
     * @param isQuick one cut each, and of the usual numbers the small ones: to see that it works, not to quote
     * @param isWarm  a second connection stands by for each queue pair when the port goes
     */
    public ScaleRun(final PrintWriter out, final boolean isQuick, final ScalePlan plan, final boolean isWarm) {
        this.out = out;
        this.isQuick = isQuick;
        this.plan = plan;
        options = "mode=active-backup standby=" + (isWarm ? Standby.WARM : Standby.COLD).text();
    }

    /**
     * Measures every number of queue pairs.
     *
     * @throws IOException when a process fails, or says nothing for three minutes, or for as many times longer as it is
     *                     starved
     */
    public List<ScaleResult> run() throws IOException, InterruptedException {
        final List<ScaleResult> results = new ArrayList<>();
        for (final int size : plan.sizes()) {
            if (!isQuick || size <= MOST_QUICKLY || !plan.sizes().equals(ScalePlan.SIZES)) {
                out.printf(Locale.ROOT, "  %,d queue pairs, %s%n", size, options);
                out.flush();
                results.add(run(size));
            }
        }
        return results;
    }

    private int cuts(final int size) {
        if (plan.cuts() > 0) {
            return plan.cuts();
        }
        if (isQuick) {
            return 1;
        }
        if (plan.starve() > 1 || size >= MANY) {
            return FEW_CUTS;
        }
        return size == 1 ? CUTS_OF_ONE : CUTS;
    }

    private ScaleResult run(final int size) throws IOException, InterruptedException {
        final List<ScaleCut> took = new ArrayList<>();
        try (ChildPair children = new ChildPair(
                size + " queue pairs", "", options, ScaleChild.class,
                String.valueOf(size), String.valueOf(cuts(size)))) {
            DrillLine line = children.next();
            while (!line.kind().equals("done")) {
                switch (line.kind()) {
                    case "connected" -> children.starve(plan.starve());
                    case "scale" -> took.add(ScaleCut.of(line));
                    default -> {
                        // Nothing else matters here.
                    }
                }
                line = children.next();
            }
        }
        return new ScaleResult(size, took);
    }
}
