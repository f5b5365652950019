package io.vhca.harness.cli;

import io.vhca.harness.exs.ExsSimJob;
import io.vhca.harness.explore.ExploreJob;
import io.vhca.harness.rdp.RdpSimJob;
import io.vhca.harness.sim.SimJob;
import io.vhca.harness.sim.SimOptions;
import io.vhca.tool.ToolCommand;
import io.vhca.tool.console.OutputFile;
import io.vhca.tool.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca sim}: the deterministic simulator. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        description = {
            "Simulates two hosts, their bonds, their devices and the network, and breaks what it can.",
            "",
            "All on virtual time, with everything drawn from a seed, and checks that every operation was"
                    + " executed exactly once; the library's own assertions are on.",
            "",
            "The same seed gives the same run. A bad seed is printed with its configuration and its history;"
                    + " the exit code is 1 then, else 0.",
            "",
            "With --exhaustive nothing is drawn: two recovery machines, and every order of failures, delays,"
                    + " losses, a close and a restart that small bounds allow, each state once. Minutes, and 3 GB of"
                    + " memory."
        })
public final class SimCommand implements Callable<Integer>, ToolCommand {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-n", "--seeds"},
            paramLabel = "N",
            defaultValue = "2000",
            description = "how many scenarios (default: ${DEFAULT-VALUE})")
    private long seeds = 2_000;

    @Option(
            names = {"-s", "--seed"},
            paramLabel = "S",
            defaultValue = "1",
            description = "the first seed; the others count up from it (default: ${DEFAULT-VALUE})")
    private long seed = 1;

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "T",
            description = "worker threads (default: one a processor)")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--max-bad",
            paramLabel = "N",
            defaultValue = "3",
            description = "stop after so many bad seeds (default: ${DEFAULT-VALUE})")
    private int maxBad = 3;

    @Option(
            names = "--longest",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "give a scenario up that takes longer than this of a processor's time, and print its seed as"
                    + " a bad one (default: ${DEFAULT-VALUE})")
    private long longest = 60;

    @Option(names = "--only-soft", description = "one soft RNIC a side, without the bond")
    private boolean onlySoft;

    @Option(names = "--rdp", description = "reliable datagram sockets of two or three hosts, instead of verbs")
    private boolean rdp;

    @Option(names = "--exs", description = "extended sockets over the bonds, instead of verbs")
    private boolean exs;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "write the whole history of the first bad seed there; a report shows its end")
    private @Nullable Path history;

    @Option(names = "--exhaustive", description = "every state of the handshake within small bounds, instead of seeds")
    private boolean exhaustive;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "with --exhaustive: at most so many steps from the first state (default: all)")
    private @Nullable Integer depth;

    @Override
    public String example() {
        return "vhca sim --seeds 2000                     the same in virtual time, two thousand ways";
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seeds < 1 || threads < 1 || maxBad < 1 || longest < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--seeds, --threads, --max-bad and --longest must be at least 1");
        }
        if (depth != null && (depth < 1 || !exhaustive)) {
            throw new ParameterException(spec.commandLine(), "--depth needs --exhaustive, and must be at least 1");
        }
        if (rdp) {
            GivenOptions.only(spec, "--rdp", "--seeds", "--seed", "--threads", "--max-bad");
        } else if (exs) {
            GivenOptions.only(spec, "--exs", "--seeds", "--seed", "--threads", "--max-bad", "--history");
        } else if (exhaustive) {
            GivenOptions.only(spec, "--exhaustive", "--depth", "--threads");
        }
        // Before the classes that say them are loaded: a scenario that breaks one may still end well.
        SimCommand.class.getClassLoader().setPackageAssertionStatus("io.vhca", true);
        final PrintWriter out = spec.commandLine().getOut();
        if (rdp) {
            return new RdpSimJob(seed, seeds, threads, maxBad, out).run();
        }
        if (exs) {
            return new ExsSimJob(seed, seeds, threads, maxBad, out, history).run();
        }
        final boolean isTerminal = Terminal.isThere();
        if (exhaustive) {
            return new ExploreJob(depth == null ? Integer.MAX_VALUE : depth, threads, out, isTerminal).run();
        }
        final SimOptions options = (onlySoft ? SimOptions.SOFT : SimOptions.FULL).withLongest(longest);
        return new SimJob(options, seed, seeds, threads, maxBad, out, isTerminal, history).run();
    }
}
