package io.vhca.harness.cli;

import io.vhca.harness.drill.fabric.Starvation;
import io.vhca.harness.lab.DrillTally;
import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabConfig;
import io.vhca.harness.lab.LabDrill;
import io.vhca.harness.lab.LabFault;
import io.vhca.harness.lab.MemberKinds;
import io.vhca.tool.console.OutputDirectory;
import io.vhca.tool.console.OutputFile;
import io.vhca.tool.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca lab drill}. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description = {
            "Sends a real file over bond0 = {rxe0, rxe1} from machine 1 to machine 2 while links die, each kind in its"
                    + " turn.",
            "",
            "Kinds, at the sender's and the receiver's side in turn:",
            "  carrier   carrier off, from outside of the machine",
            "  down      'ip link set down' in the machine",
            "  egress    what this side sends is lost, what it receives arrives",
            "  loss      everything is lost both ways, no port goes down",
            "  device    'rdma link del' of the device, later 'rdma link add'",
            "  both      both links of this side down for 3 s, then one back",
            "  flap      the link in use down for 2 s, up again, and so on",
            "  pause     the machine of this side stops for 3 s",
            "  address   'ip addr del' of the interface's address, later 'ip addr add'",
            "  primary   carrier off; rxe0 is the primary, and the connection returns to it",
            "  drain     an operator drains the member, and resumes it",
            "  remove    an operator removes the member from the bond, and adds it again",
            "  kill      kill -9 of the receiving process, for good",
            "  poweroff  the receiving machine loses power, for good",
            "  calm      nothing is cut, and what moves the connection is a false alarm; asked for by name",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  sudo vhca lab drill                               every kind, three cuts each",
            "  sudo vhca lab drill --kind egress --times 10      ten times the case that needs the negotiation",
            "  sudo vhca lab drill --kind flap --for 3600        an hour of flapping links, with what grows meanwhile",
            "  sudo vhca lab drill --kind calm --for 3600 --starve 4  an hour of busy machines and their false alarms",
            "  sudo vhca lab drill --kind drain --mode balance-rr  drained under load, in another mode",
            "  sudo vhca lab drill --kind carrier --starve 4     on machines that have a quarter of the processor",
            "  sudo vhca lab drill --device soft --kind carrier  the embedded RNIC over the same links",
            "  sudo vhca lab drill --device mixed -k carrier     on each link rxe at one end, a soft RNIC at the other",
            "",
            "Exit code: 0 only if every byte arrived exactly once in every drill (kill and poweroff: the named error"
                    + " came in time)."
        })
final class LabDrillCommand implements Callable<Integer> {
    private static final long BYTES_PER_CUT = 2_000_000;
    private static final long SOAK_BYTES_PER_SECOND = 20_000;
    /** At least; where a machine is slow, it is more. */
    private static final int SECONDS_PER_FLAP = 3;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Mixin
    private TrafficOptions traffic = new TrafficOptions();

    @Option(
            names = {"-k", "--kind"},
            paramLabel = "KIND",
            split = ",",
            description = "only these kinds, in this order (default: all but calm and series, five of them in turn)")
    private List<LabFault> kinds = new ArrayList<>();

    @Option(
            names = {"-n", "--times"},
            paramLabel = "N",
            defaultValue = "3",
            description = "cuts of each kind (default: ${DEFAULT-VALUE})")
    private int times = 3;

    @Option(
            names = "--device",
            paramLabel = "rxe|soft|mixed",
            defaultValue = "rxe",
            converter = MemberKindsConverter.class,
            description = "members: the kernel's rxe devices, the embedded soft RNIC, or rxe0 and soft1 in machine 1"
                    + " with soft0 and rxe1 in machine 2 (default: ${DEFAULT-VALUE})")
    private MemberKinds device = MemberKinds.RXE;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            description = "send only the first N bytes of it (default: 2000000 for each cut)")
    private @Nullable Long bytes;

    @Option(names = "--window", defaultValue = "32", description = "messages in flight (default: ${DEFAULT-VALUE})")
    private int window = 32;

    @Option(
            names = "--recovery-timeout",
            paramLabel = "MS",
            defaultValue = "60000",
            description = "the bond's recovery_timeout, for kill and poweroff 15000 (default: ${DEFAULT-VALUE})")
    private long recoveryTimeout = 60_000;

    @Option(
            names = "--starve",
            paramLabel = "N",
            defaultValue = "1",
            description = "the machines, once connected, run for one part in N of the time: their emulators are stopped"
                    + " and go on again (SIGSTOP, SIGCONT), in periods of 50 to 150 ms of their own; 1 to "
                    + Starvation.MOST)
    private int starve = 1;

    @Option(
            names = "--for",
            paramLabel = "SECONDS",
            description = "a soak: flaps, or is calm, for so long instead of --times, at " + SOAK_BYTES_PER_SECOND
                    + " bytes a second, looks at the processes' memory, descriptors and queue pairs every half minute"
                    + " and prints them as a table")
    private @Nullable Integer soakSeconds;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            converter = OutputDirectory.class,
            description = "write DIR/KIND.html: timeline, table, verdict")
    private @Nullable Path report;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "write the results for machines")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        final PrintWriter out = spec.commandLine().getOut();
        final LabConfig base = options.config();
        final LabConfig config = new LabConfig(
                base.directory(),
                base.memoryMb(),
                base.accelerator(),
                base.withRxe() && device.needsRxe(),
                base.lifeSeconds());
        final boolean isTerminal = Terminal.isThere();
        final LabDrill.Options drill = new LabDrill.Options(
                faults(),
                soakSeconds != null ? Math.max(1, soakSeconds / SECONDS_PER_FLAP) : times,
                bytes(),
                traffic.seed(),
                device,
                recoveryTimeout,
                window,
                report,
                soakSeconds == null ? 0 : soakSeconds,
                traffic.side(),
                traffic.mode(),
                starve,
                fault -> GivenOptions.again(spec, "./vhca lab drill --kind " + fault.word(), traffic.seed(), "--kind"));
        final List<DrillTally> tallies;
        final LabDrill run = new LabDrill(drill, traffic.input(), out, isTerminal);
        try (Lab lab = Lab.findOrBoot(config, out)) {
            tallies = run.run(lab);
        }
        out.println();
        out.print(DrillTally.table(tallies));
        out.flush();
        if (json != null) {
            Files.writeString(json, DrillTally.json(tallies));
        }
        return run.isSound() && tallies.stream().allMatch(DrillTally::ok) ? 0 : 1;
    }

    private long bytes() {
        if (bytes != null) {
            return bytes;
        }
        return soakSeconds != null ? soakSeconds * SOAK_BYTES_PER_SECOND : times * BYTES_PER_CUT;
    }

    /** All or the chosen ones; a machine that lost power is no ground for another drill, so that is the last. */
    private List<LabFault> faults() {
        final List<LabFault> chosen = kinds.isEmpty()
                ? Arrays.stream(LabFault.values())
                        .filter(LabFault::isOneOfAll)
                        .filter(fault -> !fault.takesDeviceAway() || device == MemberKinds.RXE)
                        .toList()
                : kinds;
        return chosen.stream()
                .sorted(Comparator.comparing(fault -> fault == LabFault.POWEROFF))
                .toList();
    }

    private void check() {
        if (times < 1 || bytes != null && bytes < 1 || window < 1 || recoveryTimeout < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--times, --bytes, --window and --recovery-timeout must be 1 or more");
        }
        if (soakSeconds != null) {
            GivenOptions.refuse(spec, "--for", "--times");
        }
        if (starve < 1 || starve > Starvation.MOST) {
            throw new ParameterException(spec.commandLine(), "--starve is 1 to " + Starvation.MOST);
        }
        if (soakSeconds != null && (soakSeconds < 1 || kinds.size() != 1 || !kinds.getFirst().isSoak())) {
            throw new ParameterException(spec.commandLine(), "--for goes with --kind flap or calm, and is at least 1");
        }
        if (device != MemberKinds.RXE && kinds.stream().anyMatch(LabFault::takesDeviceAway)) {
            throw new ParameterException(spec.commandLine(), "the soft RNIC is no device that 'rdma link del' removes");
        }
    }
}
