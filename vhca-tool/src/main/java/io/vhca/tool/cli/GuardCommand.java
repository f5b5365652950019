package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.api.ProcessUser;
import io.vhca.bond.core.TurnClock;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.guard.Guard;
import io.vhca.tool.guard.GuardConfig;
import io.vhca.tool.users.DeviceHolders;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca guard}: bounds the time for which a process can keep a device from being removed. */
@Command(
        name = "guard",
        mixinStandardHelpOptions = true,
        description = {
            "Says who keeps a device that is being removed, and ends whom the configuration names.",
            "",
            "The kernel waits with `rdma link del`, and with a driver that is unloaded, until the last",
            "process has closed the device. The configuration is a file that nobody else may write to:",
            "  end = ib_send_bw, rping      programs that may be ended; nobody else is",
            "  grace_ms = 10000             how long a process may keep the device",
            "  kill_after_ms = 5000         SIGKILL so long after SIGTERM",
            "  dry_run = true               the default: it is said who would be ended, nobody is",
            ""
        },
        footer = {
            "",
            "Exit codes: 2 the configuration is wrong, 3 what it says could not be written; it runs until it gets",
            "a signal.",
            "",
            "Example: as root, beside the application",
            "  vhca guard --config /etc/vhca/guard.conf"
        })
public final class GuardCommand implements Callable<Integer> {
    private static final long TURN_MS = 200;
    /** So much at most counts of the time between two looks. */
    private static final long MOST_TURN_MS = 1_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", required = true, description = "says who may be ended, and when")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Override
    public Integer call() throws InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final GuardConfig config;
        try {
            config = GuardConfig.read(file, ProcessUser.number());
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        } catch (final IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "--config " + file + " cannot be read: " + FailureText.of(e), e);
        }
        try {
            watch(out, config);
        } catch (final IOException e) {
            throw new EnvironmentException("devices and processes cannot be listed: " + FailureText.of(e), e);
        }
        return 0;
    }

    private static void watch(final PrintWriter out, final GuardConfig config)
            throws IOException, InterruptedException {
        final Path proc = Path.of("/proc");
        final Path sys = Path.of("/sys");
        // Names are known before it is said that somebody watches: what is removed from then on has its name.
        Map<String, String> devices = DeviceHolders.devices(sys);
        say(out, "watching; may end: "
                + (config.programs().isEmpty() ? "nobody" : String.join(", ", config.programs()))
                + (config.isDryRun() ? " (dry run)" : ""));
        final Guard guard = new Guard(config, line -> say(out, line));
        // Who is to end has had no time either while all stood still.
        final TurnClock clock = new TurnClock(TimeUnit.MILLISECONDS.toNanos(MOST_TURN_MS));
        while (!Thread.currentThread().isInterrupted() && !out.checkError()) {
            guard.turn(
                    TimeUnit.NANOSECONDS.toMillis(clock.turn(System.nanoTime())), devices,
                    DeviceHolders.ofRemoved(proc, sys).processes());
            Thread.sleep(TURN_MS);
            devices = DeviceHolders.devices(sys);
        }
    }

    private static boolean say(final PrintWriter out, final String line) {
        out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
        return !out.checkError();
    }
}
