package io.vhca.harness.drill;

import io.vhca.harness.drill.child.StateChild;
import io.vhca.harness.drill.fabric.ChildPair;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What it costs a bond with many queue pairs to know the state of its devices, and to write a dump: between two
 * processes with two soft ports each, a WRITE in flight on every queue pair. One thread.
 */
public final class StateRun {
    private final PrintWriter out;
    private final int queuePairs;
    private final int rounds;
    private final long roundMs;
    private final int dumps;

    /**
     * What is measured.
     *
     * @param rounds  each of them one time without and one time with the state asked for
     * @param roundMs how long each of the two lasts
     * @param dumps   how many are written
     */
    public StateRun(
            final PrintWriter out, final int queuePairs, final int rounds, final long roundMs, final int dumps) {
        this.out = out;
        this.queuePairs = queuePairs;
        this.rounds = rounds;
        this.roundMs = roundMs;
        this.dumps = dumps;
    }

    /**
     * Measures.
     *
     * @throws IOException when a process fails, or says nothing for three minutes
     */
    public StateResult run() throws IOException, InterruptedException {
        final double[][] completed = new double[2][rounds];
        final List<Long> pauses = new ArrayList<>();
        try (ChildPair children = new ChildPair(
                queuePairs + " queue pairs", "", "mode=active-backup", StateChild.class, String.valueOf(queuePairs),
                String.valueOf(rounds), String.valueOf(roundMs), String.valueOf(dumps))) {
            DrillLine line = children.next();
            while (!line.kind().equals("done")) {
                switch (line.kind()) {
                    case "rate" -> {
                        final int on = (int) line.number("on");
                        final int round = (int) line.number("round");
                        completed[on][round] = line.number("completed");
                        if (on == round % 2) {
                            out.println("  round " + (round + 1) + " of " + rounds);
                            out.flush();
                        }
                    }
                    case "dump" -> pauses.add(line.number("ns"));
                    default -> {
                        // Nothing else matters here.
                    }
                }
                line = children.next();
            }
            return new StateResult(
                    completed[0], completed[1], pauses.stream().mapToLong(Long::longValue).toArray(),
                    line.number("failovers"));
        }
    }
}
