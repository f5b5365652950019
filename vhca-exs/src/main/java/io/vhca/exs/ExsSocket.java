package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.WatchedTime;
import io.vhca.api.cm.CmEvent;
import io.vhca.exs.engine.Call;
import io.vhca.exs.engine.CallSink;
import io.vhca.exs.engine.EngineState;
import io.vhca.exs.engine.SocketEngine;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An extended socket. A call that takes a queue and a cookie returns at once and ends in one event of that queue, in
 * order per direction. Any thread; calls that do not fit (a flag, memory out of bounds, a socket that is not
 * connected) throw {@link VerbsException}, back-pressure is a negative number.
 *
 * <pre>
 *   NEW --bind--> BOUND --listen--> LISTENING
 *     \             |
 *      '--connect---'--> CONNECTING --> CONNECTED --> OVER      any --close--> CLOSING, then gone
 * </pre>
 */
public final class ExsSocket implements AutoCloseable {
    /** Of {@link #poll}: a receive would find data, the end, or an error. */
    public static final int READABLE = 1;

    /** Of {@link #poll}: a send would be begun at once. */
    public static final int WRITABLE = 1 << 1;

    /** Who lingers and has no turn for longer than this has not sent meanwhile either. */
    private static final long MOST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Driver driver;
    private final SocketType type;
    private final Handshake handshake;
    private final CallSink sink = new CallEvents(this);
    private final CallMemory memories;
    /** Null before the first. */
    private @Nullable Polls polls;
    /** How long it goes on sending; null until it is closed. */
    private @Nullable WatchedTime linger;

    private boolean isGone;

    ExsSocket(final Driver driver, final SocketType type, final ExsOptions options) {
        this.driver = driver;
        this.type = type;
        memories = new CallMemory(driver, this);
        handshake = new Handshake(driver, this, options);
        driver.locked(() -> driver.add(this));
    }

    CallSink sink() {
        return sink;
    }

    /** The connection, once there is one. The driver's lock. */
    @Nullable Connection connection() {
        return handshake.connection();
    }

    public SocketType type() {
        return type;
    }

    /** Own address, or null before binding or connecting. */
    public @Nullable InetSocketAddress localAddress() {
        return handshake.localAddress();
    }

    /** The peer's address, or null before connecting. */
    public @Nullable InetSocketAddress peerAddress() {
        return handshake.peerAddress();
    }

    /**
     * Reads a setting ({@code exs_fcntl}). Of an accepted socket TOS and SERVICE_LEVEL are what the peer's request asks
     * for, unless the listener has its own.
     */
    public int fcntl(final ExsSetting setting) {
        driver.lock();
        try {
            return handshake.value(setting);
        } finally {
            driver.unlock();
        }
    }

    /** Changes a setting; EISCONN once the socket is being connected or listens, whose accepted sockets have it too. */
    public void fcntl(final ExsSetting setting, final int value) {
        driver.locked(() -> handshake.set(setting, value));
    }

    /** Names the own address ({@code exs_bind}); a connect comes from there, a listen accepts there. EINVAL: closed. */
    public void bind(final InetSocketAddress address) {
        driver.locked(() -> handshake.bind(address));
    }

    /**
     * Takes requests at the bound address ({@code exs_listen}), and answers them at once. Further ones than the backlog
     * has room for are refused. Each waiting connection has the memory and the queue pair of a socket. A connection
     * that has ended gives up its place, unless data or the peer's end of stream is still to be received.
     *
     * @param backlog how many connections may be unconfirmed or wait for an accept, besides one for each accept that
     *     waits
     * @throws VerbsException EINVAL where it is not bound, or closed
     */
    public void listen(final int backlog) {
        driver.locked(() -> handshake.listen(backlog));
    }

    /**
     * Takes the connection that has been there for the longest time, or waits for the next one ({@code exs_accept});
     * the event has the new socket. Its errno: ECANCELED where the listener is closed, ENODEV where its device went
     * away. -ENOBUFS: the queue is full.
     *
     * @throws VerbsException EINVAL where it does not listen, or was closed; ENODEV once its device went away
     */
    public int accept(final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            checkQueue("accept", queue);
            return handshake.accept(queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    /** Cancels the accepts that wait ({@code exs_cancel}); their events have ECANCELED. False when none does. */
    public boolean cancelAccept() {
        driver.lock();
        try {
            return handshake.cancelAccepts();
        } finally {
            driver.unlock();
        }
    }

    /**
     * Connects ({@code exs_connect}); this may end before the peer's application accepts. The event's errno:
     * ECONNREFUSED, EHOSTUNREACH, EPROTONOSUPPORT where the peer is no extended socket of this type and version, ENODEV
     * where the device went away, what the device says where it refuses. -ENOBUFS: the queue is full.
     *
     * @throws VerbsException EISCONN where it is connected already, EINVAL where it was closed
     */
    public int connect(final InetSocketAddress peer, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            checkQueue("connect", queue);
            return handshake.connect(peer, queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    private void checkQueue(final String call, final ExsQueue queue) {
        if (queue.driver() != driver) {
            throw new VerbsException(call, Errno.EINVAL, toString(), "the queue is of another Exs");
        }
    }

    /**
     * Sends registered memory ({@code exs_send}). The memory is the caller's again with the event.
     *
     * @return the call's number among the sends, for {@link #cancelSend}; or a negative errno, and then there is no
     * event: -EAGAIN: {@link ExsSetting#CALLS} sends are outstanding, -ENOBUFS: the queue is full, -EPIPE: after
     * shutdown, or the connection is over
     */
    public long send(
            final ExsMemory memory,
            final long offset,
            final long lengthBytes,
            final int flags,
            final ExsQueue queue,
            final @Nullable Object cookie) {
        driver.lock();
        try {
            MessageFlags.check("send", this, flags, 0);
            memories.check("send", memory, offset, lengthBytes, false);
            final long refused = sendRefused(queue);
            if (refused < 0) {
                return refused;
            }
            final Call call = engine("send").nextSend();
            CallMemory.add(call, memory, offset, lengthBytes);
            return sent(call, queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    /** Sends several parts of memory as one ({@code exs_sendmsg}); as {@link #send}. */
    public long sendmsg(
            final ExsSlice[] slices, final int flags, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            MessageFlags.check("sendmsg", this, flags, 0);
            memories.check("sendmsg", slices, false);
            final long refused = sendRefused(queue);
            if (refused < 0) {
                return refused;
            }
            final SocketEngine engine = engine("sendmsg");
            return sent(memories.add("sendmsg", engine.nextSend(), slices, engine.mostData()), queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    /**
     * Sends memory that is not registered; as {@link #send}. What does not fit into a message is registered for it, and
     * kept registered for the next call while the memory's scope lives: slower than registered memory. That of the
     * global arena is registered for one call only.
     *
     * @param memory native
     */
    public long send(
            final MemorySegment memory, final int flags, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            MessageFlags.check("send", this, flags, 0);
            memories.check("send", memory, false);
            final long refused = sendRefused(queue); // before anything is registered for it
            if (refused < 0) {
                return refused;
            }
            final boolean isCopied = memory.isNative() && memory.byteSize() <= engine("send").mostData();
            final ExsMemory registered = isCopied ? null : driver.cache().of("send", memory);
            return sent(CallMemory.add(engine("send").nextSend(), memory, registered), queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    private long sendRefused(final ExsQueue queue) {
        final SocketEngine engine = engine("send");
        checkQueue("send", queue);
        if (engine.isShut() || engine.errno() != 0 || linger != null) {
            return -Errno.EPIPE;
        }
        if (engine.isSendFull()) {
            return -Errno.EAGAIN;
        }
        return queue.hasRoom("send") ? 0 : -Errno.ENOBUFS;
    }

    private long sent(final Call call, final ExsQueue queue, final @Nullable Object cookie) {
        queue.reserve();
        call.owner = queue;
        call.cookie = cookie;
        final long number = call.sequence();
        engine("send").addSend();
        progress();
        return number;
    }

    /**
     * Receives into registered memory ({@code exs_recv}). The event has how much; from a stream 0 bytes are the end.
     *
     * @param flags {@link MessageFlags#MSG_WAITALL} (streams), {@link MessageFlags#MSG_PEEK}
     * @return as {@link #send}, for {@link #cancelRecv}; -ENOTCONN: the connection is over and all that came was
     *     received
     */
    public long recv(
            final ExsMemory memory,
            final long offset,
            final long lengthBytes,
            final int flags,
            final ExsQueue queue,
            final @Nullable Object cookie) {
        driver.lock();
        try {
            checkRecvFlags("recv", flags);
            memories.check("recv", memory, offset, lengthBytes, true);
            final long refused = recvRefused(queue);
            if (refused < 0) {
                return refused;
            }
            final Call call = engine("recv").nextRecv();
            CallMemory.add(call, memory, offset, lengthBytes);
            return received(call, flags, queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    /** Receives into several parts of memory, one after the other ({@code exs_recvmsg}); as {@link #recv}. */
    public long recvmsg(
            final ExsSlice[] slices, final int flags, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            checkRecvFlags("recvmsg", flags);
            memories.check("recvmsg", slices, true);
            final long refused = recvRefused(queue);
            if (refused < 0) {
                return refused;
            }
            final SocketEngine engine = engine("recvmsg");
            final long mostCopied = engine.errno() != 0 ? Long.MAX_VALUE : -1; // its device may be gone
            return received(memories.add("recvmsg", engine.nextRecv(), slices, mostCopied), flags, queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    /** Receives into memory that is not registered; it is registered for it, as for a send. */
    public long recv(
            final MemorySegment memory, final int flags, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            checkRecvFlags("recv", flags);
            memories.check("recv", memory, true);
            final long refused = recvRefused(queue);
            if (refused < 0) {
                return refused;
            }
            final boolean isCopied = memory.isNative() && engine("recv").errno() != 0; // its device may be gone
            final ExsMemory registered = isCopied ? null : driver.cache().of("recv", memory);
            return received(CallMemory.add(engine("recv").nextRecv(), memory, registered), flags, queue, cookie);
        } finally {
            driver.unlock();
        }
    }

    private void checkRecvFlags(final String call, final int flags) {
        final boolean isStream = type == SocketType.STREAM;
        MessageFlags.check(
                call, this, flags, MessageFlags.MSG_PEEK | (isStream ? MessageFlags.MSG_WAITALL : 0));
    }

    private long recvRefused(final ExsQueue queue) {
        final SocketEngine engine = engine("recv");
        checkQueue("recv", queue);
        if (linger != null || !engine.mayReceive() || engine.isOver() && !engine.isPeerFinished()) {
            return -Errno.ENOTCONN;
        }
        if (engine.isRecvFull()) {
            return -Errno.EAGAIN;
        }
        return queue.hasRoom("recv") ? 0 : -Errno.ENOBUFS;
    }

    private long received(
            final Call call, final int flags, final ExsQueue queue, final @Nullable Object cookie) {
        queue.reserve();
        call.owner = queue;
        call.cookie = cookie;
        call.flags(((flags & MessageFlags.MSG_WAITALL) != 0 ? Call.WAIT_ALL : 0)
                | ((flags & MessageFlags.MSG_PEEK) != 0 ? Call.PEEK : 0));
        final long number = call.sequence();
        engine("recv").addRecv();
        progress();
        return number;
    }

    private SocketEngine engine(final String call) {
        final Connection connection = handshake.connection();
        if (connection == null || !connection.hasBegun()) {
            throw new VerbsException(
                    call, Errno.ENOTCONN, toString(), "it is not connected; connect it and wait for the event");
        }
        return connection.engine();
    }

    /** Cancels a send that has not begun; its event comes in its turn, with ECANCELED. False when it is too late. */
    public boolean cancelSend(final long number) {
        driver.lock();
        try {
            final boolean isCancelled = engine("cancel").cancelSend(number);
            progress();
            return isCancelled;
        } finally {
            driver.unlock();
        }
    }

    /**
     * Cancels a receive ({@code exs_cancel}); its event comes in its turn, with ECANCELED. False when data is on its
     * way into its memory, or the peer was told of it and may write there: {@link #close} ends that.
     */
    public boolean cancelRecv(final long number) {
        driver.lock();
        try {
            final boolean isCancelled = engine("cancel").cancelRecv(number);
            progress();
            return isCancelled;
        } finally {
            driver.unlock();
        }
    }

    /** {@link #READABLE} and {@link #WRITABLE}, as it is now; a listener is READABLE where an accept ends at once. */
    public int poll() {
        driver.lock();
        try {
            return ready();
        } finally {
            driver.unlock();
        }
    }

    /**
     * Waits until it is ready ({@code exs_poll}): one event, which has {@link ExsEvent#ready}, at once where it is so
     * already. Its errno: ECANCELED where that was cancelled or closed; what is over is ready, as no call would wait.
     * Who waits for several sockets asks each, with one queue, whose qdequeue has a timeout. -ENOBUFS: it is full.
     *
     * @param events {@link #READABLE}, {@link #WRITABLE} or both: then the first of them ends it
     * @throws VerbsException EINVAL for other events, or where it was closed, ENOTCONN where there is no connection
     */
    public int poll(final int events, final ExsQueue queue, final @Nullable Object cookie) {
        driver.lock();
        try {
            Polls.check(events, this, linger != null);
            final int ready = ready();
            checkQueue("poll", queue);
            if (!queue.hasRoom("poll")) {
                return -Errno.ENOBUFS;
            }
            polls = polls == null ? new Polls(this) : polls;
            polls.add(events, queue, cookie, ready);
            return 0;
        } finally {
            driver.unlock();
        }
    }

    /** Cancels its polls; their events come with ECANCELED. False when none waits. */
    public boolean cancelPoll() {
        driver.lock();
        try {
            return polls != null && polls.end(Errno.ECANCELED);
        } finally {
            driver.unlock();
        }
    }

    private int ready() {
        if (handshake.isListening()) {
            return handshake.isAcceptable() ? READABLE : 0;
        }
        final SocketEngine engine = engine("poll");
        if (engine.errno() != 0) {
            return READABLE | WRITABLE; // neither would wait
        }
        return (engine.isReadable() ? READABLE : 0) | (engine.isWritable() ? WRITABLE : 0);
    }

    /** It may be ready now. The driver's lock. */
    void onReady() {
        if (polls != null) {
            polls.look(ready());
        }
    }

    /** Sends nothing more; the peer reads the end after what was sent ({@code exs_shutdown}, SHUT_WR). */
    public void shutdown() {
        driver.locked(() -> {
            engine("shutdown").shutdown();
            progress();
        });
    }

    /** Why the connection is over, in a sentence, or empty. */
    public String failure() {
        final Connection connection = handshake.connection();
        return connection != null && connection.hasBegun() ? connection.engine().failure() : handshake.failure();
    }

    /** What the connection counts, for tests of it. */
    public EngineState state() {
        driver.lock();
        try {
            return engine("state").state();
        } finally {
            driver.unlock();
        }
    }

    /** Does what can be done, and ends what has failed. The driver's lock. */
    void progress() {
        final Connection connection = handshake.connection();
        if (connection == null || !connection.hasBegun()) {
            return;
        }
        connection.isDirty = false;
        final SocketEngine engine = connection.engine();
        engine.progress();
        if (engine.errno() != 0 && connection.isOpen()) {
            end(engine.errno(), engine.failure());
        }
        if (linger != null) {
            closeIfDone(driver.nowNs());
        }
        onReady();
    }

    /** Probes a peer that is silent. The driver's lock. */
    void look(final long nowNs) {
        final Connection connection = handshake.connection();
        if (connection != null && connection.hasBegun() && connection.isOpen() && !handshake.isUnderWay()) {
            connection.engine().look(nowNs);
            if (connection.engine().errno() != 0) {
                progress();
            }
        }
    }

    /** Becomes the passive end of a request that a listener got, or is closed where it cannot. */
    void adopt(final Handshake.Passive passive) {
        handshake.adopt(passive);
    }

    /** The connection manager says something about this socket. The driver's lock. */
    void onEvent(final CmEvent event) {
        handshake.onEvent(event);
    }

    /** Nobody gives it turns any more: all that waits ends. The driver's lock. */
    void abandon(final String sentence) {
        handshake.abandon(sentence);
        closeIfDone(driver.nowNs());
    }

    /** The connection is over: nothing touches memory any more, and all calls complete. */
    void end(final int errno, final String sentence) {
        final Connection connection = handshake.connection();
        if (connection == null || !connection.isOpen()) {
            return;
        }
        handshake.destroy(connection);
        if (connection.hasBegun()) {
            connection.engine().over(errno, sentence);
            onReady();
            handshake.lost(connection);
        }
    }

    /**
     * Closes it ({@code exs_close}): what was sent goes on for {@link ExsSetting#LINGER_MS} at most, in which time that
     * nobody gave it turns does not count; receives complete with ECANCELED when the connection ends, accepts, polls
     * and a connect that waits at once. Returns at once. Idempotent.
     */
    @Override
    public void close() {
        driver.locked(() -> {
            if (linger != null) {
                return;
            }
            driver.closing(this);
            final long nowNs = driver.clockNs();
            linger = new WatchedTime(
                    TimeUnit.MILLISECONDS.toNanos(handshake.options().lingerMs()), MOST_LOOK_NS, nowNs);
            cancelPoll();
            handshake.cancel(Errno.ECANCELED);
            final Connection connection = handshake.connection();
            if (connection != null && connection.hasBegun() && connection.isOpen()) {
                connection.engine().shutdown();
                progress();
            }
            closeIfDone(nowNs);
        });
    }

    /** Of a socket that is closing: lets it go once all was sent, or its time is over. */
    int closeIfDone(final long nowNs) {
        final WatchedTime began = linger;
        if (began == null || isGone) {
            return 0;
        }
        final Connection connection = handshake.connection();
        final boolean isLate = began.isOver(nowNs);
        if (connection != null && connection.isOpen() && connection.hasBegun()) {
            if (!connection.engine().isSendDone() && !isLate) {
                return 0;
            }
            end(Errno.ECANCELED, "the socket was closed");
        }
        isGone = true;
        if (connection != null) {
            end(Errno.ECANCELED, "the socket was closed");
            connection.release();
        }
        handshake.close();
        driver.remove(this);
        return 1;
    }

    @Override
    public String toString() {
        return "exs socket " + handshake.localAddress() + " to " + handshake.peerAddress();
    }
}
