package io.vhca.physical.verbs;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.physical.events.EventQueue;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.rdmacore.ibv_async_event;
import io.vhca.physical.rdmacore.ibv_context;
import io.vhca.physical.verbs.lib.EventAgent;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An open device of libibverbs. Any thread.
 *
 * <p>The provider's agent reads its asynchronous events and learns of its removal. When the device goes, the context
 * becomes a zombie: DEVICE_FATAL is raised once, QPs are moved to ERR so that what was posted comes back flushed, posts
 * answer -EIO and control calls throw EIO at once, every close succeeds, waiters on completion channels return. The
 * kernel may keep the device until the context is closed: close it.
 */
public final class VerbsContext implements Context {
    private static final long PAGE_BYTES = 4096;
    private static final long DEVICE_OFFSET = 0;

    private final VerbsDevice device;
    private final long address;
    private final Arena arena = Arena.ofShared();
    private final EventQueue<AsyncEvent> asyncEvents = new EventQueue<>();
    private final Children children = new Children();
    private final Children channels = new Children();
    /** By the address of the C object, for events. */
    private final ConcurrentMap<Long, VerbsQp> qps = new ConcurrentHashMap<>();

    private final ConcurrentMap<Long, VerbsCq> cqs = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, VerbsSrq> srqs = new ConcurrentHashMap<>();
    private final PostponedIds postponedIds = new PostponedIds();
    private final Destroying destroying = new Destroying();
    private final ContextUse use = new ContextUse();
    private final AtomicBoolean isDead = new AtomicBoolean();
    /** Set when a dead device would not move a QP to ERR: nothing will be flushed then. */
    private volatile boolean flushesNothing;

    private EventAgent.@Nullable Source asyncSource;
    private @Nullable RemovalWatch removalWatch;
    private @Nullable DeviceAttributes attributes;

    private VerbsContext(final VerbsDevice device, final long address) {
        this.device = device;
        this.address = address;
    }

    /** Takes over an opened {@code struct ibv_context}. */
    static VerbsContext of(final VerbsDevice device, final long address) {
        final VerbsContext context = new VerbsContext(device, address);
        try {
            context.start();
        } catch (final RuntimeException | Error e) {
            context.stop();
            Ibv.CLOSE_DEVICE.value(address);
            throw e;
        }
        return context;
    }

    private void start() {
        final int asyncFd = NativeMemory.getInt(address + ibv_context.async_fd$offset());
        final int failed = Posix.setNonBlocking(asyncFd);
        if (failed < 0) {
            throw VerbFailure.of("openDevice", failed, device.name());
        }
        attributes = DeviceQuery.device(this);
        asyncSource = EventAgent.shared().register(asyncFd, this::readAsyncEvents);
        removalWatch = RemovalWatch.start(this);
    }

    private void stop() {
        final EventAgent.Source source = asyncSource;
        if (source != null) {
            EventAgent.shared().unregister(source);
        }
        final RemovalWatch watch = removalWatch;
        if (watch != null) {
            watch.close();
        }
    }

    /** Address of the {@code struct ibv_context}. */
    long address() {
        return address;
    }

    /** Name of the device that a {@code struct ibv_context} is of. */
    static String deviceNameOf(final long context) {
        return VerbsDevice.nameOf(NativeMemory.getLong(context + DEVICE_OFFSET));
    }

    @Override
    public VerbsDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        requireLive("queryDevice");
        final DeviceAttributes known = attributes;
        if (known == null) {
            throw new IllegalStateException(this + " was not started");
        }
        return known;
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        return use.during(() -> requirePort("queryPort", portNum), () -> DeviceQuery.port(this, portNum));
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        return use.during(() -> requirePort("queryGid", portNum), () -> DeviceQuery.gid(this, portNum, index));
    }

    @Override
    public int ipGidIndex(final int portNum) {
        return use.during(() -> requirePort("queryGid", portNum), () -> DeviceQuery.ipGidIndex(this, portNum));
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return use.during(() -> requirePort("queryPkey", portNum), () -> DeviceQuery.pkey(this, portNum, index));
    }

    private void requirePort(final String verb, final int portNum) {
        requireLive(verb);
        final int count = queryDevice().physPortCount();
        if (portNum < 1 || portNum > count) {
            throw VerbFailure.invalid(verb, toString(), "there is no port " + portNum + ", only 1 to " + count);
        }
    }

    @Override
    public ProtectionDomain allocPd() {
        return use.during(() -> requireLive("allocPd"), () -> {
            final long pd = Ibv.ALLOC_PD.pointer(address);
            if (pd < 0) {
                throw VerbFailure.of("allocPd", pd, toString());
            }
            return new VerbsPd(this, pd);
        });
    }

    @Override
    public CompletionChannel createCompChannel() {
        return use.during(() -> requireLive("createCompChannel"), () -> {
            final long channel = Ibv.CREATE_COMP_CHANNEL.pointer(address);
            if (channel < 0) {
                throw VerbFailure.of("createCompChannel", channel, toString());
            }
            return new VerbsCompletionChannel(this, channel);
        });
    }

    @Override
    public CompletionQueue createCq(
            final int cqe, final @Nullable Object cqContext, final @Nullable CompletionChannel channel) {
        requireLive("createCq");
        final VerbsCompletionChannel own = channel instanceof final VerbsCompletionChannel verbs ? verbs : null;
        if (channel != null && (own == null || own.context() != this)) {
            throw VerbFailure.invalid("createCq", toString(), "the completion channel belongs to another context");
        }
        final int most = queryDevice().maxCqe();
        if (cqe < 1 || cqe > most) {
            throw VerbFailure.invalid("createCq", toString(), cqe + " completions: a CQ holds 1 to " + most);
        }
        return use.during(
                () -> requireLive("createCq"),
                () -> own == null
                        ? created(cqe, cqContext, null)
                        : own.create(() -> created(cqe, cqContext, own)));
    }

    private CompletionQueue created(
            final int cqe, final @Nullable Object cqContext, final @Nullable VerbsCompletionChannel own) {
        final long cq = Ibv.CREATE_CQ.pointer(address, cqe, 0, own == null ? 0 : own.address(), 0);
        if (cq < 0) {
            throw VerbFailure.of("createCq", cq, toString());
        }
        return new VerbsCq(this, cq, cqContext, own);
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        return asyncEvents.take(timeoutNs);
    }

    @Override
    public boolean onAsyncEvent(final @Nullable Runnable listener) {
        asyncEvents.onPut(listener);
        return true;
    }

    /** Nothing hangs on it: the agent acknowledged the event to the library when it read it. */
    @Override
    public void ackAsyncEvent(final AsyncEvent event) {}

    @Override
    public CmEventChannel createEventChannel() {
        return use.during(() -> requireLive("createEventChannel"), () -> VerbsEventChannel.create(this));
    }

    @Override
    public synchronized MemorySegment allocateMemory(final long lengthBytes) {
        requireLive("allocateMemory");
        return arena.allocate(lengthBytes, PAGE_BYTES);
    }

    Children children() {
        return children;
    }

    /** Channels without users: they go with the context. */
    Children channels() {
        return channels;
    }

    ConcurrentMap<Long, VerbsQp> qps() {
        return qps;
    }

    ConcurrentMap<Long, VerbsCq> cqs() {
        return cqs;
    }

    ConcurrentMap<Long, VerbsSrq> srqs() {
        return srqs;
    }

    /** An object is destroyed, and known no more: nobody can do anything with its events. */
    void destroyed(final Object object) {
        asyncEvents.forget(event -> event.isOf(object));
    }

    Destroying destroying() {
        return destroying;
    }

    PostponedIds postponedIds() {
        return postponedIds;
    }

    /** False while port 1, by which the connection manager talks, is known to be down. */
    boolean isPortActive() {
        try {
            return isDead.get() || queryPort(1).state() == PortState.ACTIVE;
        } catch (final VerbsException e) {
            return true;
        }
    }

    boolean isDead() {
        return isDead.get();
    }

    /** True when the device is gone and what was posted cannot come back. */
    boolean isMute() {
        return flushesNothing;
    }

    void requireLive(final String verb) {
        if (use.isClosed()) {
            throw VerbFailure.closed(verb, toString());
        }
        if (isDead.get()) {
            throw VerbFailure.dead(verb, toString());
        }
    }

    /** A destroy may fail only on a live device; there it says why. */
    void requireDestroyed(final String verb, final int failed, final Object object) {
        if (failed < 0 && !isDead.get() && failed != -Errno.EIO && failed != -Errno.ENODEV) {
            throw VerbFailure.of(verb, failed, object.toString());
        }
    }

    /** The device is gone: once only, whoever notices first. The agent's thread or any other. */
    void die() {
        if (!isDead.compareAndSet(false, true)) {
            return;
        }
        for (final VerbsQp qp : qps.values()) {
            if (!qp.onDeviceDeath()) {
                flushesNothing = true;
            }
        }
        asyncEvents.put(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
        channels.forEach(channel -> {
            if (channel instanceof final VerbsCompletionChannel completions) {
                completions.onDeviceDeath();
            }
        });
    }

    private void readAsyncEvents() {
        try (Arena scratch = Arena.ofConfined()) {
            final long event = scratch.allocate(ibv_async_event.layout()).address();
            int failed = Ibv.GET_ASYNC_EVENT.status(address, event);
            while (failed == 0) {
                final AsyncEvent read = toEvent(event);
                Ibv.ACK_ASYNC_EVENT.value(event);
                if (read != null && read.type() == AsyncEventType.DEVICE_FATAL) {
                    die();
                } else if (read != null) {
                    asyncEvents.put(read);
                    if (!read.equals(toEvent(event))) {
                        asyncEvents.forget(read::equals); // whoever destroyed its object may not have seen it
                    }
                    if (read.type() == AsyncEventType.PORT_ACTIVE) {
                        postponedIds.doAll();
                    }
                }
                failed = Ibv.GET_ASYNC_EVENT.status(address, event);
            }
            if (failed != -Errno.EAGAIN && failed != -VerbFailure.EINTR) {
                final EventAgent.Source source = asyncSource;
                if (source != null) {
                    EventAgent.shared().unregister(source);
                }
                die();
                // Its descriptor ends when all is gone: what has not come back by now never will.
                flushesNothing = true;
            }
        }
    }

    /** Null when its object is being destroyed. */
    private @Nullable AsyncEvent toEvent(final long event) {
        final AsyncEventType type =
                AsyncEventType.fromCode(NativeMemory.getInt(event + ibv_async_event.event_type$offset()));
        final long element = NativeMemory.getLong(event);
        return switch (type) {
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST, SQ_DRAINED, PATH_MIG, PATH_MIG_ERR,
                    QP_LAST_WQE_REACHED -> {
                final VerbsQp qp = qps.get(element);
                yield qp == null ? null : AsyncEvent.ofQp(type, qp);
            }
            case CQ_ERR -> {
                final VerbsCq cq = cqs.get(element);
                yield cq == null ? null : AsyncEvent.ofCq(type, cq);
            }
            case SRQ_ERR, SRQ_LIMIT_REACHED -> {
                final VerbsSrq srq = srqs.get(element);
                yield srq == null ? null : AsyncEvent.ofSrq(type, srq);
            }
            case PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER, GID_CHANGE ->
                AsyncEvent.ofPort(type, (int) element);
            default -> AsyncEvent.ofDevice(type);
        };
    }

    @Override
    public void close() {
        close(true);
    }

    @Override
    public void closeAtOnce() {
        close(false);
    }

    private void close(final boolean waits) {
        synchronized (this) {
            if (use.isClosed()) {
                return;
            }
            requireUnused(waits);
            channels.forEach(VerbsContext::closeChannel);
            final boolean isClosed = use.close(waits, () -> {
                requireUnused(false); // what was made meanwhile
                channels.requireNone("closeDevice", this);
            });
            if (!isClosed) {
                throw VerbFailure.busy(
                        "closeDevice", toString(), "another thread asks the device something: try again later");
            }
        }
        stop();
        asyncEvents.close();
        Ibv.CLOSE_DEVICE.value(address);
        if (isDead.get()) {
            RemovalWatch.forgetDeadDevices();
        }
        arena.close();
    }

    private void requireUnused(final boolean waits) {
        children.requireNone("closeDevice", this);
        destroying.requireOver(this, waits);
    }

    private static void closeChannel(final Object channel) {
        if (channel instanceof final CompletionChannel completions) {
            completions.close();
        } else if (channel instanceof final CmEventChannel events) {
            events.close();
        }
    }

    @Override
    public String toString() {
        return device.name();
    }
}
