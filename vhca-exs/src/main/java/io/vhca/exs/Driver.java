package io.vhca.exs;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WorkCompletion;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.exs.engine.EngineSizes;
import io.vhca.exs.engine.PortTap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All sockets of one device: one protection domain, completion queues, one event channel of the connection manager,
 * and a lock that every call and every turn holds. {@link #doWork} is a turn; who gives the turns is not its business.
 */
final class Driver implements AutoCloseable {
    private static final int POLLED = 64;
    private static final int MOST_CONNECTIONS = 1 << 20;
    private static final int LOOKS_A_SILENCE = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition posted = lock.newCondition();
    private final Context context;
    private final ProtectionDomain pd;
    private final CompletionChannel completions;
    private final CompletionQueues cqs;
    private final CmEventChannel events;
    private final Sleepers sleepers;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion wc = WorkCompletion.allocate(arena, POLLED);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest receive = RecvWorkRequest.allocate(arena, 1);
    private final SlotPool slots;
    private final RegistrationCache cache = new RegistrationCache(this, RegistrationCache.MOST_BYTES);
    private final boolean hasThread;
    private final Waiting waits = new Waiting(Runtime.getRuntime().availableProcessors());
    private final PortTap tap;
    private final LongSupplier clock;
    private final List<ExsSocket> sockets = new ArrayList<>();
    /** Of them, those that finish what they were given. */
    private final List<ExsSocket> closing = new ArrayList<>();
    private final Set<ExsMemory> memories = new HashSet<>();
    private final Map<CmId, ExsSocket> ids = new HashMap<>();
    private @Nullable ExsSocket[] connected = new ExsSocket[64];
    private int[] comings = new int[64];
    private ExsSocket[] dirty = new ExsSocket[64];
    private int dirtyCount;
    /** What those who sleep wait for; who has risen may be there still. */
    private final List<BooleanSupplier> asleep = new ArrayList<>();
    private int waiting;
    private boolean isClosed;
    /** All of its own was freed. */
    private volatile boolean isOver;
    /** Nobody gives turns any more: one of them has thrown. */
    private volatile boolean isAbandoned;
    private long nowNs;
    private long lookEveryNs = Long.MAX_VALUE;
    private long nextLookNs;

    Driver(final Context context, final boolean hasThread, final PortTap tap, final LongSupplier clock) {
        this.clock = clock;
        this.tap = tap;
        this.context = context;
        this.hasThread = hasThread;
        final ArrayDeque<Runnable> made = new ArrayDeque<>();
        made.push(arena::close);
        boolean isDone = false;
        try {
            pd = context.allocPd();
            made.push(pd::close);
            completions = context.createCompChannel();
            made.push(completions::close);
            cqs = new CompletionQueues(
                    context.queryDevice().maxCqe(), cqe -> context.createCq(cqe, this, completions));
            made.push(cqs::close);
            events = context.createEventChannel();
            isDone = true;
        } finally {
            if (!isDone) {
                made.forEach(Runnable::run);
            }
        }
        sleepers = new Sleepers(completions, events);
        slots = new SlotPool(pd);
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Runs a control call. */
    void locked(final Runnable call) {
        lock.lock();
        try {
            call.run();
        } finally {
            lock.unlock();
        }
    }

    Context context() {
        return context;
    }

    ProtectionDomain pd() {
        return pd;
    }

    CompletionQueue cqOf(final Connection connection) {
        return cqs.of(connection.id());
    }

    CmEventChannel events() {
        return events;
    }

    RegistrationCache cache() {
        return cache;
    }

    /** The time of the last turn. */
    long nowNs() {
        return nowNs;
    }

    /** The time, which may be long after the last turn. */
    long clockNs() {
        return clock.getAsLong();
    }

    /** Registers memory for a program, which deregisters it, or leaves that to {@link #close}. */
    ExsMemory mregister(final MemorySegment memory) {
        lock.lock();
        try {
            requireOpen("mregister");
            final ExsMemory registered = new ExsMemory(this, register("mregister", memory), memory.isReadOnly());
            memories.add(registered);
            return registered;
        } finally {
            lock.unlock();
        }
    }

    void deregistered(final ExsMemory memory) {
        memories.remove(memory);
    }

    MemoryRegion register(final String call, final MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new VerbsException(
                    call, Errno.EINVAL, "memory of " + memory.byteSize() + " bytes",
                    "only native memory of at least a byte can be registered; allocate it from an Arena");
        }
        final int access = AccessFlags.REMOTE_READ
                | (memory.isReadOnly() ? 0 : AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        return pd.regMr(memory, access);
    }

    /** Events of that id are of this socket; of a listener's new ids nobody knows it before. */
    void own(final CmId id, final ExsSocket socket) {
        ids.put(id, socket);
    }

    void disown(final CmId id) {
        ids.remove(id);
    }

    void add(final ExsSocket socket) {
        requireOpen("socket");
        sockets.add(socket);
    }

    void requireOpen(final String call) {
        if (isClosed) {
            throw new VerbsException(
                    call, Errno.EINVAL, name(), "its Exs was closed, or its thread has ended; init another one");
        }
    }

    void remove(final ExsSocket socket) {
        sockets.remove(socket);
        closing.remove(socket);
        sleepers.wake();
    }

    /** A place for a connection, with room for its completions. */
    Connection connect(final ExsSocket socket, final EngineSizes sizes) {
        assert lock.isHeldByCurrentThread();
        int id = 0;
        while (id < connected.length && connected[id] != null) {
            id++;
        }
        if (id == connected.length) {
            if (id == MOST_CONNECTIONS) {
                throw new VerbsException(
                        "connect", Errno.ENOBUFS, name(), id + " connections are the most; close some");
            }
            connected = Arrays.copyOf(connected, 2 * id);
            comings = Arrays.copyOf(comings, 2 * id);
        }
        if (!cqs.promise(id, completions(sizes))) {
            throw new VerbsException(
                    "connect", Errno.ENOBUFS, name(), "the device's completion queues hold "
                            + context.queryDevice().maxCqe() + ", the socket needs " + completions(sizes)
                            + "; give it fewer credits");
        }
        final Connection connection;
        boolean isDone = false;
        try {
            connection = new Connection(sizes, slots, send, receive, id, ++comings[id]);
            isDone = true;
        } finally {
            if (!isDone) {
                cqs.release(id, completions(sizes));
            }
        }
        connected[id] = socket;
        lookAfter(sizes.keepAliveNs());
        return connection;
    }

    /** A peer may be silent so long: looks for silent ones are at least as frequent as it needs from now on. */
    private void lookAfter(final long silenceNs) {
        final long everyNs = silenceNs / LOOKS_A_SILENCE;
        if (everyNs > 0 && everyNs < lookEveryNs) {
            lookEveryNs = everyNs;
            nextLookNs = clock.getAsLong() + everyNs;
            sleepers.wake();
        }
    }

    private void look() {
        if (lookEveryNs == Long.MAX_VALUE || nowNs - nextLookNs < 0) {
            return;
        }
        nextLookNs = nowNs + lookEveryNs;
        for (final ExsSocket socket : connected) {
            if (socket != null) {
                socket.look(nowNs);
            }
        }
    }

    /** How many may be there at once. */
    private static int completions(final EngineSizes sizes) {
        return sizes.workRequests() + sizes.receiveSlots();
    }

    void disconnected(final Connection connection) {
        connected[connection.id()] = null;
        cqs.release(connection.id(), completions(connection.sizes()));
    }

    /** An event waits for whoever dequeues, or none will come. */
    void wake() {
        if (waiting > 0) {
            posted.signalAll();
        }
        if (!hasThread) {
            sleepers.wake();
        }
    }

    /** Whoever gives the turns looks around, should it sleep. */
    void wakeUp() {
        locked(sleepers::wake);
    }

    /** Whether a thread of its own gives the turns, and not whoever dequeues. */
    boolean hasThread() {
        return hasThread;
    }

    /** A turn has thrown, and who gave it gives no more of them: all that waits ends, and nothing begins. */
    void abandon(final Throwable why) {
        locked(() -> {
            isClosed = true;
            isAbandoned = true;
            // Those that are over leave the list.
            for (int i = sockets.size() - 1; i >= 0; i = Math.min(i, sockets.size()) - 1) {
                try {
                    sockets.get(i).abandon("the thread that drives the sockets has ended: " + why);
                } catch (final Throwable e) {
                    // As in a full heap. The others must end all the same, and this one once it has lingered.
                    if (e != why) {
                        why.addSuppressed(e);
                    }
                }
            }
        });
    }

    /** A socket finishes what it was given: from now on its time is looked at each turn, until it is removed. */
    void closing(final ExsSocket socket) {
        closing.add(socket);
        sleepers.wake();
    }

    /**
     * A turn: completions, then events of the connection manager, then what sockets do about them. Any thread.
     *
     * @return how much there was to do
     */
    int doWork(final long now) {
        lock.lock();
        try {
            return turn(now);
        } finally {
            lock.unlock();
        }
    }

    private int turn(final long now) {
        assert lock.isHeldByCurrentThread();
        if (isOver) {
            return 0;
        }
        nowNs = now;
        if (isAbandoned) {
            return closeLate();
        }
        final int work = pollCompletions() + pollEvents();
        look();
        return work + closeLate();
    }

    /** Takes all completions that are there. */
    int pollCompletions() {
        assert lock.isHeldByCurrentThread();
        int work = 0;
        for (final CompletionQueue cq : cqs.polled()) {
            work += poll(cq);
        }
        return work;
    }

    private int poll(final CompletionQueue cq) {
        int work = 0;
        int polled = cq.poll(wc);
        while (polled > 0) {
            for (int i = 0; i < polled; i++) {
                dispatch(wc.at(i));
            }
            progress();
            work += polled;
            polled = polled == POLLED ? cq.poll(wc) : 0;
        }
        return work;
    }

    private void dispatch(final WorkCompletion completion) {
        final int id = Connection.idOf(completion.wrId());
        final ExsSocket socket = connected[id];
        final Connection connection = socket == null ? null : socket.connection();
        if (socket == null || connection == null || !connection.isOwn(completion.wrId())) {
            return; // of a connection that is over
        }
        connection.completed(completion);
        if (!connection.isDirty) {
            connection.isDirty = true;
            if (dirtyCount == dirty.length) {
                dirty = Arrays.copyOf(dirty, 2 * dirtyCount);
            }
            dirty[dirtyCount++] = socket;
        }
    }

    private void progress() {
        for (int i = 0; i < dirtyCount; i++) {
            dirty[i].progress();
        }
        dirtyCount = 0;
    }

    private int pollEvents() {
        int work = 0;
        for (CmEvent event = events.getEvent(0); event != null; event = events.getEvent(0)) {
            event.ack();
            final CmId listener = event.listenId();
            final ExsSocket socket = ids.get(listener == null ? event.id() : listener);
            if (socket != null) {
                socket.onEvent(event);
            }
            work++;
        }
        return work;
    }

    private int closeLate() {
        int work = 0;
        for (int i = closing.size() - 1; i >= 0; i = Math.min(i, closing.size()) - 1) {
            work += closing.get(i).closeIfDone(nowNs);
        }
        return work;
    }

    /**
     * Waits for an event of a queue, and drives the sockets meanwhile where nobody else does. 0 once none can come: the
     * queue was deleted, or all of this was freed.
     */
    int dequeue(final ExsQueue queue, final ExsEvent[] into, final long timeoutNs) {
        final long beganNs = clock.getAsLong();
        long now = beganNs;
        long leftNs = timeoutNs;
        for (int idle = 0; ; ) {
            int work = 0;
            lock.lock();
            try {
                final boolean isEnded = isOver || queue.isClosed();
                if (isDriven()) {
                    work = turn(now);
                } else if (queue.isEmpty() && leftNs > 0 && !isEnded) {
                    await(leftNs);
                }
                final int taken = queue.take(into);
                if (taken > 0) {
                    passOn();
                }
                if (taken > 0 || into.length == 0 || timeoutNs <= 0 || isEnded) {
                    return taken;
                }
            } finally {
                lock.unlock();
            }
            now = clock.getAsLong();
            leftNs = timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (now - beganNs);
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return 0;
            }
            idle = work > 0 ? 0 : idle + 1;
            if (isDriven()) {
                idle(idle, leftNs, queue.isFilled());
                now = clock.getAsLong();
            }
        }
    }

    /** Whether who dequeues gives the turns. */
    private boolean isDriven() {
        return !hasThread && !isOver && !isAbandoned;
    }

    private void await(final long leftNs) {
        waiting++;
        try {
            posted.awaitNanos(leftNs);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting--;
        }
    }

    /**
     * Waits a little after so many turns without work: at first not at all, then for a completion, an event of the
     * connection manager, or what another thread has for this one.
     *
     * @param isOver asked with the lock held: true where there is something already
     */
    void idle(final int turns, final long mostNs, final BooleanSupplier isOver) {
        if (lock.hasQueuedThreads()) {
            Thread.yield();
        } else if (waits.spins(turns)) {
            Thread.onSpinWait();
        } else if (waits.yields(turns)) {
            Thread.yield();
        } else {
            sleep(turns, mostNs, isOver);
        }
    }

    private void sleep(final int turns, final long mostNs, final BooleanSupplier isOver) {
        final long napNs;
        final boolean isArmed;
        lock.lock();
        try {
            if (this.isOver) {
                return;
            }
            isArmed = cqs.arm();
            final boolean isTold = isArmed && sleepers.ask();
            if (turn(clock.getAsLong()) > 0 || isOver.getAsBoolean()) {
                return;
            }
            napNs = Math.min(mostNs, waits.napNs(turns, isTold && closing.isEmpty(), untilLookNs()));
            if (passOn()) {
                return; // who sleeps now would take the word for itself
            }
            sleepers.mayWake();
            asleep.add(isOver);
        } finally {
            lock.unlock();
        }
        try {
            if (isArmed) {
                sleepers.sleep(napNs);
            } else {
                sleepers.nap(napNs);
            }
        } finally {
            locked(() -> asleep.remove(isOver));
        }
    }

    /** A word wakes one of those who sleep. Where another one has what it waits for, it is that one's. */
    private boolean passOn() {
        for (int i = 0; i < asleep.size(); i++) {
            if (asleep.get(i).getAsBoolean()) {
                sleepers.wake();
                return true;
            }
        }
        return false;
    }

    private long untilLookNs() {
        return lookEveryNs == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(1, nextLookNs - nowNs);
    }

    /** Closes all sockets, and takes no more; what they were given to send goes out first, within their linger time. */
    @Override
    public void close() {
        locked(() -> {
            isClosed = true;
            List.copyOf(sockets).forEach(ExsSocket::close);
        });
        for (int idle = 0; openSockets() > 0; idle++) {
            if (doWork(clock.getAsLong()) > 0) {
                idle = 0;
            }
            idle(idle, TimeUnit.MILLISECONDS.toNanos(1), () -> openSockets() == 0);
        }
        locked(() -> {
            isOver = true;
            wake(); // who waits at a queue waits for nothing
            cache.close();
            memories.forEach(ExsMemory::close);
            events.close();
            cqs.close();
            completions.close();
            slots.close();
            pd.close();
        });
        arena.close();
    }

    boolean isOver() {
        return isOver;
    }

    PortTap tap() {
        return tap;
    }

    int openSockets() {
        lock.lock();
        try {
            return sockets.size();
        } finally {
            lock.unlock();
        }
    }

    String name() {
        return context.device().name();
    }
}
