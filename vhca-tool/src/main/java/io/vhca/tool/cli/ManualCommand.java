package io.vhca.tool.cli;

import io.vhca.tool.console.ManualPage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vhca manual}: the man page of the tool, with the commands that are on its class path. */
@Command(
        name = "manual",
        mixinStandardHelpOptions = true,
        description = "Prints the man page of this command, for man(1).",
        footer = {"", "Examples:", "  vhca manual | man -l -"})
public final class ManualCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(ManualPage.of(spec.root()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
