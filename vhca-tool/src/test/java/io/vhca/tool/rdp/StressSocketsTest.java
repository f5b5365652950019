package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends the thread of a stress is heard by who has its sockets, also where they only serve. */
@Timeout(60)
class StressSocketsTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
    private static final VerbsException DRIVER_ENDED =
            new VerbsException("receive", Errno.ENOTCONN, "socket of 4000", "the shared driver has ended");
    private static final StressPlan ONE = new StressPlan(1, 1, 1, 20, 20, 4_000, 1);

    private final CompletableFuture<InetSocketAddress> acknowledged = new CompletableFuture<>();
    private final Queue<Throwable> failedSends = new ArrayDeque<>();

    private static <T> T proxy(final Class<T> type, final InvocationHandler does) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, does));
    }

    /** Its receives throw those, one after the other; then there are so many requests. */
    private RdpSocket socket(final List<Throwable> thrown) {
        final Queue<Throwable> left = new ArrayDeque<>(thrown);
        final Queue<InetSocketAddress> requests = new ArrayDeque<>(List.of(PEER, PEER));
        return proxy(RdpSocket.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "receive" -> {
                if (!left.isEmpty()) {
                    throw left.remove();
                }
                ((ByteBuffer) arguments[0]).position(StressPlan.HEAD);
                yield requests.poll();
            }
            case "send" -> {
                if (!failedSends.isEmpty()) {
                    throw failedSends.remove();
                }
                acknowledged.complete((InetSocketAddress) arguments[1]);
                yield SendResult.SENT;
            }
            case "hashCode" -> 1;
            case "equals" -> proxy == arguments[0];
            default -> null;
        });
    }

    /** Of whose sockets each is always ready for what it waits for. */
    private static RdpSockets driver(final RdpSocket socket) {
        final Map<Object, Object> interests = new ConcurrentHashMap<>();
        final RdpPoller poller = proxy(RdpPoller.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "add" -> {
                interests.put(arguments[0], arguments[1]);
                yield null;
            }
            case "poll" -> interests.entrySet().stream()
                    .filter(one -> !one.getValue().equals(0))
                    .map(Map.Entry::getKey)
                    .toList();
            default -> null;
        });
        return proxy(
                RdpSockets.class, (proxy, method, arguments) -> method.getName().equals("bind") ? socket : poller);
    }

    private StressSockets sockets(final @Nullable InetAddress host, final Throwable... thrown) {
        return new StressSockets(driver(socket(List.of(thrown))), 64, ONE, host);
    }

    static List<Throwable> failures() {
        return List.of(
                new VerbsException("receive", Errno.EIO, "socket of 4000", "it is broken"),
                new IllegalStateException("it is broken"),
                new AssertionError("it is broken"));
    }

    /** Such a server had said nothing, and served nobody. */
    @ParameterizedTest
    @MethodSource("failures")
    void whyAServerServesNoLongerIsHeard(final Throwable failure) throws InterruptedException {
        try (StressSockets serving = sockets(null, failure)) {
            serving.begin();
            assertThat(serving.awaitFailure()).contains("it is broken");
        }
    }

    /** The same sockets go on with the next one. */
    @Test
    void aServerOutlivesItsSharedDriver() throws Exception {
        try (StressSockets serving = sockets(null, DRIVER_ENDED, DRIVER_ENDED)) {
            serving.begin();
            assertThat(acknowledged.get()).isEqualTo(PEER);
        }
    }

    /** It was to acknowledge the first of two. */
    @Test
    void aServerThatWasSendingAsItsDriverEndedServesTheNextRequest() throws Exception {
        failedSends.add(DRIVER_ENDED);
        try (StressSockets serving = sockets(null)) {
            serving.begin();
            assertThat(acknowledged.get()).isEqualTo(PEER);
        }
    }

    /** What it has sent last may be lost, and with it the order that it counts on. */
    @Test
    void whoAsksDoesNotOutliveIt() throws InterruptedException {
        try (StressSockets asking = sockets(PEER.getAddress(), DRIVER_ENDED)) {
            asking.begin();
            assertThat(asking.awaitFailure()).contains("the shared driver has ended");
        }
    }

    @Test
    void aFailureIsSaidInPlaceOfACount() throws IOException {
        try (StressSockets serving = sockets(null, DRIVER_ENDED, new IllegalStateException("it is broken"))) {
            assertThat(serving.sample().each()).containsExactly(StressCount.NONE);
            serving.begin();
            assertThatThrownBy(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    serving.sample();
                }
            }).isInstanceOf(IOException.class).hasMessageContaining("it is broken");
        }
    }
}
