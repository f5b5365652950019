package io.vhca.harness.interop;

import io.vhca.api.Context;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Java side of udaddy as both of its ends. */
@Timeout(600)
class UdaddyPeerTest {
    private static final int PORT = 7174;
    private static final int COUNT = 10;

    /** Addresses of this process alone, so that other processes' devices do not collide with its. */
    private static InetAddress own(final int last) throws UnknownHostException {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.getByAddress(new byte[] {127, (byte) (64 + (pid >> 8 & 63)), (byte) pid, (byte) last});
    }

    @Test
    void datagramsGoThereAndBack() throws IOException {
        final CompletableFuture<Void> isListening = new CompletableFuture<>();
        try (Context here = SoftDevice.overUdp(new SoftConfig("udaddy0", own(71), 1024)).open();
                Context there = SoftDevice.overUdp(new SoftConfig("udaddy1", own(72), 1024)).open();
                UdaddyPeer server = new UdaddyPeer(here, COUNT);
                UdaddyPeer client = new UdaddyPeer(there, COUNT)) {
            final CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> {
                try {
                    server.server(PORT, () -> isListening.complete(null));
                } catch (final IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            isListening.join();
            client.client(new InetSocketAddress(own(71), PORT));
            serving.join();
        }
    }
}
