package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.thread.ThreadReport;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca threads}: who is inside a running bond. */
@Command(
        name = "threads",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which threads of a running application are inside a bond, where, and who has its lock.",
            "",
            "It waits for none of them: a bond whose own thread is stuck answers too. Virtual threads are not",
            "seen.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 shown, 1 the bond could not tell, 3 there is no such bond, or another vhca threads of it",
            "is under way.",
            "",
            "Example: vhca threads bond0 --stacks"
        })
public final class ThreadsCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "BOND", description = "the bond's name: bond0")
    private String name = "";

    @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have it open")
    private long pid;

    @Option(names = {"-s", "--stacks"}, description = "with the stack of each")
    private boolean isWithStacks;

    @Override
    public Integer call() {
        final BondStatuses.Found bond =
                BondOrders.find(name, pid, new UnreadableFiles(spec.commandLine().getErr()));
        return ReportTurn.THREADS.run(bond, () -> show(bond));
    }

    private int show(final BondStatuses.Found bond) {
        final String refusal = BondOrders.tell(bond, "threads", PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        final Path written = bond.file().resolveSibling(ThreadReport.name(name, bond.status().pid()));
        final PrintWriter out = spec.commandLine().getOut();
        try {
            out.print(text(ReportFiles.read(written)));
            Files.deleteIfExists(written);
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
        out.flush();
        return 0;
    }

    private String text(final Report report) {
        final List<Report.Section> threads = report.sections().stream()
                .filter(section -> section.title().startsWith(ThreadReport.THREAD))
                .toList();
        final TextTable table = new TextTable("thread", "state", "control lock", "inside");
        threads.forEach(thread -> table.row(
                thread.get("name"), thread.get("state"), thread.get("control lock"), thread.get("inside")));
        final StringBuilder text =
                new StringBuilder(threads.isEmpty() ? "no thread is inside " + name + "\n" : table.render());
        if (isWithStacks) {
            for (final Report.Section thread : threads) {
                text.append('\n').append(thread.get("name")).append('\n');
                thread.facts().stream()
                        .filter(fact -> fact.name().equals("at"))
                        .forEach(fact -> text.append("    at ").append(fact.value()).append('\n'));
            }
        }
        return text.toString();
    }
}
