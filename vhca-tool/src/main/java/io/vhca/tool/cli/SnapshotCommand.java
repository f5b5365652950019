package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.api.UntrustedFileException;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportDiff;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca snapshot}: what bonds were when something failed. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what queue pairs and members were when a queue pair failed or a member went down.",
            "",
            "Snapshots stay when the application has cleaned up, closed its bond or ended; the last 32 of",
            "each bond are kept.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 done, 1 list could not read one of the files, 3 there is no such snapshot, or it cannot be",
            "read.",
            "",
            "Example: what failed last",
            "  vhca snapshot list bond0",
            "  vhca snapshot show last"
        })
public final class SnapshotCommand {
    private static final String LAST = "last";
    private static final String FILE = "its file, or its name in the list, or last";
    private static final String HEAD = "snapshot";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists snapshots, oldest first.")
    int list(
            @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only of this bond")
                    final String bond) {
        final TextTable table = new TextTable("name", "time", "object", "code", "why");
        int code = 0;
        for (final Path file : files(bond)) {
            try {
                final Report.Section head = ReportFiles.read(file).section(HEAD);
                table.row(name(file), head.get("time"), head.get("object"), head.get("code"), head.get("why"));
            } catch (final NoSuchFileException e) {
                // A newer one took its place since they were listed.
                continue;
            } catch (final IOException e) {
                spec.commandLine().getErr().println(spec.qualifiedName() + ": " + FailureText.of(e));
                code = FailureHandler.BAD;
            }
        }
        print(table.render());
        return code;
    }

    @Command(name = "show", mixinStandardHelpOptions = true, description = "Prints a snapshot; decode has other forms.")
    int show(@Parameters(paramLabel = "SNAPSHOT", description = FILE) final String snapshot) {
        print(DecodeCommand.text(DecodeCommand.read(file(snapshot))));
        return 0;
    }

    @Command(
            name = "diff",
            mixinStandardHelpOptions = true,
            description = "Prints where two snapshots differ: - is in the first only, + in the second.")
    int diff(
            @Parameters(paramLabel = "FIRST", description = FILE) final String first,
            @Parameters(paramLabel = "SECOND", description = FILE) final String second) {
        final List<String> lines =
                ReportDiff.lines(DecodeCommand.read(file(first)), DecodeCommand.read(file(second)));
        print(lines.isEmpty() ? "no difference\n" : String.join("\n", lines) + "\n");
        return 0;
    }

    private void print(final String text) {
        final PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }

    private static String name(final Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    private static List<Path> files(final String bond) {
        try {
            return ReportFiles.snapshots(bond);
        } catch (final UntrustedFileException e) {
            throw new EnvironmentException("no snapshot is shown: " + e.getMessage() + " by VHCA_STATUS_DIR", e);
        } catch (final IOException e) {
            throw new EnvironmentException("snapshots cannot be listed: " + FailureText.of(e), e);
        }
    }

    private static Path file(final String snapshot) {
        if (snapshot.contains("/")) {
            return Path.of(snapshot);
        }
        final List<Path> known = files("");
        return known.stream()
                .filter(file -> name(file).equals(snapshot)
                        || snapshot.equals(LAST) && file.equals(known.getLast()))
                .findFirst()
                .orElseThrow(() -> new EnvironmentException("there is no snapshot " + snapshot
                        + "; vhca snapshot list names those that there are"));
    }
}
