package io.vhca.harness.cli;

import io.vhca.bond.BondProvider;
import io.vhca.examples.DevInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The tool {@code vhca}. Subcommands are registered in the one list below. */
@Command(
        name = "vhca",
        mixinStandardHelpOptions = true,
        versionProvider = PomVersion.class,
        description = "Virtual RDMA device bond0 over several RNICs: run it, break its links, measure it.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all is well",
            "1:the job ran and its verdict is bad",
            "2:wrong usage",
            "3:something is missing in the environment"
        },
        footer = {
            "",
            "Examples:",
            "  vhca drill                                a file crosses bond0 while links die",
            "  vhca sim --seeds 2000                     the same in virtual time, two thousand ways",
            "  vhca example hello --device soft0         the shortest program"
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            Vhca.VersionCommand.class,
            DrillCommand.class,
            SimCommand.class,
            BenchCommand.class,
            LabCommand.class,
            ExampleCommand.class,
            DevInfo.class,
            DoctorCommand.class,
            JournalCommand.class,
            StatusCommand.class,
            StatCommand.class,
            ErrorsCommand.class,
            MetricsCommand.class,
            BondCommand.class
        })
public final class Vhca {
    private static final String BOND_BY_DEFAULT = "bond0: mode=active-backup members=soft0,soft1";

    private Vhca() {}

    /** Runs the tool and ends the JVM with its exit code. */
    public static void main(String[] args) {
        bondByDefault();
        System.exit(commandLine().execute(args));
    }

    /** bond0 over soft0 and soft1 where nothing is configured, so that the examples run on it by name alone. */
    private static void bondByDefault() {
        if (System.getProperty(BondProvider.PROPERTY) == null
                && System.getenv(BondProvider.VARIABLE) == null
                && !Files.exists(Path.of(BondProvider.DEFAULT_FILE))) {
            System.setProperty(BondProvider.PROPERTY, BOND_BY_DEFAULT);
        }
    }

    /** The bond that this tool takes because none is configured; empty where one is. */
    static String assumedBond() {
        return BOND_BY_DEFAULT.equals(System.getProperty(BondProvider.PROPERTY)) ? BOND_BY_DEFAULT : "";
    }

    /** The whole tool, as {@link #main} runs it, without ending the JVM. */
    public static CommandLine commandLine() {
        return new CommandLine(new Vhca())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(new FailureHandler());
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
