package io.vhca.harness.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.cli.OwnAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both kinds of datagrams carry what the benchmark counts. */
@Timeout(300)
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

    /** Sends back what it was sent, but for every so many, which are lost; so many others come after the next. */
    private static final class Echo implements Datagrams {
        private final Queue<Long> onTheirWay = new ArrayDeque<>();
        private final int lostOf;
        private final int late;
        private long sent;
        private long lost;

        Echo(final int lostOf, final int late) {
            this.lostOf = lostOf;
            this.late = late;
        }

        @Override
        public boolean send(final long number, final int bytes) {
            if (++sent % lostOf == 0) {
                lost++;
            } else {
                onTheirWay.add(number);
            }
            return true;
        }

        @Override
        public void flush() {
            // None waits.
        }

        @Override
        public int receive(final Taker taker) {
            if (onTheirWay.size() <= late) {
                return 0;
            }
            taker.take(onTheirWay.remove(), BYTES);
            return 1;
        }

        @Override
        public void close() {
            onTheirWay.clear();
        }
    }

    @Test
    void aLostPingIsNoRoundTrip() {
        final Echo third = new Echo(3, 0);
        final DatagramWire wire = new DatagramWire(third);
        long trips = 0;
        while (third.lost == 0) { // few rounds, or one
            trips += wire.pingPong(BYTES, ROUND_NS);
        }
        assertThat(trips).isEqualTo(third.sent - third.lost);
    }

    /** Every round trip had been counted, and timed by the answer to the one before. */
    @Test
    void anAnswerThatComesLateIsNotThatOfTheNextOne() {
        final Echo late = new Echo(Integer.MAX_VALUE, 1);
        assertThat(new DatagramWire(late).pingPong(BYTES, 2 * ROUND_NS)).isZero();
        assertThat(late.sent).isPositive();
    }

    /** So it knows which ping it answers. */
    @Test
    void anEchoHasTheNumberOfItsPing() {
        final Echo client = new Echo(Integer.MAX_VALUE, 0);
        client.send(7, BYTES);
        new DatagramWire(client).serve(BYTES, true, () -> client.sent > 1);
        assertThat(client.onTheirWay).containsExactly(7L);
    }

    @Test
    void channels() throws IOException, InterruptedException {
        final InetSocketAddress near = new InetSocketAddress(OwnAddress.of(13), 24_792);
        final InetSocketAddress far = new InetSocketAddress(OwnAddress.of(14), 24_792);
        exchange(new ChannelDatagrams(near, far), new ChannelDatagrams(far, near));
    }

    @Test
    void trains() throws InterruptedException {
        final InetAddress near = OwnAddress.of(15);
        final InetAddress far = OwnAddress.of(16);
        exchange(new TrainDatagrams(near, far), new TrainDatagrams(far, near));
    }
}
