package io.vhca.harness.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The tool {@code vhca}. Subcommands are registered in the one list below. */
@Command(
        name = "vhca",
        mixinStandardHelpOptions = true,
        version = "vhca 0.1.0-SNAPSHOT",
        description = "Virtual RDMA device bond0 over several RNICs: run it, break its links, measure it.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all is well",
            "1:the job ran and its verdict is bad",
            "2:wrong usage",
            "3:something is missing in the environment"
        },
        footer = {"", "Examples:", "  vhca sim --seeds 2000", "  vhca example hello --device soft0"},
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {Vhca.VersionCommand.class, DrillCommand.class, BenchCommand.class, SimCommand.class, ExampleCommand.class})
public final class Vhca {
    private Vhca() {}

    /** Runs the tool and ends the JVM with its exit code. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Vhca()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** {@code vhca version}. */
    @Command(name = "version", mixinStandardHelpOptions = true, description = "Prints the versions of vHCA and Java.")
    static final class VersionCommand implements Callable<Integer> {
        @CommandLine.Spec
        @SuppressWarnings("NullAway.Init")
        private CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() {
            spec.parent().commandLine().printVersionHelp(spec.commandLine().getOut());
            spec.commandLine().getOut().println("Java " + Runtime.version());
            return 0;
        }
    }
}
