package io.vhca.tool.cli;

import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.StatusText;
import io.vhca.tool.status.UnreadableFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca stat}: the counters of running bonds. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        description = {"Prints what the bonds of running applications have counted.", ""},
        footer = {"", "Exit codes: 0 bonds were shown, 1 one of them could not be read, 3 there is none."})
public final class StatCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only bonds of this name")
    private String name = "";

    @Override
    public Integer call() {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        BondStatuses.find(name, unreadable)
                .forEach(bond -> spec.commandLine().getOut().print(StatusText.counters(bond.status())));
        spec.commandLine().getOut().flush();
        return unreadable.exitCode();
    }
}
