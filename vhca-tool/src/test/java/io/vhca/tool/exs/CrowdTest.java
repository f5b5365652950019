package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.exs.EventKind;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.MessageFlags;
import io.vhca.exs.SocketType;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that does as it likes gets its own echoes, and keeps nobody else from his. */
@Timeout(60)
class CrowdTest {
    private static final int MESSAGES = 40;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final Arena arena = Arena.ofShared();
    private final Context here = open(81);
    private final Context there = open(82);
    private final Exs clients = Exs.init(Exs.VERSION, here, ExsOptions.DEFAULT.drivenByCaller());
    private final Exs server = Exs.init(Exs.VERSION, there, ExsOptions.DEFAULT.drivenByCaller());
    private final ExsQueue queue = clients.qcreate(2 * MESSAGES);
    private final ExsEvent[] events = {new ExsEvent()};

    private static Context open(final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        final InetAddress own =
                InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + last);
        return SoftDevice.overUdp(new SoftConfig("crowd" + last, own, 4096)).open();
    }

    @AfterEach
    void close() {
        clients.close();
        server.close();
        here.close();
        there.close();
        arena.close();
    }

    private int errno(final EventKind kind) {
        assertThat(queue.qdequeue(events, PATIENCE_NS)).as("an event %s", kind).isEqualTo(1);
        assertThat(events[0].kind()).isEqualTo(kind);
        return events[0].errno();
    }

    private void await(final EventKind kind) {
        assertThat(errno(kind)).isZero();
    }

    private ExsSocket connected(final InetSocketAddress peer) {
        int errno = Errno.ECONNREFUSED;
        ExsSocket socket = clients.socket(SocketType.STREAM);
        while (errno == Errno.ECONNREFUSED) { // nobody listens yet
            socket.close();
            socket = clients.socket(SocketType.STREAM);
            assertThat(socket.connect(peer, queue, null)).isZero();
            errno = errno(EventKind.CONNECT);
        }
        assertThat(errno).isZero();
        return socket;
    }

    private MemorySegment numbered(final int messages) {
        final MemorySegment memory = arena.allocate((long) messages * Crowd.BYTES, Crowd.BYTES);
        for (int i = 0; i < messages; i++) {
            memory.asSlice((long) i * Crowd.BYTES, Crowd.BYTES).fill((byte) (i + 1));
        }
        return memory;
    }

    private void send(final ExsSocket socket, final MemorySegment messages) {
        for (long at = 0; at < messages.byteSize(); at += Crowd.BYTES) {
            assertThat(socket.send(messages.asSlice(at, Crowd.BYTES), 0, queue, null)).isNotNegative();
            await(EventKind.SEND);
        }
    }

    private void receive(final ExsSocket socket, final MemorySegment messages) {
        final MemorySegment echoed = arena.allocate(messages.byteSize());
        assertThat(socket.recv(echoed, MessageFlags.MSG_WAITALL, queue, null)).isNotNegative();
        await(EventKind.RECV);
        assertThat(events[0].bytes()).isEqualTo(messages.byteSize());
        assertThat(echoed.mismatch(messages)).as("the first byte that differs").isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void whoReceivesLateGetsHisOwnMessages(final int most) throws Exception {
        final InetSocketAddress own = new InetSocketAddress(there.ipGid(1).address(), 17_471);
        final Crowd crowd = new Crowd(server, arena, most);
        final FutureTask<Integer> serving = new FutureTask<>(() -> crowd.serve(own, 4));
        Thread.ofPlatform().daemon().start(serving);
        final MemorySegment late = numbered(MESSAGES);
        final ExsSocket first = connected(own);
        send(first, late);
        for (int other = 0; other < 3; other++) {
            final ExsSocket quick = connected(own);
            for (int round = 0; round < 10; round++) {
                send(quick, numbered(2));
                receive(quick, numbered(2));
            }
            quick.close();
        }
        receive(first, late);
        first.close();
        assertThat(serving.get(30, TimeUnit.SECONDS)).as("none was lost").isZero();
    }
}
