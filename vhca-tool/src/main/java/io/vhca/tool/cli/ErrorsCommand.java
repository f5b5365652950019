package io.vhca.tool.cli;

import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.StatusText;
import io.vhca.tool.status.UnreadableFiles;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca errors}: the error log of running bonds. */
@Command(
        name = "errors",
        mixinStandardHelpOptions = true,
        description = {
            "Prints the errors that bonds of running applications met.",
            "",
            "Each distinct one once, with how often and when, its code, why it probably happened and what",
            "to do; docs/ERRORS.md has all codes. Then what the members' devices count: what they",
            "refused, dropped or failed at, what it means and what to do.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 when a bond was asked, also where it has no errors; 1 when another's status",
            "cannot be read; 3 when there is none."
        })
public final class ErrorsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only bonds of this name")
    private String name = "";

    @Option(names = "--stacks", description = "with the stack of each")
    private boolean withStacks;

    @Override
    public Integer call() {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        BondStatuses.find(name, unreadable).forEach(bond -> spec.commandLine()
                .getOut()
                .print(StatusText.errors(bond.status(), ZoneId.systemDefault(), withStacks)));
        spec.commandLine().getOut().flush();
        return unreadable.exitCode();
    }
}
