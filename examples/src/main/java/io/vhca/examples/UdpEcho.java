package io.vhca.examples;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * A program of datagram channels and a selector that knows nothing of RDMA. It runs over UDP, and unchanged over
 * reliable datagrams where the JVM is started with their selector provider and the addresses are those of a device.
 */
@Command(
        name = "udp_echo",
        mixinStandardHelpOptions = true,
        description = {
            "Sends datagrams by NIO to a server that sends them back, and counts which come back in order.",
            "",
            "It uses no device: over which it goes is said by the JVM's selector provider."
        })
public final class UdpEcho implements Callable<Integer> {
    private static final long PATIENCE_MS = 5_000;
    private static final int LONGEST = 64 << 10;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "the server's address: be its client")
    private @Nullable String host;

    @Option(names = {"-s", "--server"}, description = "be the server, until it is ended")
    private boolean server;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "own address (default: the system chooses)")
    private @Nullable String own;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "4001",
            description = "the server's port (default: ${DEFAULT-VALUE})")
    private int port = 4_001;

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

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs the program; exit code 0 when all came back. */
    public static void main(final String[] args) {
        System.exit(TwoEnds.execute(new UdpEcho(), args));
    }

    @Override
    public Integer call() throws IOException {
        final PrintWriter out = spec == null ? new PrintWriter(System.out, true) : spec.commandLine().getOut();
        if (spec != null && (server == (host != null) || sizeBytes < Integer.BYTES || sizeBytes > LONGEST)) {
            throw new ParameterException(
                    spec.commandLine(), "give HOST or --server, and a --size of " + Integer.BYTES + " .. " + LONGEST);
        }
        if (spec != null) {
            TwoEnds.refuse(spec, TwoEnds.wrongPort(port));
            TwoEnds.refuse(spec, TwoEnds.wrongHost(host));
        }
        try (Selector selector = Selector.open(); DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(
                    own == null ? InetAddress.ofLiteral("0.0.0.0") : InetAddress.getByName(own), server ? port : 0));
            channel.configureBlocking(false);
            if (server) {
                out.println("echoing at " + channel.getLocalAddress());
                out.flush();
                echo(selector, channel);
                return 0;
            }
            final int back = talk(selector, channel, new InetSocketAddress(host, port));
            out.println(count + " sent, " + back + " came back in order");
            out.flush();
            return back == count ? 0 : 1;
        }
    }

    private static void echo(final Selector selector, final DatagramChannel channel) throws IOException {
        final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        final ByteBuffer datagram = ByteBuffer.allocateDirect(LONGEST);
        while (true) {
            final SocketAddress from = channel.receive(datagram.clear());
            if (from == null) {
                await(selector, key, SelectionKey.OP_READ);
            } else {
                send(selector, key, channel, datagram.flip(), from);
            }
        }
    }

    /** A send that there is no room for is made again when there is. */
    private static void send(
            final Selector selector, final SelectionKey key, final DatagramChannel channel, final ByteBuffer datagram,
            final SocketAddress to) throws IOException {
        while (channel.send(datagram, to) == 0 && datagram.hasRemaining()) {
            await(selector, key, SelectionKey.OP_WRITE);
        }
    }

    /** Whether the channel was ready before patience ended. */
    private static boolean await(final Selector selector, final SelectionKey key, final int ops) throws IOException {
        key.interestOps(ops);
        final int ready = selector.select(PATIENCE_MS);
        selector.selectedKeys().clear();
        return ready > 0;
    }

    private int talk(final Selector selector, final DatagramChannel channel, final InetSocketAddress to)
            throws IOException {
        final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        final ByteBuffer datagram = ByteBuffer.allocateDirect(sizeBytes);
        int back = 0;
        for (int number = 0; number < count; number++) {
            send(selector, key, channel, datagram.clear().putInt(0, number), to);
            final long beganNs = System.nanoTime();
            while (channel.receive(datagram.clear()) == null) {
                await(selector, key, SelectionKey.OP_READ);
                if (System.nanoTime() - beganNs > TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS)) {
                    return back;
                }
            }
            back += datagram.position() == sizeBytes && datagram.getInt(0) == number ? 1 : 0;
        }
        return back;
    }
}
