package io.vhca.tool.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vhca completion}: the shell's completion of the tool, with the commands that are on its class path. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints the completion of this command for bash and zsh.",
        footer = {"", "Examples:", "  source <(vhca completion)"})
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        final CommandLine tool = spec.root().commandLine();
        spec.commandLine().getOut().print(AutoComplete.bash(tool.getCommandName(), tool));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
