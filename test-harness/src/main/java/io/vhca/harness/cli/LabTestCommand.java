package io.vhca.harness.cli;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.protocol.SideTraffic;
import io.vhca.harness.lab.DrillTally;
import io.vhca.harness.lab.InteropDevice;
import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabCopy;
import io.vhca.harness.lab.LabDisni;
import io.vhca.harness.lab.LabDoctor;
import io.vhca.harness.lab.LabDrill;
import io.vhca.harness.lab.LabFault;
import io.vhca.harness.lab.LabGuard;
import io.vhca.harness.lab.LabInterop;
import io.vhca.harness.lab.LabSuite;
import io.vhca.harness.lab.MemberKinds;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
            "Runs in the machines what must stay true on real libibverbs: 'vhca doctor', which has to find what is"
                    + " there, 'vhca guard', which has to end who keeps a device, the conformance suite on rxe0"
                    + " and on a bond over rxe0 and rxe1, C programs as peers"
                    + " of Java on soft0, rxe0 and a bond, and drills in a short form; asked for by name alone,"
                    + " the programs of DiSNI on rxe0, and copies of a file over a socket.",
            ""
        },
        footer = {"", "Exit code: 0 when no test failed and every byte of every drill arrived exactly once, else 1."})
final class LabTestCommand implements Callable<Integer> {
    /** What {@code --only} chooses. */
    private enum Part {
        DOCTOR,
        GUARD,
        SUITE,
        INTEROP,
        DISNI,
        COPY,
        DRILL;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What failed in a part. */
    private static final class Findings {
        private final Lab lab;
        private final List<String> all = new ArrayList<>();
        /** Those of them that no end of a machine can be the reason of. */
        private final List<String> whileUp = new ArrayList<>();

        Findings(final Lab lab) {
            this.lab = lab;
        }

        void add(final String what) {
            all.add(what);
            if (lab.lost().isEmpty()) {
                whileUp.add(what);
            }
        }

        void note(final String what, final boolean ok) {
            if (!ok) {
                add(what);
            }
        }
    }

    /** The others take minutes for what soft devices show every day: they are asked for by name. */
    private static final List<Part> DAILY = List.of(Part.DOCTOR, Part.GUARD, Part.SUITE, Part.INTEROP, Part.DRILL);

    private static final List<LabFault> LINKS = List.of(LabFault.SERIES);
    /**
     * In another mode, whose bond tries its other paths before it gives up. The rest of a mode is the same logic on any
     * device, and a connection of its own takes an emulated machine a minute.
     */
    private static final List<LabFault> DEATHS = List.of(LabFault.KILL);

    private static final Path INPUT = Path.of(System.getProperty("java.home"), "lib", "modules");
    private static final long BYTES = 3_000_000;
    private static final long COPIED_BYTES = 50_000_000;
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
            paramLabel = "doctor|guard|suite|interop|disni|copy|drill",
            description = "only the doctor, the guard, the conformance suite, the C programs as peers, DiSNI's"
                    + " programs, copies of 50 MB through every kind of cut, or the drills")
    private @Nullable Part only;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final LabSuite suite = new LabSuite(project(), out);
        final List<Part> parts = only == null ? DAILY : List.of(only);
        if (parts.contains(Part.SUITE)) {
            suite.compile();
        }
        final List<String> failed = new ArrayList<>();
        Lab lab = Lab.findOrBoot(options.config(), out);
        try {
            for (final Part part : parts) {
                final Findings first = attempt(part, lab, suite, out);
                if (!lab.hasCrashed()) {
                    failed.addAll(first.all);
                    continue;
                }
                failed.addAll(first.whileUp);
                say(out, lab.lost() + "lab: its kernel crashed, which says nothing of vHCA: both boot anew, and "
                        + part.text() + " begins again, once");
                lab.close();
                lab = Lab.findOrBoot(options.config(), out);
                failed.addAll(attempt(part, lab, suite, out).all);
            }
        } catch (final EnvironmentException | IOException e) {
            failed.add("the lab does not come up again: " + e.getMessage());
        } finally {
            lab.close();
        }
        // The last line names it: it is what is left of a long output.
        out.println(failed.isEmpty() ? "lab test: passed" : "lab test: FAILED: " + String.join("; ", failed));
        out.flush();
        return failed.isEmpty() ? 0 : 1;
    }

    /** Runs a part; what failed in it. The machines are up: that nothing can be said of it is a failure too. */
    private Findings attempt(final Part part, final Lab lab, final LabSuite suite, final PrintWriter out)
            throws InterruptedException {
        final Findings found = new Findings(lab);
        try {
            run(part, lab, suite, out, found);
        } catch (final EnvironmentException | IOException e) {
            found.add(part.text() + " ended early: " + e.getMessage());
        }
        return found;
    }

    private void run(
            final Part part, final Lab lab, final LabSuite suite, final PrintWriter out, final Findings found)
            throws IOException, InterruptedException {
        switch (part) {
            case DOCTOR -> {
                say(out, "lab: the doctor ...");
                found.note("doctor", new LabDoctor(out).run(lab));
            }
            case GUARD -> {
                say(out, "lab: a process that keeps a device from being removed ...");
                found.note("guard", new LabGuard(out).run(lab));
            }
            case SUITE -> {
                say(out, "lab: the conformance suite on rxe0 and on the bond ...");
                suite.run(lab).forEach(verdict -> found.note(verdict.suite(), verdict.ok()));
            }
            case INTEROP -> {
                for (final List<InteropDevice> devices : InteropDevice.together()) {
                    say(out, "lab: C programs against Java on " + names(devices) + " ...");
                    new LabInterop(out).run(lab, devices).forEach(peer -> found.add("C against " + peer));
                }
            }
            case DISNI -> {
                say(out, "lab: DiSNI's programs on rxe0 ...");
                found.note("DiSNI", new LabDisni(project(), out).run(lab));
            }
            case COPY -> {
                say(out, "lab: a file over a socket through every kind of cut ...");
                new LabCopy(COPIED_BYTES, out).run(lab, INPUT).forEach(kind -> found.add("copy through " + kind));
            }
            case DRILL -> {
                drill(lab, LINKS, LabFault.SERIES.leastCuts(), BondMode.ACTIVE_BACKUP, out, found);
                drill(lab, DEATHS, 1, BondMode.BALANCE_RR, out, found);
            }
        }
    }

    private static String names(final List<InteropDevice> devices) {
        return devices.stream().map(InteropDevice::device).collect(Collectors.joining(" and "));
    }

    private static void say(final PrintWriter out, final String line) {
        out.println(line);
        out.flush();
    }

    private void drill(
            final Lab lab,
            final List<LabFault> faults,
            final int cuts,
            final BondMode mode,
            final PrintWriter out,
            final Findings found)
            throws IOException, InterruptedException {
        say(out, "lab: drills in mode " + mode.text() + " ...");
        final LabDrill.Options drill = new LabDrill.Options(
                faults, cuts, BYTES, seed, MemberKinds.RXE, RECOVERY_TIMEOUT_MS, WINDOW, null, 0,
                SideTraffic.UNASKED, mode, 1, fault -> "./vhca lab test --only drill --seed " + seed);
        final LabDrill run = new LabDrill(drill, INPUT, out, false);
        final List<DrillTally> tallies = run.run(lab);
        out.println();
        out.print(DrillTally.table(tallies));
        tallies.forEach(tally -> found.note("drill " + tally.fault().word() + " " + mode.text(), tally.ok()));
        found.note("machines in mode " + mode.text(), run.isSound());
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
