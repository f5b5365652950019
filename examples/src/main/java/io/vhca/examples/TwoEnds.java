package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A program with a client and a server: one of them for a HOST or for --server, else both in this process. */
abstract class TwoEnds implements Callable<Integer> {
    private static final int MOST_PORT = 65_535;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "the server's address: be its client")
    private @Nullable String host;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "NAME",
            defaultValue = "soft0",
            description = "device to use (default: ${DEFAULT-VALUE})")
    private String device = "soft0";

    @Spec
    private @Nullable CommandSpec spec;

    private PrintWriter out = new PrintWriter(System.out, true);

    /** Where the program prints. */
    final PrintWriter out() {
        return out;
    }

    /** Whether this process is to be the server alone. */
    abstract boolean isServer();

    /** What is wrong with the program's own options in one sentence, or an empty string. */
    abstract String wrong();

    /** What is wrong with a port; 0 has the system choose a server's. */
    static String wrongPort(final int port) {
        return port < 0 || port > MOST_PORT ? "--port must be at most " + MOST_PORT + ", and not negative" : "";
    }

    /** What is wrong with a server's name; nothing where none is named. */
    static String wrongHost(final @Nullable String host) {
        return host != null && new InetSocketAddress(host, 0).isUnresolved()
                ? host + " is no address, and no host of that name is known"
                : "";
    }

    abstract void client(Context context, String server) throws Exception;

    abstract void serve(Context context) throws Exception;

    abstract void both(Context context) throws Exception;

    @Override
    public final Integer call() throws Exception {
        if (spec != null) {
            out = spec.commandLine().getOut();
            final String wrong = isServer() && host != null ? "--server and HOST exclude each other" : wrong();
            refuse(spec, wrong.isEmpty() ? wrongHost(host) : wrong);
        }
        try (Context context = Devices.open(device)) {
            if (host != null) {
                client(context, host);
            } else if (isServer()) {
                serve(context);
            } else {
                both(context);
            }
        }
        return 0;
    }

    /** Refuses arguments, where that is not empty which says what is wrong with them. */
    static void refuse(final CommandSpec spec, final String wrong) {
        if (!wrong.isEmpty()) {
            throw new ParameterException(spec.commandLine(), wrong);
        }
    }

    /** Runs a program; what failed is one sentence. */
    static int execute(final Callable<Integer> program, final String[] args) {
        return new CommandLine(program).setExecutionExceptionHandler(new FailedProgram()).execute(args);
    }

    /** Something that fails as it likes. */
    interface Part {
        void run() throws Exception;
    }

    /** Runs the server's part in a thread of its own beside the client's. */
    static void together(final String threadName, final Part server, final Part client) throws Exception {
        final FutureTask<Boolean> serving = new FutureTask<>(() -> {
            server.run();
            return true;
        });
        Thread.ofPlatform().name(threadName).daemon().start(serving);
        client.run();
        serving.get();
    }
}
