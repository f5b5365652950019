package io.vhca.harness.drill;

import io.vhca.bond.BondMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What each mode makes of two links whose rate is the limit: eight queue pairs that always have something to write,
 * between two processes; the first link of the sender is cut and healed. One thread; the processes end with it.
 */
public final class ShareRun {
    /** Of each soft port, small enough that links are the limit and not the processor. */
    static final int RATE_MBPS = 100;

    private static final long PATIENCE_NS = 60_000_000_000L;
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
     * @throws IOException when a process fails, or says nothing for a minute
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
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        try (ChildProcess receiver = start(true, mode, said);
                ChildProcess sender = start(false, mode, said)) {
            final Watch watch = new Watch(mode, phaseNs, sender, receiver);
            while (!watch.isOver()) {
                final ChildProcess.Said next = said.poll(PATIENCE_NS, TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new IOException(mode.text() + ": nothing was said for a minute\n" + receiver.noise()
                            + sender.noise());
                }
                watch.on(next);
            }
            return watch.result();
        }
    }

    private ChildProcess start(
            final boolean isReceiver, final BondMode mode, final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        // Of more than one connection to one address, the hash must see more than the addresses.
        final String policy = mode == BondMode.BALANCE_XOR ? " xmit_hash_policy=src-dst-port" : "";
        return ChildProcess.start(
                Fabric.name(isReceiver),
                List.of(),
                List.of(
                        "vhca.soft=" + LoopbackFabric.devices(isReceiver, ";rate=" + RATE_MBPS),
                        "vhca.bond=bond0: mode=" + mode.text() + " members="
                                + String.join(",", LoopbackFabric.MEMBERS) + policy),
                ShareChild.class,
                List.of(Fabric.name(isReceiver)),
                said);
    }

    /** One mode's course. */
    private static final class Watch {
        private final BondMode mode;
        private final long phaseNs;
        private final ChildProcess sender;
        private final ChildProcess receiver;
        private final List<ShareResult.Sample> samples = new ArrayList<>();
        private long startNs;
        private long cutNs;
        private long healNs;

        Watch(
                final BondMode mode, final long phaseNs, final ChildProcess sender, final ChildProcess receiver) {
            this.mode = mode;
            this.phaseNs = phaseNs;
            this.sender = sender;
            this.receiver = receiver;
        }

        void on(final ChildProcess.Said next) throws IOException {
            final DrillLine line = next.line();
            switch (line.kind()) {
                case "listening" -> sender.tell(line);
                case "plugged" -> onPlugged(line.text("up").equals("true"), line.number("t"));
                case "share" -> onShare(line);
                case "died", "exited" -> throw new IOException(mode.text() + ": the " + next.child() + " ended: "
                        + line.values() + "\n" + receiver.noise() + sender.noise());
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
            final ShareResult.Sample before = samples.isEmpty() ? null : samples.getLast();
            samples.add(new ShareResult.Sample(atNs - startNs, line.number("first"), line.number("second")));
            final long nowNs = atNs - startNs;
            if (isPassed(before, nowNs, phaseNs)) {
                plug(false);
            } else if (isPassed(before, nowNs, 2 * phaseNs)) {
                plug(true);
            }
        }

        private static boolean isPassed(final ShareResult.@Nullable Sample before, final long nowNs, final long atNs) {
            return before != null && before.atNs() < atNs && nowNs >= atNs;
        }

        private void plug(final boolean isUp) {
            sender.tell(DrillScenario.CUT.command(LoopbackFabric.MEMBERS.getFirst(), isUp));
        }

        boolean isOver() {
            return healNs != 0 && samples.getLast().atNs() - healNs >= 2 * phaseNs;
        }

        ShareResult result() {
            return new ShareResult(mode, samples, cutNs, healNs);
        }
    }
}
