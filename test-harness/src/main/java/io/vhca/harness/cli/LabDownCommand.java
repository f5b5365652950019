package io.vhca.harness.cli;

import io.vhca.harness.lab.Lab;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vhca lab down}. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        description = "Ends the machines of 'vhca lab up'; does nothing when there are none.")
final class LabDownCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Override
    public Integer call() throws IOException {
        final Lab lab = Lab.find(options.config());
        if (lab != null) {
            lab.down();
        }
        spec.commandLine().getOut().println(lab == null ? "lab: no machines were up" : "lab: down");
        return 0;
    }
}
