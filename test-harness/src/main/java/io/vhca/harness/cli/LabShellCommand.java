package io.vhca.harness.cli;

import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabShell;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca lab shell}. */
@Command(
        name = "shell",
        mixinStandardHelpOptions = true,
        description = {
            "Opens a shell in one of the machines that are up; 'vhca lab up' boots them.",
            "",
            "When the input is no terminal, its lines are run as a script."
        })
final class LabShellCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Parameters(arity = "0..1", paramLabel = "MACHINE", defaultValue = "1", description = "1 or 2 (default: 1)")
    private int machine = 1;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (machine < 1 || machine > Lab.MACHINES) {
            throw new ParameterException(spec.commandLine(), "there is a machine 1 and a machine 2");
        }
        final Lab lab = Lab.find(options.config());
        if (lab == null) {
            throw new EnvironmentException("no machines are up; boot them by 'vhca lab up'");
        }
        return new LabShell(lab.machine(machine)).run();
    }
}
