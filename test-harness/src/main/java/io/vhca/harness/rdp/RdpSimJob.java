package io.vhca.harness.rdp;

import io.vhca.harness.sim.FabricWorker;
import io.vhca.harness.sim.SeedWorkers;
import java.io.PrintWriter;
import java.util.Locale;

/** Runs many seeds on several threads, and says what came of it. */
public final class RdpSimJob {
    private static final int SUMMARY_EVERY = 500;
    private static final int MOST_SHOWN = 5;

    private final long firstSeed;
    private final long count;
    private final int threads;
    private final int mostBad;
    private final PrintWriter out;
    private long done;
    private int bad;
    private long received;
    private long lost;
    private long stalls;
    private long failures;

    public RdpSimJob(
            final long firstSeed, final long count, final int threads, final int mostBad, final PrintWriter out) {
        this.firstSeed = firstSeed;
        this.count = count;
        this.threads = threads;
        this.mostBad = mostBad;
        this.out = out;
    }

    /** Runs them all, or until enough are bad; the exit code. */
    public int run() throws InterruptedException {
        new SeedWorkers<RdpRun>(firstSeed, count, threads).run(RdpSimJob::worker, this::add);
        out.printf(
                Locale.ROOT,
                "%d scenarios: %d datagrams received, %d lost with paths that were marked failed (%d), %d stalls%n",
                done, received, lost, failures, stalls);
        out.println(bad == 0 ? "the contract held in every scenario" : bad + " bad seeds");
        out.flush();
        return bad == 0 ? 0 : 1;
    }

    private static FabricWorker<RdpRun> worker() {
        return new FabricWorker<>(
                RdpSimulation::fabric,
                (fabric, seed) -> RdpSimulation.run(seed, RdpMutation.NONE, fabric),
                RdpRun::isGood);
    }

    /** A run is over; false when that is enough. */
    private boolean add(final RdpRun run) {
        received += run.received();
        lost += run.lost();
        stalls += run.stalls();
        failures += run.failures();
        if (!run.isGood()) {
            bad++;
            out.println("BAD SEED " + run.scenario().describe());
            run.violations().stream().limit(MOST_SHOWN).forEach(violation -> out.println("  violated: " + violation));
            out.println("again with: vhca sim --rdp --seeds 1 --seed " + run.scenario().seed());
            out.flush();
        }
        if (++done % SUMMARY_EVERY == 0) {
            out.println(done + " of " + count + " scenarios, " + bad + " bad");
            out.flush();
        }
        return bad < mostBad;
    }
}
