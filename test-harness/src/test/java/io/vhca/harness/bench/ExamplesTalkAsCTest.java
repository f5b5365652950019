package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.examples.RdmaConnection;
import io.vhca.harness.conformance.Patience;
import io.vhca.tool.cli.ExampleCommand;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What the examples say to a peer that is a C program: every byte is the same. Here the test is that peer. */
@Timeout(600)
class ExamplesTalkAsCTest {
    private static final int ADDRESS_BYTES = 52;
    private static final int RPING_PORT = 7175;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void devices() {
        System.setProperty(NullProvider.PROPERTY, "null0=127.0.3.1,null1=127.0.3.2");
    }

    @AfterEach
    void noDevices() {
        System.clearProperty(NullProvider.PROPERTY);
    }

    private CompletableFuture<Integer> start(final String... args) {
        final CommandLine command = new CommandLine(new ExampleCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
        return CompletableFuture.supplyAsync(() -> command.execute(args));
    }

    private static Socket connect(final int port) throws IOException {
        final long startNs = System.nanoTime();
        while (true) {
            try {
                final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setSoTimeout(Patience.MS);
                return socket;
            } catch (final ConnectException e) {
                assertThat(System.nanoTime() - startNs).isLessThan(Patience.NS);
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theExchangeOfAPingPongHasItsFixedLengths() throws IOException {
        final int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        final CompletableFuture<Integer> server =
                start("rc_pingpong", "-d", "null0", "--server", "-n", "1", "-p", String.valueOf(port));
        try (Socket socket = connect(port)) {
            final OutputStream to = socket.getOutputStream();
            to.write("0000:000011:235bfb:00000000000000000000ffff7f000302\0".getBytes(StandardCharsets.US_ASCII));
            final byte[] answer = new byte[ADDRESS_BYTES];
            new DataInputStream(socket.getInputStream()).readFully(answer);
            assertThat(new String(answer, StandardCharsets.US_ASCII))
                    .matches("0000:[0-9a-f]{6}:[0-9a-f]{6}:00000000000000000000ffff7f000301\0");
        }
        // The peer went away before it was ready.
        assertThat(server.join()).isEqualTo(1);
        assertThat(err.toString()).contains("the peer hung up");
    }

    @Test
    void anRpingOffersAddressKeyAndLengthAndEndsByDisconnecting() {
        final CompletableFuture<Integer> server =
                start("rping", "-d", "null0", "--server", "-p", String.valueOf(RPING_PORT));
        while (!out.toString().contains("listening")) {
            assertThat(server).as(out.toString()).isNotDone();
            Thread.onSpinWait();
        }
        try (Arena arena = Arena.ofConfined();
                Context context = Devices.open("null1");
                RdmaConnection connection =
                        RdmaConnection.connect(context, new InetSocketAddress("127.0.3.1", RPING_PORT));
                MemoryRegion region = connection
                        .pd()
                        .regMr(
                                arena.allocate(16, 8),
                                AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE)) {
            NativeMemory.putLong(region.addr(), 4711);
            for (int half = 0; half < 2; half++) {
                connection.send(ByteBuffer.allocate(16)
                        .putLong(region.addr() + half * Long.BYTES)
                        .putInt(region.rkey())
                        .putInt(Long.BYTES)
                        .array());
                assertThat(connection.receive()).hasSize(16);
            }
            assertThat(NativeMemory.getLong(region.addr() + Long.BYTES)).isEqualTo(4711);
        }
        assertThat(server.join()).isZero();
        assertThat(out.toString()).contains("1 pings served");
    }
}
