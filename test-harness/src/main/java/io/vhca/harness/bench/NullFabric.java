package io.vhca.harness.bench;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Where the null devices of this process find each other: queue pairs by number, listeners by address. Any thread. */
final class NullFabric {
    private static final int FIRST_PORT = 49_152;
    private static final Map<Integer, NullQp> QPS = new ConcurrentHashMap<>();
    private static final Map<InetSocketAddress, NullCmId> LISTENERS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT_QPN = new AtomicInteger(16);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(FIRST_PORT);

    private NullFabric() {}

    static int add(final NullQp qp) {
        final int number = NEXT_QPN.getAndIncrement();
        QPS.put(number, qp);
        return number;
    }

    static void remove(final NullQp qp) {
        QPS.remove(qp.qpNum());
    }

    static @Nullable NullQp qp(final int number) {
        return QPS.get(number);
    }

    static int freePort() {
        return NEXT_PORT.getAndIncrement();
    }

    static void listen(final InetSocketAddress address, final NullCmId id) {
        if (LISTENERS.putIfAbsent(address, id) != null) {
            throw new VerbsException("listen", Errno.EADDRINUSE, address.toString(), "another id listens there");
        }
    }

    static void unlisten(final NullCmId id) {
        LISTENERS.values().remove(id);
    }

    static @Nullable NullCmId listener(final InetSocketAddress address) {
        return LISTENERS.get(address);
    }
}
