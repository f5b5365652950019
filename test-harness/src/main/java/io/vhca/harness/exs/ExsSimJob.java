package io.vhca.harness.exs;

import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Runs seeds of extended sockets over simulated bonds, one after the other, and says which are bad and why. */
public final class ExsSimJob {
    private static final int PACKET_BYTES = 2_048 + 96;
    private static final int PACKET_SLOTS = 4_096;
    private static final int LOOK_SEEDS = 100;
    /** Every so manieth seed is a peer that vanishes from a plain device; the others are bonds with faults. */
    private static final int VANISHING = 10;

    private final long firstSeed;
    private final long count;
    private final int mostBad;
    private final PrintWriter out;
    private final @Nullable Path historyFile;

    public ExsSimJob(
            final long firstSeed, final long count, final int mostBad, final PrintWriter out,
            final @Nullable Path historyFile) {
        this.firstSeed = firstSeed;
        this.count = count;
        this.mostBad = mostBad;
        this.out = out;
        this.historyFile = historyFile;
    }

    /** What is wrong in the scenario of a seed; empty when all held. */
    static List<String> violations(final long seed, final ExsMutation mutation, final SimFabric fabric) {
        return run(seed, mutation, fabric, false).violations().texts();
    }

    private static ExsWorld run(
            final long seed, final ExsMutation mutation, final SimFabric fabric, final boolean isRecorded) {
        final boolean isVanishing = Math.floorMod(seed, VANISHING) == 0;
        final ExsWorld world = isVanishing
                ? ExsWorld.plain(seed, fabric, isRecorded)
                : ExsWorld.survivable(seed, fabric, isRecorded);
        try {
            if (isVanishing) {
                VanishSimulation.run(world, VanishSimulation.SILENCE_MS);
            } else {
                ExsSimulation.run(world, mutation);
            }
        } catch (final RuntimeException | AssertionError e) {
            world.violations().report("no exception", "all", e + " at " + e.getStackTrace()[0]);
        }
        return world;
    }

    static SimFabric fabric() {
        return new SimFabric(new FabricConfig(PACKET_BYTES, PACKET_SLOTS, 1_000, 0));
    }

    /** Runs. Returns 0 when everything held in every scenario, else 1. */
    public int run() throws IOException {
        out.printf("simulating extended sockets over bonds, seeds %d .. %d%n", firstSeed, firstSeed + count - 1);
        int bad = 0;
        SimFabric fabric = fabric();
        for (final long seed : LongStream.range(firstSeed, firstSeed + count).toArray()) {
            final List<String> wrong = violations(seed, ExsMutation.NONE, fabric);
            if (!wrong.isEmpty()) {
                report(seed, wrong, bad++);
                fabric = fabric(); // what a bad run left in the old one is not looked at
            }
            if ((seed - firstSeed + 1) % LOOK_SEEDS == 0) {
                out.printf("%d of %d, %d bad%n", seed - firstSeed + 1, count, bad);
                out.flush();
            }
            if (bad == mostBad) {
                break;
            }
        }
        fabric.close();
        out.println(bad == 0 ? "every contract held in every scenario" : bad + " bad seeds");
        out.flush();
        return bad == 0 ? 0 : 1;
    }

    private void report(final long seed, final List<String> wrong, final int before) throws IOException {
        final ExsWorld again = run(seed, ExsMutation.NONE, fabric(), true);
        out.println("bad seed " + seed);
        wrong.forEach(text -> out.println("  " + text));
        if (!again.violations().texts().equals(wrong)) {
            out.println("  and once more: " + again.violations().texts());
        }
        out.println(again.describe());
        out.flush();
        if (before == 0 && historyFile != null) {
            Files.writeString(historyFile, again.render());
            out.println("the whole history is in " + historyFile);
        }
    }
}
