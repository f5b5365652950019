package io.vhca.harness.cli;

import io.vhca.harness.lab.Lab;
import io.vhca.harness.lab.LabJobs;
import io.vhca.harness.lab.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca lab run}. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a bash script in each machine at the same time and collects output and exit codes.",
            "",
            "The first script goes to machine 1, the second to machine 2. They find ID and PEER (1 or 2) set, and can"
                    + " call:",
            "  address MACHINE LINK          prints 10.77.LINK.MACHINE",
            "  barrier NAME                  waits until both jobs have come to it",
            "  listening PORT                waits until something here listens on that TCP port",
            "  cut_link KIND MACHINE LINK    pulls a link: carrier, down, egress, loss, device, pause",
            "  heal_link KIND MACHINE LINK   and plugs it again",
            ""
        },
        footer = {
            "",
            "Example: the latency of rxe0, without any Java:",
            "  vhca lab run -c 'ib_send_lat -d rxe0 & listening 18515; barrier up; wait $!' \\",
            "               -c 'barrier up; ib_send_lat -d rxe0 $(address 1 0)'",
            "",
            "Exit code: 0 when every job ended with 0, else 1; a job that was ended by the limit counts as 124."
        })
final class LabRunCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private LabOptions options = new LabOptions();

    @Option(
            names = {"-c", "--command"},
            paramLabel = "TEXT",
            description = "a script as text; once or twice, instead of files")
    private List<String> commands = new ArrayList<>();

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "S",
            defaultValue = "600",
            description = "seconds after which the jobs are killed (default: ${DEFAULT-VALUE})")
    private long timeout = 600;

    @Parameters(arity = "0..2", paramLabel = "SCRIPT", description = "files with the scripts")
    private List<Path> files = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (timeout < 1) {
            throw new ParameterException(spec.commandLine(), "--timeout must be 1 or more");
        }
        final List<String> scripts = new ArrayList<>(commands);
        for (final Path file : files) {
            if (!Files.isReadable(file)) {
                throw new ParameterException(spec.commandLine(), file + " cannot be read");
            }
            scripts.add(Files.readString(file));
        }
        if (scripts.isEmpty() || scripts.size() > Lab.MACHINES) {
            throw new ParameterException(spec.commandLine(), "one or two scripts are wanted, by -c or as files");
        }
        final Map<Integer, String> jobs = new LinkedHashMap<>();
        for (int i = 0; i < scripts.size(); i++) {
            jobs.put(i + 1, scripts.get(i));
        }
        final PrintWriter out = spec.commandLine().getOut();
        try (Lab lab = Lab.findOrBoot(options.config(), out)) {
            final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                            lab, jobs, TimeUnit.SECONDS.toNanos(timeout), out)
                    .run();
            outcomes.forEach((machine, outcome) ->
                    out.println("lab: the job in machine " + machine + " ended with exit code " + outcome.code()));
            return outcomes.values().stream().allMatch(outcome -> outcome.code() == 0) ? 0 : 1;
        }
    }
}
