package io.vhca.harness.bench.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * A datagram socket of the kernel by plain calls of the C library, for families that Java knows nothing of: each call
 * waits in the kernel, and none longer than {@link #PATIENCE_MS}. IPv4. One thread.
 */
final class SocketCalls implements AutoCloseable {
    /** So long a call waits at most. */
    static final int PATIENCE_MS = 10;

    private static final int AF_INET = 2;
    private static final int AF_RDS = 21;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    /** What RDS says where others say EAGAIN. */
    private static final int ETIMEDOUT = 110;

    private static final int ECONNREFUSED = 111;
    /** Of a call that may be made again. */
    private static final Set<Integer> AGAIN = Set.of(EINTR, EAGAIN, ETIMEDOUT, ECONNREFUSED);

    private static final int ADDRESS_BYTES = 16;
    private static final int TIMEVAL_BYTES = 16;
    private static final int BUFFER_BYTES = 1 << 20;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final long ERRNO =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SOCKET = handle("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle BIND = handle("bind", FunctionDescriptor.of(INT, INT, LONG, INT));
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, LONG, INT));
    private static final MethodHandle SENDTO =
            handle("sendto", FunctionDescriptor.of(LONG, INT, LONG, LONG, INT, LONG, INT));
    private static final MethodHandle RECV = handle("recv", FunctionDescriptor.of(LONG, INT, LONG, LONG, INT));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT));

    private final Arena arena = Arena.ofShared();
    private final MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
    private final MemorySegment to;
    private final String name;
    private final int fd;

    /** @param isReliable RDS, else UDP */
    SocketCalls(final boolean isReliable, final InetSocketAddress own, final InetSocketAddress peer) {
        name = (isReliable ? "RDS" : "UDP") + " socket of " + own;
        to = address(peer);
        fd = isReliable ? socket(AF_RDS, SOCK_SEQPACKET) : socket(AF_INET, SOCK_DGRAM);
        option(SO_SNDBUF, arena.allocateFrom(INT, BUFFER_BYTES));
        option(SO_RCVBUF, arena.allocateFrom(INT, BUFFER_BYTES));
        final MemorySegment patience = arena.allocate(TIMEVAL_BYTES, Long.BYTES);
        patience.set(LONG, Long.BYTES, PATIENCE_MS * 1_000L);
        option(SO_RCVTIMEO, patience);
        option(SO_SNDTIMEO, patience);
        try {
            checked("bind", (int) BIND.invokeExact(errno, fd, address(own).address(), ADDRESS_BYTES));
        } catch (final Throwable e) {
            close();
            throw failed(e);
        }
    }

    private static MethodHandle handle(final String name, final FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    }

    /** A struct sockaddr_in. */
    private MemorySegment address(final InetSocketAddress from) {
        final MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
        address.set(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) from.getPort());
        MemorySegment.copy(from.getAddress().getAddress(), 0, address, ValueLayout.JAVA_BYTE, 4, Integer.BYTES);
        return address;
    }

    private int socket(final int family, final int type) {
        try {
            return (int) checked("socket", (int) SOCKET.invokeExact(errno, family, type, 0));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    private void option(final int option, final MemorySegment value) {
        try {
            checked("setsockopt", (int) SETSOCKOPT.invokeExact(
                    errno, fd, SOL_SOCKET, option, value.address(), (int) value.byteSize()));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** Memory that datagrams are sent from and received into. */
    MemorySegment memory(final long bytes) {
        return arena.allocate(bytes, 64);
    }

    /** Sends a datagram; false when the kernel did not take it in time. */
    boolean send(final MemorySegment from, final int bytes) {
        try {
            return checked("sendto", (long) SENDTO.invokeExact(
                    errno, fd, from.address(), (long) bytes, 0, to.address(), ADDRESS_BYTES)) >= 0;
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** The length of the next datagram; -1 when none came in time. */
    int receive(final MemorySegment into) {
        try {
            return (int) checked("recv", (long) RECV.invokeExact(errno, fd, into.address(), into.byteSize(), 0));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    /** The result; -1 where the call may be made again. */
    private long checked(final String call, final long result) {
        final int error = result < 0 ? errno.get(INT, ERRNO) : 0;
        if (error != 0 && !AGAIN.contains(error)) {
            throw new IllegalStateException(call + " of the " + name + " ended with errno " + error);
        }
        return result;
    }

    private static RuntimeException failed(final Throwable e) {
        return e instanceof final RuntimeException known ? known : new IllegalStateException("a downcall threw", e);
    }

    @Override
    public void close() {
        try (arena) {
            checked("close", (int) CLOSE.invokeExact(errno, fd));
        } catch (final Throwable e) {
            throw failed(e);
        }
    }
}
