package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Reliable datagram sockets: the server sends back what it gets, the client counts that all comes back, in order and
 * once. A driver a process, a socket an end; there is no connection to set up.
 */
@Command(
        name = "rdp_echo",
        mixinStandardHelpOptions = true,
        description = {
            "Sends reliable datagrams to a server that sends them back, checks that each comes back in order.",
            "",
            "Without HOST and --server both ends are in this process."
        })
public final class RdpEcho extends TwoEnds {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int LONGEST = 64 << 10;

    @Option(names = {"-s", "--server"}, description = "be the server, until it is ended")
    private boolean server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "4000",
            description = "the server's port (default: ${DEFAULT-VALUE})")
    private int port = 4_000;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "datagrams (default: ${DEFAULT-VALUE})")
    private int count = 1_000;

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "length of a datagram (default: ${DEFAULT-VALUE})")
    private int sizeBytes = 64;

    private volatile boolean isOver;

    /** Runs the program; exit code 0 when all came back. */
    public static void main(final String[] args) {
        System.exit(execute(new RdpEcho(), args));
    }

    @Override
    boolean isServer() {
        return server;
    }

    @Override
    String wrong() {
        if (sizeBytes < Integer.BYTES || sizeBytes > LONGEST) {
            return "--size must be " + Integer.BYTES + " .. " + LONGEST;
        }
        return count < 1 || port < 1 ? "--count and --port must be at least 1" : wrongPort(port);
    }

    @Override
    void serve(final Context context) {
        try (RdpDriver driver = RdpDriver.open(context);
                RdpSocket socket = driver.bind(port)) {
            out().println("echoing at " + socket.localAddress());
            echo(socket);
        }
    }

    private void echo(final RdpSocket socket) {
        final ByteBuffer datagram = ByteBuffer.allocateDirect(LONGEST);
        while (!isOver) {
            datagram.clear();
            final InetSocketAddress from = socket.receive(datagram, TimeUnit.MILLISECONDS.toNanos(100));
            if (from != null) {
                datagram.flip();
                // Who is gone gets nothing: the next one may be there.
                socket.send(datagram, from, TIMEOUT_NS);
            }
        }
    }

    @Override
    void client(final Context context, final String host) {
        try (RdpDriver driver = RdpDriver.open(context);
                RdpSocket socket = driver.bind(0)) {
            talk(socket, new InetSocketAddress(host, port));
        }
    }

    @Override
    void both(final Context context) throws Exception {
        try (RdpDriver driver = RdpDriver.open(context);
                RdpSocket server = driver.bind(port);
                RdpSocket client = driver.bind(0)) {
            together("rdp_echo-server", () -> echo(server), () -> {
                try {
                    talk(client, server.localAddress());
                } finally {
                    isOver = true;
                }
            });
        }
    }

    private void talk(final RdpSocket socket, final InetSocketAddress to) {
        final ByteBuffer datagram = ByteBuffer.allocateDirect(sizeBytes);
        long longestNs = 0;
        final long beganNs = System.nanoTime();
        for (int number = 0; number < count; number++) {
            final long sentNs = System.nanoTime();
            datagram.clear().putInt(0, number);
            final SendResult result = socket.send(datagram, to, TIMEOUT_NS);
            if (result != SendResult.SENT) {
                throw failed(socket, result.errno() == 0 ? Errno.EIO : result.errno(), "a send was " + result);
            }
            datagram.clear();
            final InetSocketAddress from = socket.receive(datagram, TIMEOUT_NS);
            if (!isRight(from, to, datagram, number)) {
                throw failed(socket, Errno.EIO, "datagram " + number + " did not come back");
            }
            longestNs = Math.max(longestNs, System.nanoTime() - sentNs);
        }
        final double us = (System.nanoTime() - beganNs) / 1e3 / count;
        out().printf(
                Locale.ROOT,
                "%d datagrams of %d bytes came back in order, %.1f us each, the slowest %.1f us%n", count, sizeBytes,
                us, longestNs / 1e3);
    }

    private boolean isRight(
            final @Nullable InetSocketAddress from, final InetSocketAddress to, final ByteBuffer datagram,
            final int number) {
        return to.equals(from) && datagram.position() == sizeBytes && datagram.getInt(0) == number;
    }

    private static VerbsException failed(final RdpSocket socket, final int errno, final String what) {
        return new VerbsException("rdp_echo", errno, "socket " + socket.localAddress(), what);
    }
}
