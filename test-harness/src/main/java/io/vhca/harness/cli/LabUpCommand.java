package io.vhca.harness.cli;

import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vhca lab up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = {
            "Boots the two machines and leaves them running, for the other commands to use.",
            "",
            "They see files as they were at boot: after a build, take them down and up again. Forgotten machines switch"
                    + " themselves off after two hours."
        })
final class LabUpCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final LabConfig config = options.config();
        if (Lab.find(config) != null) {
            out.println("lab: the machines are up already");
            return 0;
        }
        Lab.boot(config, out, true).leave();
        out.println("lab: 'vhca lab shell 1' to look around, 'vhca lab down' to end them");
        return 0;
    }
}
