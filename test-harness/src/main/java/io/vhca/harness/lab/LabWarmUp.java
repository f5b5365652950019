package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchTalk;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Does what will be measured until both JVMs' compilers are nearly done with it: in an emulated machine of one
 * processor they take minutes, and half of the processor meanwhile. One thread.
 */
final class LabWarmUp {
    /** Of the time of a pass, in percent, for each of the two compilers' machines. */
    private static final double DONE_PERCENT = 3;

    private static final int LONGEST_PASSES = 24;
    private static final int QUICK_PASSES = 1;

    private final BenchTalk talk;
    private final String wire;
    private final int passes;
    private final PrintWriter out;

    /** Some seconds of all that will be measured. */
    interface Pass {
        void run() throws IOException, InterruptedException;
    }

    LabWarmUp(final BenchTalk talk, final String wire, final boolean isQuick, final PrintWriter out) {
        this.talk = talk;
        this.wire = wire;
        passes = isQuick ? QUICK_PASSES : LONGEST_PASSES;
        this.out = out;
    }

    /** Returns when the compilers are nearly done, or after minutes, and says what they still take. */
    void run(final Pass pass) throws IOException, InterruptedException {
        final long startNs = System.nanoTime();
        double percent = 100;
        for (int i = 0; i < passes && percent > DONE_PERCENT; i++) {
            final long compilersNs = talk.compilersNs(wire);
            final long passNs = System.nanoTime();
            pass.run();
            percent = 100.0 * (talk.compilersNs(wire) - compilersNs) / Lab.MACHINES / (System.nanoTime() - passNs);
        }
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        out.printf(Locale.ROOT, "  warm-up of %.0f s; compilers had %.1f %% of its end%n", seconds, percent);
        out.flush();
    }
}
