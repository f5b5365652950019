package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.dump.DumpReceiver;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.ListenAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vhca dump receive}: takes dumps that other machines send. */
@Command(
        name = "receive",
        mixinStandardHelpOptions = true,
        description = {
            "Takes dumps that vhca dump --to tcp://HOST:PORT sends, until interrupted.",
            "",
            "One after the other, each in two minutes at most. Dumps come unencrypted and from whoever reaches",
            "the port: listen where only they do.",
            ""
        },
        footer = {
            "",
            "Exit codes: 3 the port or the directory cannot be had.",
            "",
            "Example: vhca dump receive --listen 10.1.0.9:7000 --to /var/tmp/dumps"
        })
public final class DumpReceiveCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-l", "--listen"},
            required = true,
            paramLabel = "[HOST:]PORT",
            converter = ListenAddress.class,
            description = "where; at 127.0.0.1 where no host is named; port 0 takes a free one")
    @SuppressWarnings("NullAway.Init")
    private InetSocketAddress listen;

    @Option(
            names = "--to",
            paramLabel = "DIR",
            defaultValue = "dumps",
            description = "made where there is none; nobody else may write to it (default: ${DEFAULT-VALUE})")
    private Path directory = Path.of(".");

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "16",
            description = "files that the directory may hold; none is replaced (default: ${DEFAULT-VALUE})")
    private int most;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        try (DumpReceiver receiver = new DumpReceiver(listen, directory, most)) {
            out.println("listening at " + receiver.address());
            out.flush();
            receiver.serve(line -> {
                out.println(line);
                out.flush();
            });
            return 0;
        } catch (final IOException e) {
            throw new EnvironmentException(
                    "dumps cannot be taken at " + listen + " into " + directory + ": " + FailureText.of(e), e);
        }
    }
}
