package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The counterpart of ibv_rc_pingpong(1): two RC queue pairs whose numbers travel over TCP, brought up by modifyQp.
 */
@Command(
        name = "rc_pingpong",
        mixinStandardHelpOptions = true,
        description = {
            "Sends messages to and fro over one RC queue pair, as ibv_rc_pingpong does; either end may be that"
                    + " program.",
            "",
            "The ends tell each other QP number, PSN and GID over TCP and bring their queue pairs up with modifyQp:"
                    + " no connection manager. Without HOST and --server both ends run in this process."
        },
        footer = {
            "",
            "Examples:",
            "  rc_pingpong --device bond0               both ends here, over the bond",
            "  rc_pingpong --device soft0 --server      wait for a client on TCP port 18515",
            "  rc_pingpong --device soft1 127.0.0.1     be that client",
            "",
            "Exit code: 0 when every message arrived, 1 when not, 2 for wrong arguments, 3 when the"
                    + " device cannot be had."
        })
public class RcPingPong extends TwoEnds {
    private static final int PSN_BITS = 0xffffff;
    private static final int SOCKET_TIMEOUT_MS = 30_000;

    @Option(names = "--server", description = "wait for a client")
    private boolean server;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "18515",
            description = "TCP port of the exchange (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = {"-s", "--size"},
            defaultValue = "4096",
            description = "bytes a message (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = {"-n", "--iters"},
            defaultValue = "1000",
            description = "messages each way (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(
            names = {"-r", "--rx-depth"},
            defaultValue = "500",
            description = "receives kept posted (default: ${DEFAULT-VALUE})")
    private int rxDepth;

    @Option(
            names = {"-m", "--mtu"},
            defaultValue = "0",
            description = "path MTU in bytes (default: the port's)")
    private int mtu;

    @Option(
            names = {"-e", "--events"},
            description = "sleep on completion events instead of polling")
    private boolean events;

    @Option(
            names = {"-c", "--chk"},
            description = "verify every byte")
    private boolean check;

    public static void main(final String[] args) {
        System.exit(execute(new RcPingPong(), args));
    }

    @Override
    boolean isServer() {
        return server;
    }

    @Override
    String wrong() {
        return size < 0 || iterations < 1 || rxDepth < 1
                ? "--size must be 0 or more, --iters and --rx-depth 1 or more"
                : wrongPort(port);
    }

    @Override
    void client(final Context context, final String host) {
        try {
            client(context, new InetSocketAddress(host, port));
        } catch (final ConnectException e) {
            throw failed(Errno.ECONNREFUSED, host, "nobody listens there; start rc_pingpong --server first", e);
        } catch (final IOException e) {
            throw failed(Errno.EIO, host, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    void serve(final Context context) {
        try (ServerSocket listener = new ServerSocket(port)) {
            out().println("listening on TCP port " + listener.getLocalPort());
            out().flush();
            serve(context, listener);
        } catch (final BindException e) {
            throw failed(Errno.EADDRINUSE, "port", "it is taken; name another by --port", e);
        } catch (final IOException e) {
            throw failed(Errno.EIO, "port", String.valueOf(e.getMessage()), e);
        }
    }

    /** The exchange over TCP is no verb, but fails as one: with one sentence. */
    private VerbsException failed(final int errno, final String host, final String why, final IOException cause) {
        return new VerbsException("exchange", errno, "TCP " + host + " " + port, why, cause);
    }

    @Override
    void both(final Context context) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(SOCKET_TIMEOUT_MS);
            together(
                    "pingpong-server",
                    () -> serve(context, listener),
                    () -> client(
                            context, new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort())));
        }
    }

    /** True where the queue pairs are for datagrams. */
    boolean isDatagram() {
        return false;
    }

    private PingPongOptions options() {
        return new PingPongOptions(size, iterations, rxDepth, mtu, events, check, isDatagram());
    }

    private void serve(final Context context, final ServerSocket listener) throws IOException {
        final PingPongOptions options = options();
        try (PingPongTalk talk = new PingPongTalk(listener.accept());
                PingPongEnd end = new PingPongEnd(context, options, psn())) {
            final PingPongAddress peer = talk.receive();
            end.connect(peer);
            talk.send(end.address());
            talk.awaitReady();
            end.play(false);
            if (server) {
                out().println("  local address:  " + end.address());
                out().println("  remote address: " + peer);
                out().println(options.iterations() + " messages answered");
            }
            talk.awaitEnd();
        }
    }

    private void client(final Context context, final InetSocketAddress address) throws IOException {
        final PingPongOptions options = options();
        try (PingPongTalk talk = new PingPongTalk(connected(address));
                PingPongEnd end = new PingPongEnd(context, options, psn())) {
            talk.send(end.address());
            final PingPongAddress peer = talk.receive();
            out().println("  local address:  " + end.address());
            out().println("  remote address: " + peer);
            end.connect(peer);
            talk.sendReady();
            report(options, end.play(true));
            talk.awaitEnd();
        }
    }

    private void report(final PingPongOptions options, final long elapsedNs) {
        final long bytes = 2L * options.sizeBytes() * options.iterations();
        out().printf(
                Locale.ROOT,
                "%d bytes in %.2f seconds = %.2f Mbit/sec%n",
                bytes, elapsedNs / 1e9, bytes * 8e3 / Math.max(1, elapsedNs));
        out().printf(
                Locale.ROOT,
                "%d iters in %.2f seconds = %.2f usec/iter%s%n",
                options.iterations(),
                elapsedNs / 1e9,
                elapsedNs / 1e3 / options.iterations(),
                options.check() ? ", every byte verified" : "");
        out().flush();
    }

    private static Socket connected(final InetSocketAddress address) throws IOException {
        final Socket socket = new Socket();
        socket.connect(address, SOCKET_TIMEOUT_MS);
        return socket;
    }

    private static int psn() {
        return new SecureRandom().nextInt() & PSN_BITS;
    }
}
