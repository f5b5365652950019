package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.console.TextTable;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.ReportTurn;
import io.vhca.tool.status.UnreadableFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca memory}: what uses memory in a running application. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what of a running application's bonds uses memory, largest first.",
            "",
            "Native memory that the bond has allocated, memory that was registered, and every object, by",
            "kind and owner: the application, the bond itself, or the member whose device has it. With the",
            "option memory_trace = site also by the line that made it. The last columns are what came and",
            "went since the mark.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 shown, 1 the bond could not tell, 3 there is no such bond or process, or another",
            "vhca memory of the bond is under way.",
            "",
            "Example: what grows",
            "  vhca bond set bond0 memory_trace=site",
            "  vhca memory bond0 --mark",
            "  vhca memory bond0 --grown"
        })
public final class MemoryCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BY_DEFAULT = 32;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "PID|BOND", description = "a process, or a bond's name: bond0")
    private String which = "";

    @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have it open")
    private long pid;

    @Option(names = {"-m", "--mark"}, description = "from now on tell what grows; shows what there is, too")
    private boolean isMarking;

    @Option(names = {"-g", "--grown"}, description = "only what has grown or shrunk since the mark")
    private boolean isOfGrowth;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "32",
            description = "at most so many lines (default: ${DEFAULT-VALUE})")
    private int maxLines = BY_DEFAULT;

    @Override
    public Integer call() {
        if (maxLines < 0) {
            throw new ParameterException(spec.commandLine(), "--lines must be 0 or more");
        }
        String between = "";
        for (final BondStatuses.Found bond : bonds()) {
            final String before = between;
            if (ReportTurn.MEMORY.run(bond, () -> show(bond, before)) != 0) {
                return FailureHandler.BAD;
            }
            between = "\n";
        }
        return 0;
    }

    private int show(final BondStatuses.Found bond, final String before) {
        final String refusal = BondOrders.tell(bond, isMarking ? "memory mark" : "memory", PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        final PrintWriter out = spec.commandLine().getOut();
        out.print(before);
        out.print(text(read(bond)));
        out.flush();
        return 0;
    }

    /** The bond of that name, or all of a process. */
    private List<BondStatuses.Found> bonds() {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        if (!which.chars().allMatch(Character::isDigit)) {
            return List.of(BondOrders.find(which, pid, unreadable));
        }
        if (pid != 0) {
            throw new ParameterException(spec.commandLine(), "--pid goes with a bond's name, not with a process");
        }
        final List<BondStatuses.Found> found = BondStatuses.find("", unreadable).stream()
                .filter(bond -> String.valueOf(bond.status().pid()).equals(which) && bond.isAlive())
                .toList();
        if (found.isEmpty()) {
            throw new EnvironmentException("process " + which + " has no bond open, or does not run");
        }
        return found;
    }

    private static Report read(final BondStatuses.Found bond) {
        final Path written =
                bond.file().resolveSibling(MemoryReport.name(bond.status().name(), bond.status().pid()));
        try {
            final Report report = ReportFiles.read(written);
            Files.deleteIfExists(written);
            return report;
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
    }

    private String text(final Report report) {
        final Report.Section totals = report.section(MemoryReport.TOTALS);
        final StringBuilder text = new StringBuilder();
        text.append(totals.get("bond")).append(", process ").append(totals.get("process")).append(": ")
                .append(totals.get("native bytes")).append(" bytes native, ")
                .append(totals.get("registered bytes")).append(" registered; in all the process has ")
                .append(totals.get("process VmRSS")).append(" in memory, ")
                .append(totals.get("process VmPin")).append(" pinned and ")
                .append(totals.get("process VmLck")).append(" locked; mark: ")
                .append(totals.get("mark")).append('\n');
        final TextTable table = new TextTable(
                "kind", "owner", "count", "native", "registered", "+count", "+bytes", "oldest", "made at");
        report.sections().stream()
                .filter(section -> section.title().startsWith(MemoryReport.USE))
                .filter(section -> !isOfGrowth
                        || !section.get("grown count").equals("0")
                        || !section.get("grown bytes").equals("0"))
                .limit(maxLines)
                .forEach(section -> table.row(
                        section.get("kind"), section.get("owner"), section.get("count"), section.get("native"),
                        section.get("registered"), section.get("grown count"), section.get("grown bytes"),
                        section.get("oldest"), section.get("site")));
        return text.append(table.render()).toString();
    }
}
