package io.vhca.tool;

import io.vhca.api.JvmFlag;
import io.vhca.api.VerbsException;
import io.vhca.examples.DevInfo;
import io.vhca.tool.cli.AssumedBond;
import io.vhca.tool.cli.BondCommand;
import io.vhca.tool.cli.CheckCommand;
import io.vhca.tool.cli.CompletionCommand;
import io.vhca.tool.cli.DecodeCommand;
import io.vhca.tool.cli.DoctorCommand;
import io.vhca.tool.cli.DumpCommand;
import io.vhca.tool.cli.ErrorsCommand;
import io.vhca.tool.cli.ExampleCommand;
import io.vhca.tool.cli.GuardCommand;
import io.vhca.tool.cli.HealthCommand;
import io.vhca.tool.cli.JournalCommand;
import io.vhca.tool.cli.ManualCommand;
import io.vhca.tool.cli.MemoryCommand;
import io.vhca.tool.cli.MetricsCommand;
import io.vhca.tool.cli.RdpCommand;
import io.vhca.tool.cli.SnapshotCommand;
import io.vhca.tool.cli.StatCommand;
import io.vhca.tool.cli.StatusCommand;
import io.vhca.tool.cli.ThreadsCommand;
import io.vhca.tool.cli.TraceCommand;
import io.vhca.tool.cli.UsersCommand;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.exs.ExsCommand;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The tool {@code vhca}. Its own commands stand in the one list below; other jars on the class path add theirs
 * ({@link ToolCommand}).
 */
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
            "3:something is missing in the environment, or not all could be printed"
        },
        synopsisSubcommandLabel = "COMMAND")
public final class Vhca {
    private static final List<Class<?>> COMMANDS = List.of(
            ExampleCommand.class,
            ExsCommand.class,
            DevInfo.class,
            DoctorCommand.class,
            JournalCommand.class,
            StatusCommand.class,
            StatCommand.class,
            ErrorsCommand.class,
            TraceCommand.class,
            SnapshotCommand.class,
            DecodeCommand.class,
            DumpCommand.class,
            UsersCommand.class,
            GuardCommand.class,
            HealthCommand.class,
            MemoryCommand.class,
            CheckCommand.class,
            ThreadsCommand.class,
            MetricsCommand.class,
            BondCommand.class,
            RdpCommand.class,
            CompletionCommand.class,
            ManualCommand.class);

    private static final Set<Class<?>> TELL_OF_ALL = Set.of(CompletionCommand.class, ManualCommand.class);

    private static final String OWN_EXAMPLE = "vhca example hello --device soft0         the shortest program";

    private Vhca() {}

    /**
     * Runs the tool and ends the JVM with its exit code; with 3 where all was well but what was printed could not be
     * written. That holds for a reader that has gone as well, as in {@code vhca trace follow | head}: SIGPIPE does not
     * end a JVM, and programs that ignore it say so and fail.
     */
    public static void main(String[] args) {
        try {
            JvmFlag.check();
        } catch (final VerbsException e) {
            System.err.println("vhca: " + e.getMessage());
            System.exit(FailureHandler.MISSING);
        }
        AssumedBond.configure();
        // Of the stream itself: a writer around another one never hears that the stream failed.
        final PrintWriter out = new PrintWriter(System.out, true);
        System.exit(printed(execute(commandLineFor(args).setOut(out), args)));
    }

    /** What is thrown past picocli is a defect, but for what the host has no room for. */
    private static int execute(final CommandLine commandLine, final String... args) {
        try {
            return commandLine.execute(args);
        } catch (final OutOfMemoryError e) {
            if (!FailureHandler.isNoThread(e)) {
                throw e;
            }
            System.err.println("vhca: " + FailureHandler.NO_THREAD);
            return FailureHandler.MISSING;
        }
    }

    private static int printed(final int code) {
        if (!System.out.checkError()) {
            return code;
        }
        System.err.println("vhca: not all was printed: standard output is full, or its reader has gone");
        return code == 0 ? FailureHandler.MISSING : code;
    }

    /** The whole tool: each command that is on the class path. */
    public static CommandLine commandLine() {
        return commandLine(command -> true);
    }

    /**
     * The tool as {@link #main} runs it, without ending the JVM: with the one command that the first of its arguments
     * names, for to build them all takes longer than most of them run. The whole tool where none is named, or one that
     * tells of all.
     */
    public static CommandLine commandLineFor(final String... args) {
        final String name = args.length == 0 ? "" : args[0];
        final CommandLine one = commandLine(command -> nameOf(command).equals(name) && !TELL_OF_ALL.contains(command));
        return one.getSubcommands().isEmpty() ? commandLine() : one;
    }

    private static String nameOf(final Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    private static CommandLine commandLine(final Predicate<Class<?>> isWanted) {
        final CommandLine tool = new CommandLine(new Vhca());
        final List<String> footer = new ArrayList<>(List.of("", "Examples:"));
        if (isWanted.test(VersionCommand.class)) {
            tool.addSubcommand(VersionCommand.class);
        }
        ServiceLoader.load(ToolCommand.class).stream()
                .filter(provider -> isWanted.test(provider.type()))
                .map(ServiceLoader.Provider::get)
                .forEach(added -> {
                    tool.addSubcommand(added);
                    if (!added.example().isEmpty()) {
                        footer.add("  " + added.example());
                    }
                });
        COMMANDS.stream().filter(isWanted).forEach(tool::addSubcommand);
        footer.add("  " + OWN_EXAMPLE);
        tool.getCommandSpec().usageMessage().footer(footer.toArray(String[]::new));
        return tool.setCaseInsensitiveEnumValuesAllowed(true).setExecutionExceptionHandler(new FailureHandler());
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
