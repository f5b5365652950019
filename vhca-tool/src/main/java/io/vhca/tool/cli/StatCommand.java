package io.vhca.tool.cli;

import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.StatusText;
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
        footer = {"", "Exit code: 0 when a bond was shown, 3 when there is none."})
public final class StatCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only bonds of this name")
    private String name = "";

    @Override
    public Integer call() {
        BondStatuses.find(name, spec.commandLine().getErr()::println)
                .forEach(bond -> spec.commandLine().getOut().print(StatusText.counters(bond.status())));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
