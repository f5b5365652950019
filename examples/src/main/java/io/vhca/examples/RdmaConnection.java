package io.vhca.examples;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.CqInitAttributes;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One reliable connection with its buffers: what nearly every RDMA program sets up first, in one place to read.
 *
 * <p>Nothing is hidden that a program could not do itself through vhca-api: {@link #qp()}, {@link #pd()} and
 * {@link #cq()} are the real objects. {@link #send} and {@link #receive} copy and wait, for clarity's sake; a program
 * that wants the speed of RDMA posts its own registered memory and polls.
 *
 * <pre>
 *   connect:  createId, resolveAddr, resolveRoute, createQp, postRecv x DEPTH, connect   then the first send waits
 *   accept:   CONNECT_REQUEST, createQp, postRecv x DEPTH, accept                        for ESTABLISHED
 * </pre>
 *
 * One thread at a time.
 */
public final class RdmaConnection implements AutoCloseable {
    /** Largest message where nothing else is said, in bytes. */
    public static final int MESSAGE_BYTES = 4096;

    /** Receives kept posted. */
    public static final int DEPTH = 16;

    static final long TIMEOUT_NS = 30_000_000_000L;

    private static final int CM_TIMEOUT_MS = 2000;

    private final Context device;
    private final CmEvents events;
    private final boolean ownsChannel;
    private final CmId id;
    private final int messageBytes;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final MemoryRegion mr;
    private final SendWorkRequest sendWr = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recvWr = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
    /** Slots that arrived and were not read yet: slot in the high half, length in the low one. */
    private final ArrayDeque<Long> arrived = new ArrayDeque<>();

    private boolean established;
    private boolean closed;

    private RdmaConnection(
            final Context device,
            final CmEvents events,
            final boolean ownsChannel,
            final CmId id,
            final int messageBytes,
            final boolean singleThreaded) {
        this.device = device;
        this.events = events;
        this.ownsChannel = ownsChannel;
        this.id = id;
        this.messageBytes = messageBytes;
        final Deque<Runnable> made = new ArrayDeque<>();
        made.push(arena::close);
        boolean done = false;
        try {
            pd = device.allocPd();
            made.push(pd::close);
            final MemorySegment memory = arena.allocate((DEPTH + 1L) * messageBytes, 64);
            mr = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
            made.push(mr::close);
            cq = device.createCq(new CqInitAttributes(4 * DEPTH, null, null, singleThreaded));
            made.push(cq::close);
            final QpInitAttributes init = QpInitAttributes.rc(cq, cq, new QpCapabilities(2 * DEPTH, DEPTH, 1, 1, 0));
            qp = id.createQp(pd, singleThreaded ? init.forOneThread() : init);
            made.push(id::close);
            for (int slot = 0; slot < DEPTH; slot++) {
                postReceive(slot);
            }
            done = true;
        } finally {
            if (!done) {
                // What is left open keeps its device open too.
                made.forEach(Runnable::run);
            }
        }
    }

    /** Connects to a listener, messages up to {@link #MESSAGE_BYTES}. */
    public static RdmaConnection connect(final Context device, final InetSocketAddress peer) {
        return connect(device, peer, MESSAGE_BYTES);
    }

    /**
     * Sends a connection request ({@code rdma_connect}). Returns once the request is out; {@link #awaitEstablished} or
     * the first send waits for the answer, so that one thread can hold both ends.
     *
     * @throws VerbsException EHOSTUNREACH where the address cannot be resolved
     */
    public static RdmaConnection connect(final Context device, final InetSocketAddress peer, final int messageBytes) {
        return connect(device, peer, messageBytes, false);
    }

    /**
     * As {@link #connect(Context, InetSocketAddress, int)}.
     *
     * @param singleThreaded one thread at a time uses its queues too, as {@link QpInitAttributes} says
     */
    public static RdmaConnection connect(
            final Context device, final InetSocketAddress peer, final int messageBytes, final boolean singleThreaded) {
        final CmEvents events = new CmEvents(device.createEventChannel());
        CmId id = null;
        RdmaConnection connection = null;
        boolean done = false;
        try {
            id = events.channel().createId(CmPortSpace.TCP, null);
            id.resolveAddr(null, peer, CM_TIMEOUT_MS);
            events.await(id, CmEventType.ADDR_RESOLVED, "resolveAddr", TIMEOUT_NS);
            id.resolveRoute(CM_TIMEOUT_MS);
            events.await(id, CmEventType.ROUTE_RESOLVED, "resolveRoute", TIMEOUT_NS);
            connection = new RdmaConnection(device, events, true, id, messageBytes, singleThreaded);
            id.connect(ConnectParameters.of(new byte[0]));
            done = true;
            return connection;
        } finally {
            if (!done) {
                close(connection, id);
                events.channel().close();
            }
        }
    }

    static RdmaConnection accept(
            final Context device, final CmEvents events, final CmId id, final int messageBytes) {
        RdmaConnection connection = null;
        boolean done = false;
        try {
            connection = new RdmaConnection(device, events, false, id, messageBytes, false);
            id.accept(ConnectParameters.of(new byte[0]));
            done = true;
            return connection;
        } finally {
            if (!done) {
                close(connection, id);
            }
        }
    }

    /** What there is of a connection that came to nothing; the channel of its events stays. */
    private static void close(final @Nullable RdmaConnection connection, final @Nullable CmId id) {
        if (connection != null) {
            connection.release();
        } else if (id != null) {
            id.close();
        }
    }

    /** The queue pair, to post to it directly; its completions arrive at {@link #cq()}. */
    public QueuePair qp() {
        return qp;
    }

    /** The protection domain, to register memory that the queue pair may use. */
    public ProtectionDomain pd() {
        return pd;
    }

    /** The completion queue of both directions. */
    public CompletionQueue cq() {
        return cq;
    }

    /** Waits until the connection stands (ESTABLISHED). At once when it does. */
    public void awaitEstablished() {
        if (!established) {
            events.await(id, CmEventType.ESTABLISHED, "connect", TIMEOUT_NS);
            established = true;
        }
    }

    /** Sends a text as one message, UTF-8. */
    public void send(final String text) {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends one message and waits for its completion: the peer's device has it.
     *
     * @throws VerbsException EMSGSIZE when it is longer than the connection's messages may be, EIO when it failed
     */
    public void send(final byte[] message) {
        if (message.length > messageBytes) {
            throw new VerbsException(
                    "send",
                    Errno.EMSGSIZE,
                    name(),
                    message.length + " bytes do not fit into a message of " + messageBytes);
        }
        awaitEstablished();
        final long address = mr.addr() + (long) DEPTH * messageBytes;
        MemorySegment.copy(
                MemorySegment.ofArray(message), 0, NativeMemory.segment(address, messageBytes), 0, message.length);
        execute(sendWr.opcode(WrOpcode.SEND).sge(address, message.length, mr.lkey()));
    }

    /**
     * Posts one request signaled and waits for its completion, whatever its opcode.
     *
     * @throws VerbsException EIO with the completion's status when it failed
     */
    public void execute(final SendWorkRequest wr) {
        final int posted = qp.postSend(wr.wrId(DEPTH).sendFlags(SendFlags.SIGNALED));
        if (posted < 0) {
            throw new VerbsException("postSend", -posted, name(), "the request was refused");
        }
        while (!pollOnce(System.nanoTime() + TIMEOUT_NS)) {
            // A receive came first; it is kept for receive().
        }
    }

    /** Waits for a message and gives it as text, UTF-8. */
    public String receiveText() {
        return new String(receive(), StandardCharsets.UTF_8);
    }

    /**
     * Waits for the next message, in the order sent.
     *
     * @throws VerbsException ETIMEDOUT when none came, EIO when the connection failed
     */
    public byte[] receive() {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (arrived.isEmpty()) {
            pollOnce(deadlineNs);
        }
        final long arrival = arrived.remove();
        final int slot = (int) (arrival >>> 32);
        final byte[] message = new byte[(int) arrival];
        final MemorySegment source = NativeMemory.segment(slotAddress(slot), messageBytes);
        MemorySegment.copy(source, 0, MemorySegment.ofArray(message), 0, message.length);
        postReceive(slot);
        return message;
    }

    /** As {@link #receive}, but null once the peer has disconnected. */
    byte @Nullable [] receiveUnlessOver() {
        boolean isOver = false;
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        for (int round = 0; arrived.isEmpty(); round++) {
            final int polled = cq.poll(wc);
            if (polled > 0 && wc.status() == WcStatus.WR_FLUSH_ERR.code()) {
                return null;
            }
            if (polled != 0) {
                taken(polled);
            } else if (isOver) {
                return null;
            } else if (deadlineNs - System.nanoTime() < 0) {
                throw timedOut();
            } else {
                Waiting.pause(round);
                isOver = Waiting.isNap(round) && events.isOver(id);
            }
        }
        return receive();
    }

    /** Waits for one completion; true when it was that of a send. */
    private boolean pollOnce(final long deadlineNs) {
        int polled = cq.poll(wc);
        for (int spins = 0; polled == 0; spins++) {
            Waiting.pause(spins);
            if (deadlineNs - System.nanoTime() < 0) {
                throw timedOut();
            }
            polled = cq.poll(wc);
        }
        return taken(polled);
    }

    private VerbsException timedOut() {
        return new VerbsException("pollCq", Errno.ETIMEDOUT, name(), "no completion; is the peer alive?");
    }

    private boolean taken(final int polled) {
        if (polled < 0) {
            throw new VerbsException("pollCq", -polled, name(), "the completion queue is in error");
        }
        if (wc.status() != 0) {
            throw new VerbsException("pollCq", Errno.EIO, name(), "completed with " + wc.statusName());
        }
        if (wc.opcode() >= WcOpcode.RECV.code()) {
            arrived.add(wc.wrId() << 32 | wc.byteLen());
            return false;
        }
        return true;
    }

    private void postReceive(final int slot) {
        final int posted = qp.postRecv(recvWr.wrId(slot).sge(slotAddress(slot), messageBytes, mr.lkey()));
        if (posted < 0) {
            throw new VerbsException("postRecv", -posted, name(), "the receive was refused");
        }
    }

    private long slotAddress(final int slot) {
        return mr.addr() + (long) slot * messageBytes;
    }

    private String name() {
        return device.device().name() + " qp " + qp.qpNum();
    }

    /** Disconnects and releases everything, the queue pair first, the memory last. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (established) {
            id.disconnect();
        }
        release();
        if (ownsChannel) {
            events.channel().close();
        }
    }

    private void release() {
        id.close();
        cq.close();
        mr.close();
        pd.close();
        arena.close();
    }
}
