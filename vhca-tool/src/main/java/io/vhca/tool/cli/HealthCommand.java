package io.vhca.tool.cli;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.HealthReporter;
import io.vhca.ras.health.BondHealth;
import io.vhca.ras.health.HealthDump;
import io.vhca.ras.status.BondStatus;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.console.TextTable;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca health}: whether bonds are well. */
@Command(
        name = "health",
        mixinStandardHelpOptions = true,
        description = {
            "Says whether bonds are well: members, paths, queue pairs, threads, journal, memory.",
            "",
            "Has what is wrong written down, and recovered where that can be.",
            "One reporter a kind, as devlink health has them.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 all is well, or done; 1 something is not well, or it is refused; 3 there is no bond.",
            "",
            "Example: a script that waits for a journal until its disk has room",
            "  until vhca health recover bond0 journal; do sleep 60; done"
        })
public final class HealthCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String BOND = "only bonds of this name";
    private static final String ONE = "the bond's name: bond0";
    private static final String REPORTER = "one of: ${COMPLETION-CANDIDATES}";
    private static final String PID = "of the application, where several have a bond of that name";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {
                "Shows each reporter with its state.",
                "",
                "Beside that how many errors and recoveries there were, when it wrote a dump last, and what it does by"
                        + " itself, once in its grace period."
            })
    int show(
            @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = BOND) final String name) {
        final TextTable table = new TextTable(
                "bond", "pid", "reporter", "state", "errors", "recoveries", "last dump", "grace period", "auto recover",
                "auto dump");
        return each(name, (bond, reporters) -> reporters.forEach(reporter -> table.row(
                        bond.name(),
                        String.valueOf(bond.pid()),
                        reporter.name(),
                        reporter.state(),
                        String.valueOf(reporter.errors()),
                        String.valueOf(reporter.recoveries()),
                        reporter.dumpedMs() == 0 ? "never" : Instant.ofEpochMilli(reporter.dumpedMs()).toString(),
                        reporter.setting().graceMs() + " ms",
                        String.valueOf(reporter.setting().isToRecover()),
                        String.valueOf(reporter.setting().isToDump()))),
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

    @Command(
            name = "dump",
            mixinStandardHelpOptions = true,
            description = {
                "Has what a reporter looks at written down, and prints it.",
                "",
                "It is BOND.PID.REPORTER.health in the status directory, which the next one replaces. The bond goes on."
            })
    int dump(
            @Parameters(paramLabel = "BOND", description = ONE) final String name,
            @Parameters(paramLabel = "REPORTER", description = REPORTER) final HealthReporter reporter,
            @Option(names = "--pid", paramLabel = "PID", description = PID) final @Nullable Long pid) {
        final BondStatuses.Found bond = find(name, pid);
        final int code = tell(bond, "health dump " + reporter.text());
        if (code == 0) {
            final PrintWriter out = spec.commandLine().getOut();
            out.print(DecodeCommand.text(DecodeCommand.read(bond.file().resolveSibling(
                    HealthDump.name(bond.status().name(), bond.status().pid(), reporter)))));
            out.flush();
        }
        return code;
    }

    @Command(
            name = "recover",
            mixinStandardHelpOptions = true,
            description = {
                "Recovers what a reporter looks at, or says why that cannot be.",
                "",
                "member, path  ports are looked at, devices that are gone looked for, and queue pairs without a",
                "              path try every member that is up: now, and not after the pause they are in",
                "journal       is opened anew; events that were lost stay lost, and are found fault with no more",
                "memory        all markers are looked at: well where every queue that was overrun is closed",
                "queue_pair, thread  are refused, with what to do"
            })
    int recover(
            @Parameters(paramLabel = "BOND", description = ONE) final String name,
            @Parameters(paramLabel = "REPORTER", description = REPORTER) final HealthReporter reporter,
            @Option(names = "--pid", paramLabel = "PID", description = PID) final @Nullable Long pid) {
        return tell(find(name, pid), "health recover " + reporter.text());
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Changes what a reporter does by itself.",
                "",
                "KEY=VALUE is grace_period=MS, auto_recover=true|false or auto_dump=true|false. The option health of"
                        + " the bond has it from the beginning."
            },
            footer = {"", "Example: vhca health set bond0 path auto_dump=true grace_period=600000"})
    int set(
            @Parameters(paramLabel = "BOND", description = ONE) final String name,
            @Parameters(paramLabel = "REPORTER", description = REPORTER) final HealthReporter reporter,
            @Parameters(paramLabel = "KEY=VALUE", arity = "1..*", description = "one or several")
                    final List<String> words,
            @Option(names = "--pid", paramLabel = "PID", description = PID) final @Nullable Long pid) {
        return tell(find(name, pid), "set " + BondOption.HEALTH.name() + "=+" + words.stream()
                .map(word -> reporter.text() + "." + word)
                .collect(Collectors.joining(",")));
    }

    private BondStatuses.Found find(final String name, final @Nullable Long pid) {
        return BondOrders.find(
                name, pid == null ? 0 : pid, new UnreadableFiles(spec.commandLine().getErr()));
    }

    private int tell(final BondStatuses.Found bond, final String command) {
        final String refusal = BondOrders.tell(bond, command, PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        return 0;
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
                    BondHealth.of(bond, found.isAlive(), found.bond().seenMs());
            isWell &= reporters.stream().allMatch(reporter -> reporter.findings().isEmpty());
            row.add(bond, reporters);
        }
        final PrintWriter out = spec.commandLine().getOut();
        end.print(out);
        out.flush();
        return isWell ? unreadable.exitCode() : FailureHandler.BAD;
    }
}
