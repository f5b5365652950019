package io.vhca.harness.cli;

import io.vhca.harness.bench.BenchJob;
import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabBench;
import io.vhca.harness.lab.LabConnectBench;
import io.vhca.harness.lab.LabContractBench;
import io.vhca.harness.lab.LabDatagramBench;
import io.vhca.harness.lab.LabSocketBench;
import io.vhca.tool.console.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vhca lab bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Compares perftest's C programs on rxe0, our Java programs on rxe0, and the same on bond0, in the same two"
                    + " machines, one after another.",
            "",
            "Then what ledger, confirm and atomics cost on bonds over rxe0 and rxe1; extended sockets on bond0 against"
                    + " rsockets on rxe0 and the kernel's TCP, by rdmacm-utils' rstream; and reliable datagram sockets"
                    + " on bond0 against the kernel's RDS on rxe0 and its UDP; and queue pairs connected at once"
                    + " against rdmacm-utils' cmtime.",
            "",
            "Latency is half a round trip (of READ a whole one). The machines are emulated: quote the ratios, not the"
                    + " microseconds.",
            ""
        },
        footer = {"", "A benchmark reports, it does not judge: the exit code is 0 when everything could be measured."})
final class LabBenchCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Option(names = "--quick", description = "short and few rounds: to see that it works, not to quote")
    private boolean isQuick;

    @Option(
            names = "--only",
            paramLabel = "ratios|options|sockets|datagrams|connect",
            description = "measure only these: ratios to perftest and rxe0, what the options cost, extended sockets"
                    + " against rsockets and TCP, reliable datagrams against RDS and UDP, or many connects at once"
                    + " against cmtime")
    private @Nullable Part only;

    /** What can be left out. */
    enum Part {
        RATIOS,
        OPTIONS,
        SOCKETS,
        DATAGRAMS,
        CONNECT
    }

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "write the table for machines")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final List<BenchRow> rows = new ArrayList<>();
        try (Lab lab = Lab.findOrBoot(options.config(), out)) {
            for (final Part part : only == null ? Part.values() : new Part[] {only}) {
                rows.addAll(measure(part, lab, out));
            }
        }
        out.println();
        out.print(BenchJob.table(rows));
        out.flush();
        if (json != null) {
            Files.writeString(json, BenchJob.json(rows));
        }
        return 0;
    }

    private List<BenchRow> measure(final Part part, final Lab lab, final PrintWriter out)
            throws IOException, InterruptedException {
        return switch (part) {
            case RATIOS -> new LabBench(lab, isQuick, out).run();
            case OPTIONS -> new LabContractBench(lab, isQuick, out).run();
            case SOCKETS -> new LabSocketBench(lab, isQuick, out).run();
            case DATAGRAMS -> new LabDatagramBench(lab, isQuick, out).run();
            case CONNECT -> new LabConnectBench(lab, isQuick, out).run();
        };
    }
}
