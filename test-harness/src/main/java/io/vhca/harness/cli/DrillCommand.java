package io.vhca.harness.cli;

import io.vhca.bond.config.AuthKeyFile;
import io.vhca.harness.drill.DrillOptions;
import io.vhca.harness.drill.DrillOutcome;
import io.vhca.harness.drill.DrillResult;
import io.vhca.harness.drill.DrillRun;
import io.vhca.harness.drill.DrillView;
import io.vhca.harness.drill.SoakDrill;
import io.vhca.harness.drill.attack.AttackOptions;
import io.vhca.harness.drill.fabric.AttackLoopback;
import io.vhca.harness.drill.fabric.AttackNetns;
import io.vhca.harness.drill.fabric.HostsFabric;
import io.vhca.harness.drill.fabric.Starvation;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.protocol.InputHead;
import io.vhca.harness.drill.protocol.SideTraffic;
import io.vhca.harness.drill.versions.VersionsRun;
import io.vhca.tool.ToolCommand;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.OutputDirectory;
import io.vhca.tool.console.OutputFile;
import io.vhca.tool.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca drill}: a real file crosses bond0 between two processes while links die. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description = {
            "Sends a real file over bond0 from one process to another while links die under it.",
            "",
            "Each process bonds two soft RNICs. The file goes as SENDs of mixed sizes; the receiver checks that none is"
                    + " lost, doubled or out of order, and answers with its SHA-256. The link in use is cut at random"
                    + " moments and healed later.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  vhca drill                                  ten cuts, soft ports unplugged",
            "  sudo vhca drill --fabric netns              the same, real interfaces going down",
            "  vhca drill --with bank,srq                  with atomics and a shared receive queue beside the file",
            "  vhca drill --mode balance-tlb               in another mode, on both sides",
            "  vhca drill --scenario drain                 members drained under load; --scenarios lists more",
            "  vhca drill --modes --report out             what two links carry in each mode, as pictures",
            "  vhca drill --attack --report out            somebody attacks both ends meanwhile; see docs/SECURITY.md",
            "  vhca drill --for 3600                       for an hour, all kinds of cuts, starved now and then",
            "  vhca drill --versions                       processes of two versions, upgraded one by one",
            "  vhca drill --kill                           kill -9 of the receiver instead",
            "  vhca drill --report out --seed 7            with a page to look at, repeatable",
            "  vhca drill --hosts a,b --members mlx5_0,mlx5_1 --receiver-addresses 10.1.0.2,10.2.0.2",
            "                                              on two hosts with RDMA devices",
            "",
            "Exit code: 0 only if every byte arrived exactly once (--kill: the named error came in time; --modes:"
                    + " everything could be measured; --attack: nothing got through that must not; --for: and nothing"
                    + " has grown)."
        })
public final class DrillCommand implements Callable<Integer>, ToolCommand {
    private static final long MEGABYTE = 1_000_000;
    /** A soft port's rate has an end. */
    private static final long MOST_LINK_MBS = 10_000;

    private static final int SHORT_BYTES = 12_000_000;
    private static final int MOST_PAYLOAD_BYTES = 1 << 16;
    private static final long RECOVERY_TIMEOUT_MS = 30_000;
    private static final long KILL_TIMEOUT_MS = 5_000;
    private static final int SOAK_STARVE = 10;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private TrafficOptions traffic = new TrafficOptions();

    @Option(names = "--cuts", paramLabel = "N", description = "how many links die, one after the other (default: 10)")
    private @Nullable Integer cuts;

    @Option(
            names = "--fabric",
            paramLabel = "loopback|netns",
            defaultValue = "loopback",
            description = "loopback: unplug soft ports; netns: as root, take interfaces between two network"
                    + " namespaces down (default: ${DEFAULT-VALUE}). Chosen otherwise: hosts: by --hosts, links of two"
                    + " hosts with RDMA devices; lab: by 'vhca lab drill', links of two emulated machines")
    private DrillOptions.FabricKind fabric = DrillOptions.FabricKind.LOOPBACK;

    @Option(
            names = "--rate",
            paramLabel = "MB/s",
            defaultValue = "25",
            description = "pace of the transfer, 0 for as fast as it goes (default: ${DEFAULT-VALUE})")
    private long rate;

    @Option(names = "--window", defaultValue = "64", description = "messages in flight (default: ${DEFAULT-VALUE})")
    private int window;

    @Option(
            names = "--starve",
            paramLabel = "N",
            defaultValue = "1",
            description = "both processes, once connected, run for one part in N of the time: they are stopped and go"
                    + " on again (SIGSTOP, SIGCONT), in periods of 50 to 150 ms of their own; 1 to 50")
    private int starve;

    @Option(
            names = "--hosts",
            paramLabel = "SENDER,RECEIVER",
            split = ",",
            description = "run on two hosts with RDMA devices, reached by ssh; see docs/REAL-DEVICES.md")
    private List<String> hosts = List.of();

    @Option(
            names = "--members",
            paramLabel = "DEVICE,DEVICE",
            split = ",",
            description = "with --hosts: the devices to bond, by the same names on both")
    private List<String> members = List.of();

    @Option(
            names = "--receiver-addresses",
            paramLabel = "IP,IP",
            split = ",",
            description = "with --hosts: the receiver's addresses on those devices")
    private List<String> receiverAddresses = List.of();

    @Option(
            names = "--cut",
            paramLabel = "COMMAND",
            description = "with --hosts: takes the link of {device} down (default: ip link set ... down)")
    private String cut = HostsFabric.Hosts.CUT;

    @Option(names = "--heal", paramLabel = "COMMAND", description = "with --hosts: undoes --cut")
    private String heal = HostsFabric.Hosts.HEAL;

    @Option(
            names = "--shell",
            paramLabel = "COMMAND",
            description = "with --hosts: the remote shell (default: ssh -o BatchMode=yes)")
    private String shell = "ssh -o BatchMode=yes";

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            defaultValue = "cut",
            converter = ScenarioConverter.class,
            description = "what befalls the link in use, on loopback; --scenarios lists them (default: cut)")
    private DrillScenario scenario = DrillScenario.CUT;

    @Option(names = "--scenarios", description = "list the scenarios, and do nothing")
    private boolean listsScenarios;

    @Option(
            names = "--modes",
            description = "instead of a file: two soft links whose rate is the limit, in every mode, before one is cut,"
                    + " while it is, and after it healed; takes a minute, and no other option but --report, --json and"
                    + " --short")
    private boolean showsModes;

    @Option(
            names = "--attack",
            description = "instead of cutting links: somebody attacks both ends, one attack after the other, as a"
                    + " stranger, with the peer's address, and after listening; --rate is then what each port sends at"
                    + " most, and a flood gets 0.4 of it; --rate 0: no limits, throughput is not judged")
    private boolean attacks;

    @Option(
            names = "--versions",
            description = "instead of a file: a rolling upgrade; four processes that all send to each other are"
                    + " restarted one by one, from version 1 of the records between bonds to the newest, while links"
                    + " are cut; half a minute, and no other option but --seed")
    private boolean upgrades;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "with --attack: the attacks whose name has that in it (default: all)")
    private String only = "";

    @Option(
            names = "--key",
            description = "with --attack: the bonds have a key (auth_key_file); records that somebody on the path"
                    + " forges or repeats must not count then either")
    private boolean hasKey;

    @Option(
            names = "--for",
            paramLabel = "SECONDS",
            description = "a soak on loopback: so long, all kinds of cuts in turn (cut, drain, flap, remove, gid), both"
                    + " processes starved every other minute, down to one part in --starve (then 10), with bank, srq"
                    + " and ud beside the file unless --with says otherwise; memory, descriptors and threads of both"
                    + " are looked at, and must not have grown when it lasts 25 minutes or more")
    private @Nullable Integer soakSeconds;

    @Option(names = "--kill", description = "kill -9 the receiving process half-way instead of cutting links")
    private boolean kill;

    @Option(
            names = "--recovery-timeout",
            paramLabel = "MS",
            description = "the bond's recovery_timeout (default: 30000, with --kill 5000)")
    private @Nullable Long recoveryTimeout;

    @Option(names = "--short", description = "a short form for tests: the first 12 MB of the input, 3 cuts")
    private boolean isShort;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            converter = OutputDirectory.class,
            description = "write DIR/index.html: timeline, table, verdict")
    private @Nullable Path report;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "write the result for machines")
    private @Nullable Path json;

    @Override
    public String example() {
        return "vhca drill                                a file crosses bond0 while links die";
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        if (listsScenarios) {
            for (final DrillScenario one : DrillScenario.values()) {
                out.printf(Locale.ROOT, "%-8s  %s%n", one.word(), one.description());
            }
            return 0;
        }
        checkCombination();
        if (showsModes) {
            return ModesReport.run(out, isShort, report, json);
        }
        if (upgrades) {
            try (VersionsRun run = new VersionsRun(out, traffic.seed())) {
                return run.run() ? 0 : 1;
            }
        }
        final Path input = traffic.input();
        if (attacks) {
            return attack(out, input);
        }
        requireRoot();
        if (soakSeconds != null) {
            return soak(out, input, soakSeconds);
        }
        final Path file = isShort ? InputHead.copy(input, SHORT_BYTES) : input;
        try {
            final DrillOptions options = options(file);
            final boolean isTerminal = Terminal.isThere();
            out.printf(
                    Locale.ROOT, "drill: %s over bond0, %s, seed %d%n",
                    input, kill ? "receiver to be killed" : options.cuts() + " cuts", options.seed());
            final DrillView view = new DrillView(out, isTerminal);
            final DrillResult result = (hosts.isEmpty()
                            ? new DrillRun(options, view)
                            : new DrillRun(options, onHosts(), view))
                    .run();
            final DrillOutcome outcome = outcome(result, input);
            outcome.show(out);
            write(outcome, out);
            return result.ok() ? 0 : 1;
        } finally {
            if (isShort) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void checkCombination() {
        if (showsModes) {
            GivenOptions.only(spec, "--modes", "--report", "--json", "--short");
        } else if (upgrades) {
            GivenOptions.only(spec, "--versions", "--seed");
        } else if (attacks) {
            GivenOptions.only(
                    spec, "--attack", "--fabric", "--rate", "--seed", "--input", "--only", "--key", "--short",
                    "--report", "--json");
        } else if (soakSeconds != null) {
            GivenOptions.only(
                    spec, "--for", "--mode", "--with", "--starve", "--seed", "--input", "--window",
                    "--recovery-timeout", "--report", "--json");
        } else {
            GivenOptions.need(spec, "--attack", "--only", "--key");
            if (hosts.isEmpty()) {
                GivenOptions.need(spec, "--hosts", "--members", "--receiver-addresses", "--cut", "--heal", "--shell");
            } else {
                GivenOptions.refuse(spec, "--hosts", "--fabric");
            }
        }
    }

    private int soak(final PrintWriter out, final Path input, final int seconds)
            throws IOException, InterruptedException {
        if (seconds < 1) {
            throw new ParameterException(spec.commandLine(), "--for is 1 or more");
        }
        checkNumbers();
        final DrillOptions options = new DrillOptions(
                input,
                Math.max(1, seconds / SoakDrill.SECONDS_PER_CUT),
                traffic.seed(),
                DrillOptions.FabricKind.LOOPBACK,
                Math.max(1, Files.size(input) / seconds),
                false,
                recoveryTimeout != null ? recoveryTimeout : RECOVERY_TIMEOUT_MS,
                window,
                MOST_PAYLOAD_BYTES,
                traffic.side().isEmpty() ? SideTraffic.UNASKED : traffic.side(),
                traffic.mode(),
                DrillScenario.CUT,
                starve > 1 ? starve : SOAK_STARVE,
                seconds);
        out.printf(Locale.ROOT, "soak: %s over bond0 for %d s, seed %d%n", input, seconds, options.seed());
        final SoakDrill soak = new SoakDrill(options, new DrillView(out, Terminal.isThere()), out);
        final DrillResult result = soak.run();
        final DrillOutcome outcome = outcome(result, input);
        outcome.show(out);
        write(outcome, out);
        return result.ok() ? 0 : 1;
    }

    private void requireFabric(final String others) {
        if (fabric != DrillOptions.FabricKind.LOOPBACK && fabric != DrillOptions.FabricKind.NETNS) {
            throw new ParameterException(spec.commandLine(), "--fabric is loopback or netns; " + others);
        }
    }

    private void requireRoot() {
        if (fabric == DrillOptions.FabricKind.NETNS && !"root".equals(System.getProperty("user.name"))) {
            throw new EnvironmentException("--fabric netns makes network namespaces and needs root; run it with sudo,"
                    + " or use --fabric loopback");
        }
    }

    private int attack(final PrintWriter out, final Path input) throws IOException, InterruptedException {
        requireFabric("others are not attacked");
        requireRoot();
        if (rate < 0 || rate > MOST_LINK_MBS) {
            throw new ParameterException(spec.commandLine(), "with --attack, --rate is 0 to " + MOST_LINK_MBS);
        }
        final Path directory = Files.createTempDirectory("vhca-drill");
        final Path key = directory.resolve("key");
        try {
            AuthKeyFile.create(key, new SecureRandom());
            final AttackOptions options = new AttackOptions(
                    input, traffic.seed(), isShort, only, (int) rate, hasKey ? "auth_key_file=" + key : "", hasKey);
            requireAttacks(options);
            return AttackReport.run(
                    out,
                    options,
                    again(),
                    fabric == DrillOptions.FabricKind.NETNS ? new AttackNetns() : new AttackLoopback(),
                    report,
                    json);
        } finally {
            Files.deleteIfExists(key);
            Files.delete(directory);
        }
    }

    /** A drill without an attack would pass. */
    private void requireAttacks(final AttackOptions options) {
        try {
            if (options.kinds().isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "--only '" + only + "' is in the name of no attack"
                                + (isShort ? " of the short form" : ""));
            }
        } catch (final PatternSyntaxException e) {
            throw new ParameterException(
                    spec.commandLine(), "--only '" + only + "' is no regular expression: " + e.getDescription(), e);
        }
    }

    private void write(final DrillOutcome outcome, final PrintWriter out) throws IOException {
        if (json != null) {
            Files.writeString(json, outcome.json());
        }
        if (report != null) {
            Files.createDirectories(report);
            Files.writeString(report.resolve("index.html"), outcome.html());
            out.println("report: " + report.resolve("index.html").toAbsolutePath());
        }
    }

    private DrillOutcome outcome(final DrillResult result, final Path input) {
        return new DrillOutcome(result, input.toString(), again());
    }

    private String again() {
        return GivenOptions.again(spec, "./vhca drill", traffic.seed());
    }

    private HostsFabric onHosts() {
        if (hosts.size() != 2 || members.size() < 2 || receiverAddresses.size() != members.size() || isShort) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--hosts wants two hosts, two or more --members, as many --receiver-addresses, and no --short");
        }
        return new HostsFabric(new HostsFabric.Hosts(
                hosts.getFirst(), hosts.getLast(), members, receiverAddresses, List.of(shell.split(" +")), cut, heal));
    }

    private void checkNumbers() {
        if (cuts != null && cuts < 0 || window < 1 || rate < 0 || recoveryTimeout != null && recoveryTimeout < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--cuts and --rate must be 0 or more, --window and --recovery-timeout 1 or more");
        }
        if (starve < 1 || starve > Starvation.MOST) {
            throw new ParameterException(spec.commandLine(), "--starve is 1 to " + Starvation.MOST);
        }
    }

    private DrillOptions options(final Path file) {
        requireFabric("for others, 'vhca lab drill' and --hosts");
        checkNumbers();
        if (scenario != DrillScenario.CUT
                && (kill || !hosts.isEmpty() || fabric != DrillOptions.FabricKind.LOOPBACK)) {
            throw new ParameterException(
                    spec.commandLine(), "--scenario goes with --fabric loopback, and without --kill and --hosts");
        }
        if (starve > 1 && !hosts.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--starve goes without --hosts");
        }
        if (kill && !traffic.side().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--kill ends everything: it goes without --with");
        }
        return new DrillOptions(
                file,
                kill ? 0 : cuts != null ? cuts : isShort ? 3 : 10,
                traffic.seed(),
                hosts.isEmpty() ? fabric : DrillOptions.FabricKind.HOSTS,
                rate * MEGABYTE,
                kill,
                recoveryTimeout != null ? recoveryTimeout : kill ? KILL_TIMEOUT_MS : RECOVERY_TIMEOUT_MS,
                window,
                MOST_PAYLOAD_BYTES,
                traffic.side(),
                traffic.mode(),
                scenario,
                starve,
                0);
    }
}
