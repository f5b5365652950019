package io.vhca.harness.lab;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.DrillOptions;
import io.vhca.harness.drill.DrillOutcome;
import io.vhca.harness.drill.DrillResult;
import io.vhca.harness.drill.DrillRun;
import io.vhca.harness.drill.DrillView;
import io.vhca.harness.drill.protocol.InputHead;
import io.vhca.harness.drill.protocol.SideTraffic;
import io.vhca.harness.drill.soak.Soak;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Drills over bond0 between the machines, one for each kind of fault. One thread. */
public final class LabDrill {
    /**
     * What a series of drills is like.
     *
     * @param faults            one drill each, in this order
     * @param times             cuts in each drill
     * @param bytes             of the input, sent in each drill
     * @param seed              of moments, sides and sizes
     * @param kinds             what the members are
     * @param recoveryTimeoutMs the bond's recovery_timeout where links are cut
     * @param window            messages in flight
     * @param report            where pages go, or null
     * @param soakSeconds       after which a drill ends that is a soak, 0 for none
     * @param side              what is carried besides the file, where links are cut
     * @param mode              of the bonds
     * @param starve            the machines run for one part in so many of the time once connected; 1 for all of it
     * @param again             the command that does the same again, of such a fault
     */
    public record Options(
            List<LabFault> faults,
            int times,
            long bytes,
            long seed,
            MemberKinds kinds,
            long recoveryTimeoutMs,
            int window,
            @Nullable Path report,
            long soakSeconds,
            List<SideTraffic> side,
            BondMode mode,
            int starve,
            Function<LabFault, String> again) {}

    private static final long DEATH_TIMEOUT_MS = 15_000;
    private static final int MAX_PAYLOAD_BYTES = 8192;
    private static final long FLAP_SECONDS = 4;

    private final Options options;
    private final PrintWriter out;
    private final boolean isTerminal;
    private final Path input;
    private boolean isSound = true;

    /**
     * @param input      the file whose first bytes are sent
     * @param isTerminal redraw one line in place
     */
    public LabDrill(final Options options, final Path input, final PrintWriter out, final boolean isTerminal) {
        this.options = options;
        this.input = input;
        this.out = out;
        this.isTerminal = isTerminal;
    }

    /** Runs them all; the outcome of each. A machine that lost power is gone afterwards. */
    public List<DrillTally> run(final Lab lab) throws IOException, InterruptedException {
        final Path file = InputHead.copy(input, options.bytes());
        try {
            final List<DrillTally> tallies = new ArrayList<>();
            for (final LabFault fault : options.faults()) {
                tallies.add(run(lab, fault, file));
                final String lost = lost(lab, fault);
                if (!lost.isEmpty()) {
                    out.println(lost);
                    isSound = false;
                    break;
                }
            }
            return tallies;
        } finally {
            Files.delete(file);
        }
    }

    private DrillTally run(final Lab lab, final LabFault fault, final Path file)
            throws IOException, InterruptedException {
        out.printf(Locale.ROOT, "%ndrill %s: %s%n", fault.word(), fault.description());
        final DrillOptions drill = new DrillOptions(
                file,
                fault.cuts(options.times()),
                options.seed(),
                DrillOptions.FabricKind.LAB,
                bytesPerSecond(fault),
                fault.isDeath(),
                fault.isDeath() ? DEATH_TIMEOUT_MS : options.recoveryTimeoutMs(),
                options.window(),
                MAX_PAYLOAD_BYTES,
                fault.isDeath() ? List.of() : options.side(),
                options.mode(),
                fault.scenario(),
                options.starve(),
                0);
        final boolean isSoak = options.soakSeconds() > 0;
        final LabFabric fabric = new LabFabric(
                lab,
                fault,
                options.kinds(),
                isSoak ? Soak.JVM_FLAGS : List.of(),
                TimeUnit.SECONDS.toNanos(options.soakSeconds()),
                !options.side().isEmpty());
        final DrillResult result = run(lab, drill, fabric, isSoak);
        final DrillTally tally =
                new DrillTally(fault, result.failed(lost(lab, fault).isEmpty() ? "" : "a machine ended by itself"));
        final DrillOutcome outcome = new DrillOutcome(tally.result(), input.toString(), options.again().apply(fault));
        outcome.show(out);
        if (options.report() != null) {
            Files.createDirectories(options.report());
            Files.writeString(options.report().resolve(fault.word() + ".html"), outcome.html());
        }
        return tally;
    }

    /** The sender's pace, 0 for none. */
    private long bytesPerSecond(final LabFault fault) {
        if (fault == LabFault.CALM && options.soakSeconds() > 0) {
            return Math.max(1, options.bytes() / options.soakSeconds());
        }
        return fault == LabFault.FLAP ? Math.max(1, options.bytes() / (options.times() * FLAP_SECONDS)) : 0;
    }

    private DrillResult run(final Lab lab, final DrillOptions drill, final LabFabric fabric, final boolean isSoak)
            throws IOException, InterruptedException {
        final DrillView view = new DrillView(out, isTerminal);
        if (!isSoak) {
            return new DrillRun(drill, fabric, view).run();
        }
        try (Soak soak = LabSoak.begin(lab, Soak.everySeconds(options.soakSeconds()), out)) {
            final DrillResult result = new DrillRun(drill, fabric, view).run();
            return result.failed(soak.show(out, options.soakSeconds()) ? "" : Soak.WRONG);
        }
    }

    /** What is said of machines that ended by themselves; empty where none did. */
    private static String lost(final Lab lab, final LabFault fault) {
        return fault == LabFault.POWEROFF ? "" : lab.lost();
    }

    /** False when a machine ended by itself, which ends the series too. */
    public boolean isSound() {
        return isSound;
    }
}
