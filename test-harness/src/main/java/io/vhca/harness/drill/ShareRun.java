package io.vhca.harness.drill;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.child.ShareChild;
import io.vhca.harness.drill.fabric.ChildPair;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillScenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What each mode makes of two links whose rate is the limit: eight queue pairs that always have something to write,
 * between two processes; the first link of the sender is cut and healed. One thread; the processes end with it.
 */
public final class ShareRun {
    /** Of each soft port, small enough that links are the limit and not the processor. */
    static final int RATE_MBPS = 100;

    private static final long PHASE_NS = 3_000_000_000L;
    private static final long SHORT_PHASE_NS = 500_000_000L;

    private final PrintWriter out;
    /** How long both links are up, then one is cut; the healing is watched twice as long. */
    private final long phaseNs;

    /** @param isShort to see that it works, not to quote */
    public ShareRun(final PrintWriter out, final boolean isShort) {
        this.out = out;
        phaseNs = isShort ? SHORT_PHASE_NS : PHASE_NS;
    }

    /**
     * Measures every mode.
     *
     * @throws IOException when a process fails, or says nothing for three minutes
     */
    public List<ShareResult> run() throws IOException, InterruptedException {
        final List<ShareResult> results = new ArrayList<>();
        for (final BondMode mode : BondMode.values()) {
            out.println("  " + mode.text() + " ...");
            out.flush();
            results.add(run(mode));
        }
        return results;
    }

    private ShareResult run(final BondMode mode) throws IOException, InterruptedException {
        // Of more than one connection to one address, the hash must see more than the addresses.
        final String policy = mode == BondMode.BALANCE_XOR ? " xmit_hash_policy=src-dst-port" : "";
        try (ChildPair children = new ChildPair(
                mode.text(), ";rate=" + RATE_MBPS, "mode=" + mode.text() + policy, ShareChild.class)) {
            final Watch watch = new Watch(mode, phaseNs, children::tellSender);
            while (!watch.isOver()) {
                watch.on(children.next());
            }
            return watch.result();
        }
    }

    /** One mode's course. Samples may be late: what is done depends on what was done before, not on the last two. */
    static final class Watch {
        private final BondMode mode;
        private final long phaseNs;
        private final Consumer<DrillLine> toSender;
        private final List<ShareResult.Sample> samples = new ArrayList<>();
        private long startNs;
        private boolean isCutAsked;
        private boolean isHealAsked;
        /** When it was cut and healed, since the start; 0 until then. */
        private long cutNs;

        private long healNs;

        /** @param toSender takes commands */
        Watch(final BondMode mode, final long phaseNs, final Consumer<DrillLine> toSender) {
            this.mode = mode;
            this.phaseNs = phaseNs;
            this.toSender = toSender;
        }

        void on(final DrillLine line) {
            switch (line.kind()) {
                case "plugged" -> onPlugged(line.text("up").equals("true"), line.number("t"));
                case "share" -> onShare(line);
                default -> {
                    // Nothing else matters here.
                }
            }
        }

        private void onPlugged(final boolean isUp, final long atNs) {
            if (isUp) {
                healNs = atNs - startNs;
            } else {
                cutNs = atNs - startNs;
            }
        }

        private void onShare(final DrillLine line) {
            final long atNs = line.number("t");
            if (samples.isEmpty()) {
                startNs = atNs;
            }
            samples.add(new ShareResult.Sample(atNs - startNs, line.number("first"), line.number("second")));
            final long nowNs = atNs - startNs;
            if (!isCutAsked && nowNs >= phaseNs) {
                isCutAsked = true;
                plug(false);
            } else if (!isHealAsked && cutNs != 0 && nowNs - cutNs >= phaseNs) {
                isHealAsked = true;
                plug(true);
            }
        }

        private void plug(final boolean isUp) {
            toSender.accept(DrillScenario.CUT.command(LoopbackFabric.MEMBERS.getFirst(), isUp));
        }

        boolean isOver() {
            return healNs != 0 && samples.getLast().atNs() - healNs >= 2 * phaseNs;
        }

        ShareResult result() {
            return new ShareResult(mode, samples, cutNs, healNs);
        }
    }
}
