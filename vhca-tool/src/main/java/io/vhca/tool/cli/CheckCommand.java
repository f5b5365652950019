package io.vhca.tool.cli;

import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca check}: whether the native memory of a running bond is whole. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = {
            "Looks at the markers round the native memory of a running bond's queues.",
            "",
            "A queue pair whose markers are broken fails, for what its memory holds may be garbage; the others",
            "go on. Its snapshot says where the markers are.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 all are whole, 1 some are broken, 3 there is no such bond.",
            "",
            "Example: vhca check bond0"
        })
public final class CheckCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "BOND", description = "the bond's name: bond0")
    private String name = "";

    @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have it open")
    private long pid;

    @Override
    public Integer call() {
        final BondStatuses.Found bond =
                BondOrders.find(name, pid, new UnreadableFiles(spec.commandLine().getErr()));
        final String broken = BondOrders.tell(bond, "check", PATIENCE);
        if (!broken.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + broken);
            return FailureHandler.BAD;
        }
        spec.commandLine().getOut().println(name + ": all markers are whole");
        return 0;
    }
}
