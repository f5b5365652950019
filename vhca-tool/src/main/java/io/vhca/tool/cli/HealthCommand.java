package io.vhca.tool.cli;

import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.console.TextTable;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca health}: whether bonds are well. */
@Command(
        name = "health",
        mixinStandardHelpOptions = true,
        description = {
            "Says whether bonds are well: members, paths, queue pairs, the bond's thread, the journal.",
            "",
            "One reporter a kind, as devlink health has them.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Exit codes: 0 all is well, 1 something is not, 3 there is no bond."})
public final class HealthCommand {
    private static final String BOND = "only bonds of this name";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Each reporter with its state, and how many errors and recoveries there were.")
    int show(
            @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = BOND) final String name) {
        final TextTable table = new TextTable("bond", "pid", "reporter", "state", "errors", "recoveries");
        return each(name, (bond, reporters) -> reporters.forEach(reporter -> table.row(
                        bond.name(),
                        String.valueOf(bond.pid()),
                        reporter.name(),
                        reporter.state(),
                        String.valueOf(reporter.errors()),
                        String.valueOf(reporter.recoveries()))),
                out -> out.print(table.render()));
    }

    @Command(
            name = "diagnose",
            mixinStandardHelpOptions = true,
            description = "What is wrong now, a line each; nothing where all is well.")
    int diagnose(
            @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = BOND) final String name) {
        final StringBuilder text = new StringBuilder();
        return each(
                name,
                (bond, reporters) -> reporters.forEach(reporter -> reporter.findings().forEach(finding ->
                        text.append(bond.name()).append(' ').append(reporter.name()).append(": ")
                                .append(finding).append('\n'))),
                out -> out.print(text));
    }

    private interface Row {
        void add(BondStatus bond, List<BondHealth.Reporter> reporters);
    }

    private interface End {
        void print(PrintWriter out);
    }

    private int each(final String name, final Row row, final End end) {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        boolean isWell = true;
        for (final BondStatuses.Found found : BondStatuses.find(name, unreadable)) {
            final BondStatus bond = found.status();
            final List<BondHealth.Reporter> reporters =
                    BondHealth.of(bond, bond.isAlive(), System.currentTimeMillis());
            isWell &= reporters.stream().allMatch(reporter -> reporter.findings().isEmpty());
            row.add(bond, reporters);
        }
        final PrintWriter out = spec.commandLine().getOut();
        end.print(out);
        out.flush();
        return isWell ? unreadable.exitCode() : FailureHandler.BAD;
    }
}
