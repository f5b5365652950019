package io.vhca.harness.cli;

import io.vhca.harness.bench.BenchJob;
import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.drill.ScalePlan;
import io.vhca.harness.drill.fabric.Starvation;
import io.vhca.tool.ToolCommand;
import io.vhca.tool.console.OutputDirectory;
import io.vhca.tool.console.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca bench}: what the bond and the soft RNIC cost. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Measures what the bond costs over the same device without it, and the soft RNIC against plain UDP.",
            "",
            "(a) postSend + pollCq through bond0 and without it, on a device that completes at once: one by one, in"
                    + " chains of 8 and polls of 16, and from two threads with the same queues (JMH, with its"
                    + " allocation profiler; rounds are interleaved).",
            "(b) throughput and round trip of soft0 against plain UDP datagrams, between two processes.",
            "(c) throughput of bond0 over soft RNICs against soft0. Rounds of (b) and (c) are interleaved; ratios are"
                    + " the median of the rounds' own.",
            "(d) what ledger, confirm and atomics cost on bonds over soft RNICs, between two processes.",
            "(e) how long the failover of 1 to 10,000 queue pairs takes, 16 WRITEs in flight on each, between two"
                    + " processes.",
            "(f) what a key (auth_key_file) costs a first connect and a failover, on soft RNICs in one thread.",
            "(g) throughput and round trip of an extended socket (vhca exs) against WRITEs and SENDs of the same bond.",
            "(h) throughput and round trip of reliable datagrams (vhca rdp) against SENDs of the same bond, and of a"
                    + " driver that processes share against one inside the process.",
            "(i) what it costs a bond with 1,000 queue pairs that its devices are asked for their state each second,"
                    + " and that a dump of it is written, between two processes.",
            ""
        },
        footer = {"", "A benchmark reports, it does not judge: the exit code is 0 when everything could be measured."})
public final class BenchCommand implements Callable<Integer>, ToolCommand {
    private static final int MOST_QUEUE_PAIRS = 10_000;
    private static final int MOST_CUTS = 10_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--quick", description = "short and few rounds: to see that it works, not to quote")
    private boolean isQuick;

    @Option(names = "--verbose", description = "show JMH's own output")
    private boolean isVerbose;

    @Option(names = "--only", paramLabel = "a|bc|d|e|f|g|h|i", defaultValue = "", description = "measure only these")
    private String only = "";

    @Option(
            names = "--queue-pairs",
            paramLabel = "N",
            split = ",",
            description = "of (e): numbers of queue pairs (default: 1,10,100,1000,10000)")
    private List<Integer> sizes = ScalePlan.SIZES;

    @Option(
            names = "--cuts",
            paramLabel = "N",
            defaultValue = "0",
            description = "of (e): how often the port goes for each number of queue pairs, 1 to 10000; of 500 and more"
                    + " each fifth is shown, for a run becomes quicker while its code is compiled (default: 201 for"
                    + " one queue pair, 31, and 5 for 10000)")
    private int cuts;

    @Option(
            names = "--starve",
            paramLabel = "N",
            defaultValue = "1",
            description = "of (e): both processes, once connected, run for one part in N of the time: they are stopped"
                    + " and go on again (SIGSTOP, SIGCONT), in periods of 50 to 150 ms of their own; 1 to 50")
    private int starve;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "write the table for machines")
    private @Nullable Path json;

    @Option(
            names = "--profile",
            paramLabel = "DIR",
            converter = OutputDirectory.class,
            description = "draw where each part spends its time: DIR/a.html, bc.html and so on are flame graphs of all"
                    + " its processes, from the samples of the JVM's flight recorder, whose recordings are kept beside"
                    + " them; a JVM that is recorded is somewhat slower")
    private @Nullable Path profile;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!only.matches("[a-i]*")) {
            throw new ParameterException(
                    spec.commandLine(), "--only is one or more of a, b, c, d, e, f, g, h and i, not " + only);
        }
        if (starve < 1 || starve > Starvation.MOST) {
            throw new ParameterException(
                    spec.commandLine(), "--starve is 1 to " + Starvation.MOST + ", not " + starve);
        }
        if (sizes.stream().anyMatch(size -> size < 1 || size > MOST_QUEUE_PAIRS)) {
            throw new ParameterException(
                    spec.commandLine(), "--queue-pairs are 1 to " + MOST_QUEUE_PAIRS + " each, not " + sizes);
        }
        if (cuts < 0 || cuts > MOST_CUTS) {
            throw new ParameterException(spec.commandLine(), "--cuts is 1 to " + MOST_CUTS + ", not " + cuts);
        }
        final ScalePlan scale = new ScalePlan(sizes, starve, cuts);
        if (!only.isEmpty() && !only.contains("e") && scale.isSpecial()) {
            throw new ParameterException(
                    spec.commandLine(), "--starve, --cuts and --queue-pairs are of (e); add it to --only " + only);
        }
        final PrintWriter out = spec.commandLine().getOut();
        final List<BenchRow> rows = new BenchJob(isQuick, isVerbose, only, scale, profile).run(out);
        out.println();
        out.print(BenchJob.table(rows));
        out.printf(
                Locale.ROOT, "%s, Java %s, %d processors%s%n",
                System.getProperty("os.name"),
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                (starve > 1 ? "; the processes of (e) ran for one part in " + starve + " of the time" : "")
                        + (isQuick ? "; quick figures, not to quote" : ""));
        out.flush();
        if (json != null) {
            Files.writeString(json, BenchJob.json(rows));
        }
        return 0;
    }
}
