package io.vhca.harness.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.harness.bench.NullProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the Java side of perftest's programs says, to the byte; and that its ends understand each other, but for
 * atomics, which the device here has not.
 */
@Timeout(600)
class PerftestTalkTest {
    private static final PerftestTalk.Keys KEYS =
            new PerftestTalk.Keys(1, 0x11, 0x235bfb, 0x591, 0x55b73aaedda0L, 0, 0xffff_0a4d_0001L);
    private static final String TEXT = "0000:0001:000011:235bfb:00000591:000055b73aaedda0:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:01:00000000:";

    @BeforeEach
    void devices() {
        System.setProperty(NullProvider.PROPERTY, "null0=127.0.3.1,null1=127.0.3.2");
    }

    @AfterEach
    void noDevices() {
        System.clearProperty(NullProvider.PROPERTY);
    }

    @Test
    void keysAreWrittenAsPerftestReadsThem() throws IOException {
        assertThat(KEYS.encode()).isEqualTo(TEXT);
        assertThat(PerftestTalk.Keys.decode(TEXT + '\0')).isEqualTo(KEYS);
        assertThatThrownBy(() -> PerftestTalk.Keys.decode("0000:000011:235bfb:000"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no keys of perftest");
    }

    /** The whole of the interoperability had waited for it. */
    @Test
    void aProgramThatDoesNotComeIsNamed() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> PerftestTalk.accept(listener, CProgram.WRITE_BW, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessage("ib_write_bw has not connected to port " + listener.getLocalPort()
                            + " in 1 ms; its own output may say why");
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        final InetSocketAddress gone;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gone = new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
        }
        assertThatThrownBy(() -> PerftestTalk.connect(gone, CProgram.SEND_BW))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("ib_send_bw at " + gone + " does not take a connection: ");
    }

    @Test
    void aClientBeginsWithVersionSizesAndMtu() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PerftestTalk talk = new PerftestTalk(
                        new Socket(listener.getInetAddress(), listener.getLocalPort()), true);
                Socket peer = listener.accept()) {
            final CompletableFuture<byte[]> heard = CompletableFuture.supplyAsync(() -> echo(peer, 16 + 4 + 4 + 2));
            assertThat(talk.open(3)).isEqualTo(3);
            assertThat(new String(heard.join(), StandardCharsets.ISO_8859_1))
                    .isEqualTo("6.06" + "\0".repeat(12) + "\0\0\u0010\0" + "\0\0\0@" + "3\0");
        }
    }

    /** Sends everything back, as a peer does that has the same to say. */
    private static byte[] echo(final Socket peer, final int lengthBytes) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            final InputStream in = peer.getInputStream();
            while (all.size() < lengthBytes) {
                final int octet = in.read();
                peer.getOutputStream().write(octet);
                all.write(octet);
            }
            return all.toByteArray();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CProgram.class,
            names = {"SEND_BW", "WRITE_BW", "READ_LAT"})
    void bothEndsComeToTheirEnd(final CProgram program) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Context here = Devices.open("null0");
                Context there = Devices.open("null1")) {
            final CompletableFuture<Void> server = CompletableFuture.runAsync(() -> {
                try {
                    new PerftestPeer(program).run(here, listener.accept(), false);
                } catch (final IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            new PerftestPeer(program)
                    .run(there, new Socket(listener.getInetAddress(), listener.getLocalPort()), true);
            server.join();
        }
    }

    @Test
    void commandLinesNameDeviceRoleAndServer() {
        assertThat(CProgram.RPING.client("rxe0")).isEqualTo("rping -C 10 -S 3000 -c -V -a $1");
        assertThat(CProgram.RPING.server("rxe0")).isEqualTo("rping -C 10 -S 3000 -s");
        assertThat(CProgram.ATOMIC_LAT.client("rxe0")).isEqualTo("ib_atomic_lat -d rxe0 -F -x 1 -u 18 -n 50 $1");
        assertThat(CProgram.RC_PINGPONG.server("rxe0"))
                .isEqualTo("ibv_rc_pingpong -d rxe0 -g 1 -n 100 -s 3000 -m 1024");
        assertThat(CProgram.SEND_BW.value("-s")).isEqualTo(65_536);
        assertThat(CProgram.ATOMIC_LAT.value("-s")).isZero();
    }
}
