package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A call that something is thrown out of fails alone: the sockets of its process keep their driver. */
@Timeout(60)
class BrokenCallTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;
    private RdpDriver driver;
    private SharedServer server;
    private SharedDriver client;
    private RdpSocket from;
    private RdpSocket to;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
        driver = all.open(35);
        server = all.serve(driver);
        client = all.attach(driver);
        from = client.bind(0);
        to = client.bind(4000);
    }

    @AfterEach
    void close() {
        all.close();
    }

    /** Memory that cannot be read, as that of a mapped file which was cut. */
    private static DirectBuffer unreadable() {
        return (DirectBuffer) Proxy.newProxyInstance(
                DirectBuffer.class.getClassLoader(), new Class<?>[] {DirectBuffer.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("boundsCheck")) {
                        return null;
                    }
                    throw new InternalError("a fault");
                });
    }

    private void delivers() {
        final ByteBuffer datagram = ByteBuffer.allocate(1_000);
        assertThat(to.pending()).isZero();
        assertThat(from.send(datagram, to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
        assertThat(to.receive(datagram.clear(), LONG_NS)).isEqualTo(from.localAddress());
    }

    private void goesOn() {
        delivers();
        assertThat(driver.counters().get(Counter.CLIENTS_CORRUPT)).isZero();
        assertThat(driver.counters().get(Counter.CLIENTS_ATTACHED)).isEqualTo(1);
    }

    /** More of them than the ring has room for: they come to its end, and begin it anew. */
    @Test
    void aDatagramThatCannotBeReadIsNotSent() {
        final int longest = from.longestDatagram();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> from.send(unreadable(), 0, longest, to.localAddress()))
                    .isInstanceOf(InternalError.class);
        }
        goesOn();
    }

    @Test
    void anAnswerThatWasNotReadToItsEndIsPassedOver() {
        client.lock();
        try {
            assertThat(client.calls("pending").ask(CallVerb.BIND, 0, 4001)).isEqualTo(2);
        } finally {
            client.unlock();
        }
        goesOn();
    }

    /** As where the heap is full for a moment: a socket with its number of before would call for another one. */
    @Test
    @SuppressWarnings("unchecked")
    void aDriverThatHasNotTakenAllSocketsIsLeftAndTriedAgain() throws Exception {
        final Field field = SocketSeat.class.getDeclaredField("options");
        field.setAccessible(true);
        final Map<CallVerb, Object> options = (Map<CallVerb, Object>) field.get(((RingSocket) from).seat());
        final Attachment before = client.attachment();
        options.put(CallVerb.SET_SEND_BUFFER, "no number: it is thrown out of");
        server.close();
        server = all.serve(driver);
        while (client.attachment() == before) {
            assertThat(Thread.interrupted()).as("it takes too long").isFalse();
        }
        client.lock();
        try {
            options.clear();
        } finally {
            client.unlock();
        }
        while (driver.status().sockets().size() < 2) {
            assertThat(Thread.interrupted()).as("it takes too long").isFalse();
        }
        for (final RdpSocket socket : List.of(from, to)) {
            assertThatThrownBy(socket::pending).hasMessageContaining("the shared driver has ended");
        }
        delivers();
    }
}
