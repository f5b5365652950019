package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.tool.console.FailureHandler;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which device, and which of the two ends. The command has the word that names the other one. */
final class Ends {
    /** How that word is shown. */
    static final String PEER = "HOST:[PORT]";
    static final String PEER_IS = "the end that listens; its port is " + Ends.PORT + " where none is named";
    /** The port of an end that is named by its host alone. */
    private static final int PORT = 7471;
    private static final int MOST_PORT = 65_535;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "NAME",
            defaultValue = "bond0",
            description = "device to use (default: ${DEFAULT-VALUE})")
    private String device = "bond0";

    @Option(names = "--listen", paramLabel = "PORT", description = "be the end that the other one connects to")
    private @Nullable Integer listen;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "with --listen: end after so many clients (default: never)")
    private int clients = Integer.MAX_VALUE;

    /** True for the end that listens, which names no {@code peer}. */
    boolean isListening(final @Nullable String peer) {
        if (listen == null == (peer == null)) {
            throw wrong("name either --listen PORT or the HOST:PORT of the end that listens");
        }
        if (listen != null && (listen < 1 || listen > MOST_PORT) || clients < 1) {
            throw wrong("--listen must be 1 .. " + MOST_PORT + ", --clients at least 1");
        }
        return listen != null;
    }

    int clients() {
        return clients;
    }

    Context open() {
        return Devices.open(device);
    }

    InetSocketAddress own(final Context context) {
        return new InetSocketAddress(context.ipGid(1).address(), listen == null ? 0 : listen);
    }

    /** Serves the clients one after the other, and says which are lost; the exit code. */
    int serve(final Talk talk, final InetSocketAddress own, final Talk.Service service) {
        final PrintWriter out = spec.commandLine().getOut();
        final int lost = talk.serve(own, clients, service, why -> {
            out.println("a client is lost: " + why);
            out.flush();
        });
        return lost == 0 ? 0 : FailureHandler.BAD;
    }

    InetSocketAddress peer(final @Nullable String peer) {
        final String text = peer == null ? "" : peer;
        final int colon = text.lastIndexOf(':');
        try {
            if (colon > 0) {
                final String port = text.substring(colon + 1);
                final InetSocketAddress found = new InetSocketAddress(
                        text.substring(0, colon), port.isEmpty() ? PORT : Integer.parseInt(port));
                if (found.isUnresolved()) {
                    throw wrong("the host of " + text + " is not known here; name one that is, or its address");
                }
                return found;
            }
        } catch (final IllegalArgumentException e) {
            throw wrong(text + " is no HOST:PORT: " + e.getMessage());
        }
        throw wrong(text + " is no HOST:PORT");
    }

    ParameterException wrong(final String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
