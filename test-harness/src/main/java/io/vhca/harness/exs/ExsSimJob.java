package io.vhca.harness.exs;

import io.vhca.harness.sim.FabricWorker;
import io.vhca.harness.sim.SeedWorkers;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs seeds of extended sockets over simulated bonds on several threads, and says which are bad and why. */
public final class ExsSimJob {
    private static final int PACKET_BYTES = 2_048 + 96;
    private static final int PACKET_SLOTS = 4_096;
    private static final int LOOK_SEEDS = 100;
    private static final int KINDS = 10;
    private static final int VANISHING = 0;
    private static final int LOSING = 5;
    private static final String EXCEPTION = "no exception";

    private final long firstSeed;
    private final long count;
    private final int threads;
    private final int mostBad;
    private final PrintWriter out;
    private final @Nullable Path historyFile;
    private long done;
    private int bad;

    public ExsSimJob(
            final long firstSeed, final long count, final int threads, final int mostBad, final PrintWriter out,
            final @Nullable Path historyFile) {
        this.firstSeed = firstSeed;
        this.count = count;
        this.threads = threads;
        this.mostBad = mostBad;
        this.out = out;
        this.historyFile = historyFile;
    }

    /** What is wrong in the scenario of a seed; empty when all held. */
    static List<String> violations(final long seed, final ExsMutation mutation, final SimFabric fabric) {
        return run(seed, mutation, fabric, false).violations().texts();
    }

    /** Every so manieth seed is a peer that vanishes from a plain device; the others are bonds with faults. */
    static boolean isVanishing(final long seed) {
        return Math.floorMod(seed, KINDS) == VANISHING;
    }

    /** And every so manieth one ends a bond's connections for good. */
    static boolean isLosing(final long seed) {
        return Math.floorMod(seed, KINDS) == LOSING;
    }

    /** Whether that says how a run broke off: no checker found it. */
    static boolean isException(final String violation) {
        return violation.startsWith(EXCEPTION + ":");
    }

    static ExsWorld run(
            final long seed, final ExsMutation mutation, final SimFabric fabric, final boolean isRecorded) {
        final boolean isVanishing = isVanishing(seed);
        final ExsWorld world = isVanishing
                ? ExsWorld.plain(seed, fabric, isRecorded)
                : ExsWorld.survivable(seed, fabric, isRecorded);
        try {
            if (isVanishing) {
                VanishSimulation.run(world, VanishSimulation.SILENCE_MS);
            } else if (isLosing(seed)) {
                ExsSimulation.runAndLose(world, mutation);
            } else {
                ExsSimulation.run(world, mutation);
            }
        } catch (final RuntimeException | AssertionError e) {
            world.violations().report(EXCEPTION, "all", e + " at " + e.getStackTrace()[0]);
        }
        return world;
    }

    static SimFabric fabric() {
        return new SimFabric(new FabricConfig(PACKET_BYTES, PACKET_SLOTS, 1_000, 0));
    }

    /**
     * Runs. Returns 0 when everything held in every scenario, else 1.
     *
     * @throws UncheckedIOException when the history cannot be written
     */
    public int run() throws InterruptedException {
        out.printf(
                Locale.ROOT, "simulating extended sockets over bonds, seeds %d .. %d%n", firstSeed,
                firstSeed + count - 1);
        new SeedWorkers<Outcome>(firstSeed, count, threads).run(ExsSimJob::worker, this::add);
        out.println(bad == 0 ? "every contract held in every scenario" : bad + " bad seeds");
        out.flush();
        return bad == 0 ? 0 : 1;
    }

    private record Outcome(long seed, List<String> wrong) {}

    private static FabricWorker<Outcome> worker() {
        return new FabricWorker<>(
                ExsSimJob::fabric,
                (fabric, seed) -> new Outcome(seed, violations(seed, ExsMutation.NONE, fabric)),
                outcome -> outcome.wrong.isEmpty());
    }

    /** A run is over; false when that is enough. */
    private boolean add(final Outcome outcome) {
        if (!outcome.wrong.isEmpty()) {
            report(outcome.seed, outcome.wrong, bad++);
        }
        if (++done % LOOK_SEEDS == 0) {
            out.printf(Locale.ROOT, "%d of %d, %d bad%n", done, count, bad);
            out.flush();
        }
        return bad < mostBad;
    }

    private void report(final long seed, final List<String> wrong, final int before) {
        final ExsWorld again;
        try (SimFabric fabric = fabric()) {
            again = run(seed, ExsMutation.NONE, fabric, true);
        }
        out.println("bad seed " + seed);
        wrong.forEach(text -> out.println("  " + text));
        if (!again.violations().texts().equals(wrong)) {
            out.println("  and once more: " + again.violations().texts());
        }
        out.println(again.describe());
        out.flush();
        if (before == 0 && historyFile != null) {
            try {
                Files.writeString(historyFile, again.render());
            } catch (final IOException e) {
                throw new UncheckedIOException("the history of seed " + seed + " cannot be written", e);
            }
            out.println("the whole history is in " + historyFile);
        }
    }
}
