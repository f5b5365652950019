package io.vhca.tool.cli;

import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vhca flags}: what this JVM was started with. */
@Command(
        name = "flags",
        mixinStandardHelpOptions = true,
        description = "Prints the flags that this JVM was started with, one a line.")
public final class FlagsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        ManagementFactory.getRuntimeMXBean()
                .getInputArguments()
                .forEach(spec.commandLine().getOut()::println);
        return 0;
    }
}
