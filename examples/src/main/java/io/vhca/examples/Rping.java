package io.vhca.examples;

import io.vhca.api.Context;
import java.net.InetSocketAddress;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The counterpart of rping(1): a ping over the connection manager that uses SEND, RDMA READ and RDMA WRITE. */
@Command(
        name = "rping",
        mixinStandardHelpOptions = true,
        description = {
            "Pings over the connection manager with SEND, RDMA READ and RDMA WRITE, as rping does; either end may be"
                    + " the C program.",
            "",
            "Each ping: the client SENDs address and key of its text, the server READs it and says so by a SEND; the"
                    + " client SENDs address and key of an empty buffer, the server WRITEs the text there and says so;"
                    + " the client compares. Without HOST and --server both ends run in this process.",
            "",
            "There is no -c as for rping: the client is who names HOST."
        },
        footer = {
            "",
            "Examples:",
            "  rping --device bond0 -C 10 -v         both ends here, over the bond",
            "  rping --device soft0 --server         wait for a client on port 7174 of the device's address",
            "  rping --device soft1 127.0.0.1        be that client",
            "",
            "Exit code: 0 when every ping came back whole, 1 when not, 2 for wrong arguments, 3 when the"
                    + " device cannot be had."
        })
public final class Rping extends TwoEnds {
    private static final long ACCEPT_NS = 600_000_000_000L;

    @Option(
            names = {"-s", "--server"},
            description = "wait for a client")
    private boolean server;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "7174",
            description = "port of the connection manager (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = {"-C", "--count"},
            defaultValue = "10",
            description = "pings (default: ${DEFAULT-VALUE})")
    private int count;

    @Option(
            names = {"-S", "--size"},
            defaultValue = "64",
            description = "bytes a ping (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = {"-v", "--verbose"},
            description = "print every ping")
    private boolean verbose;

    public static void main(final String[] args) {
        System.exit(execute(new Rping(), args));
    }

    @Override
    boolean isServer() {
        return server;
    }

    @Override
    String wrong() {
        return size < 1 || count < 1 ? "--size and --count must be 1 or more" : wrongPort(port);
    }

    @Override
    void client(final Context context, final String host) {
        client(context, new InetSocketAddress(host, port));
    }

    @Override
    void serve(final Context context) {
        try (RdmaListener listener = RdmaListener.listen(context, port)) {
            out().println("listening on " + listener.address());
            out().flush();
            serve(listener);
        }
    }

    @Override
    void both(final Context context) throws Exception {
        try (RdmaListener listener = RdmaListener.listen(context, 0)) {
            together("rping-server", () -> serve(listener), () -> client(context, listener.address()));
        }
    }

    private void serve(final RdmaListener listener) {
        try (RdmaConnection connection = listener.accept(RdmaConnection.MESSAGE_BYTES, ACCEPT_NS);
                RpingServer end = new RpingServer(connection)) {
            final int served = end.serve();
            if (server) {
                out().println(served + " pings served");
                out().flush();
            }
        }
    }

    private void client(final Context context, final InetSocketAddress address) {
        try (RdmaConnection connection = RdmaConnection.connect(context, address);
                RpingClient end = new RpingClient(connection, size)) {
            final long startNs = System.nanoTime();
            for (int i = 0; i < count; i++) {
                final String text = end.ping(i);
                if (verbose) {
                    out().println("ping data: " + text);
                }
            }
            final long elapsedNs = System.nanoTime() - startNs;
            out().printf(
                    Locale.ROOT,
                    "%d pings of %d bytes came back whole, %.1f us each%n", count, size, elapsedNs / 1e3 / count);
            out().flush();
        }
    }
}
