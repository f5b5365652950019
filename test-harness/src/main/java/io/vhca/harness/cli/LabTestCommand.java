package io.vhca.harness.cli;

import io.vhca.bond.BondMode;
import io.vhca.harness.EnvironmentException;
import io.vhca.harness.drill.SideTraffic;
import io.vhca.harness.lab.DrillTally;
import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabDrill;
import io.vhca.harness.lab.LabFault;
import io.vhca.harness.lab.LabSuite;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vhca lab test}. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        description = {
            "Runs in the machines what must stay true on real libibverbs: the conformance suite on rxe0 and on a bond"
                    + " over rxe0 and rxe1, then drills in a short form.",
            ""
        },
        footer = {"", "Exit code: 0 when no test failed and every byte of every drill arrived exactly once, else 1."})
final class LabTestCommand implements Callable<Integer> {
    /** What {@code --only} chooses. */
    private enum Part { SUITE, DRILL }

    private static final List<LabFault> FAULTS =
            List.of(
                    LabFault.EGRESS, LabFault.CARRIER, LabFault.DOWN, LabFault.DEVICE, LabFault.DRAIN, LabFault.KILL);
    private static final long BYTES = 3_000_000;
    private static final long RECOVERY_TIMEOUT_MS = 60_000;
    private static final int WINDOW = 32;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the drills (default: 1)")
    private long seed = 1;

    @Option(
            names = "--only",
            paramLabel = "suite|drill",
            description = "only the conformance suite, or only the drills")
    private @Nullable Part only;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final LabSuite suite = new LabSuite(project(), out);
        final boolean withSuite = only != Part.DRILL;
        if (withSuite) {
            suite.compile();
        }
        boolean ok = true;
        try (Lab lab = Lab.findOrBoot(options.config(), out)) {
            if (withSuite) {
                out.println("lab: the conformance suite on rxe0 and on the bond ...");
                out.flush();
                ok = suite.run(lab).stream().allMatch(LabSuite.Verdict::ok);
            }
            if (only != Part.SUITE) {
                final LabDrill.Options drill = new LabDrill.Options(
                        FAULTS, 2, BYTES, seed, "rxe", RECOVERY_TIMEOUT_MS, WINDOW, null, 0,
                        List.of(SideTraffic.values()), BondMode.ACTIVE_BACKUP);
                final Path input = Path.of(System.getProperty("java.home"), "lib", "modules");
                final LabDrill run = new LabDrill(drill, input, out, false);
                final List<DrillTally> tallies = run.run(lab);
                out.println();
                out.print(DrillTally.table(tallies));
                ok &= run.isSound() && tallies.stream().allMatch(DrillTally::ok);
            }
        }
        out.println(ok ? "lab test: passed" : "lab test: FAILED");
        out.flush();
        return ok ? 0 : 1;
    }

    /** The build that this tool was started from. */
    private static Path project() {
        final Path classes = Path.of(URI.create(String.valueOf(
                LabTestCommand.class.getProtectionDomain().getCodeSource().getLocation())));
        final Path project = classes.resolve("../../..").normalize();
        if (Files.notExists(project.resolve("test-harness"))) {
            throw new EnvironmentException("lab test runs from a checkout, by its ./vhca; this is " + classes);
        }
        return project;
    }
}
