package io.vhca.tool.cli;

import io.vhca.ras.journal.JournalPrinter;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca journal}: prints what a bond wrote down about its recoveries. */
@Command(
        name = "journal",
        mixinStandardHelpOptions = true,
        description = {
            "Prints the journal of a bond, one line an event, oldest first.",
            "",
            "A bond writes one where its configuration says journal=DIRECTORY; it can be read while the bond runs, and"
                    + " after a crash.",
            ""
        },
        footer = {"", "Exit code: 0 when all of it could be read, 1 when not, 3 when there is none."})
public final class JournalCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "DIRECTORY", description = "the journal, as named in the bond's configuration")
    private Path journal = Path.of(".");

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        if (!Files.exists(journal)) {
            throw new EnvironmentException("there is no " + journal + "; name a journal's directory");
        }
        try {
            return JournalPrinter.print(journal, out, spec.commandLine().getErr()).isWhole() ? 0 : FailureHandler.BAD;
        } catch (final IllegalArgumentException e) {
            throw new EnvironmentException(String.valueOf(e.getMessage()), e);
        }
    }
}
