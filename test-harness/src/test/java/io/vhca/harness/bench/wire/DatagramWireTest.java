package io.vhca.harness.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both kinds of datagrams carry what the benchmark counts. */
@Timeout(60)
class DatagramWireTest {
    private static final int WINDOW = 32;
    private static final int BYTES = 4096;
    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static void exchange(final Datagrams near, final Datagrams far) throws InterruptedException {
        try (near;
                far) {
            for (int i = 0; i < WINDOW; i++) {
                assertThat(near.send(i, BYTES - i)).isTrue();
            }
            near.flush();
            final List<String> seen = new ArrayList<>();
            while (seen.size() < WINDOW) {
                far.receive((number, bytes) -> seen.add(number + " " + bytes));
            }
            assertThat(seen).hasSize(WINDOW).startsWith("0 4096", "1 4095").endsWith("31 4065");

            final DatagramWire server = new DatagramWire(far);
            final AtomicBoolean over = new AtomicBoolean();
            final Thread serving = Thread.ofPlatform().start(() -> server.serve(BYTES, false, over::get));
            try {
                final DatagramWire client = new DatagramWire(near);
                long confirmed = client.stream(BYTES, WINDOW, ROUND_NS);
                while (confirmed == 0) { // the far end is late
                    confirmed = client.stream(BYTES, WINDOW, ROUND_NS);
                }
                assertThat(confirmed % (8L * BYTES)).as("every eighth is confirmed").isZero();
            } finally {
                over.set(true);
                serving.join();
            }
        }
    }

    @Test
    void channels() throws IOException, InterruptedException {
        final InetSocketAddress near = new InetSocketAddress("127.78.92.1", 24_792);
        final InetSocketAddress far = new InetSocketAddress("127.78.92.2", 24_792);
        exchange(new ChannelDatagrams(near, far), new ChannelDatagrams(far, near));
    }

    @Test
    void trains() throws InterruptedException {
        final InetAddress near = InetAddress.ofLiteral("127.78.93.1");
        final InetAddress far = InetAddress.ofLiteral("127.78.93.2");
        exchange(new TrainDatagrams(near, far), new TrainDatagrams(far, near));
    }
}
