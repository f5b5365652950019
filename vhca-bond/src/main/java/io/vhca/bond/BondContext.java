package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.CqInitAttributes;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.PortAttributes;
import io.vhca.api.ProcessEnd;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.verbs.BondCompletionChannel;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * An open bond, as its application has it.
 *
 * <p>Threads: the data path (post, poll) never comes here but for two array reads. Control calls of the application and
 * the duty cycle ({@link #doWork}) take the control lock. The duty cycle is driven by a thread of the bond's own
 * ({@link BondAgent}) or by hand, on virtual time.
 */
public final class BondContext implements Context {
    private final Device device;
    private final BondParts parts;
    private final BondRuntime core;
    private final BondAdmin admin;
    private final Arena arena = Arena.ofShared();
    private volatile @Nullable BondAgent agent;
    private volatile @Nullable ProcessEnd processEnd;
    private volatile boolean closed;
    /** All but the members is closed, in whichever thread. */
    private volatile boolean isOver;
    private final Object closing = new Object();

    /**
     * Opens a bond over open members, without a thread: somebody calls {@link #doWork}.
     *
     * @param device  what {@link #device()} answers
     * @param members open contexts, in the order of the configuration; the bond owns them from now on
     * @param journal where transitions go; closed with the bond where it can be
     * @param random  what nobody may guess is drawn from it, one by one: ids of bonds and sessions, generations of
     *                keys; a {@link java.security.SecureRandom} but where a run must be repeatable
     */
    public BondContext(
            final Device device,
            final BondConfig config,
            final List<Context> members,
            final Journal journal,
            final RandomGenerator random) {
        this(device, config, members, MemberSource.SAME_DEVICE, journal, random, RewindPlan::of);
    }

    /**
     * As above.
     *
     * @param source       opens a member's device again after it was gone
     * @param rewindPolicy another than the true one only in tests that break it
     */
    public BondContext(
            final Device device,
            final BondConfig config,
            final List<Context> members,
            final MemberSource source,
            final Journal journal,
            final RandomGenerator random,
            final RewindPolicy rewindPolicy) {
        this(device, config, members, source, journal, random, rewindPolicy, PrefixDescriptor.VERSION);
    }

    /**
     * As above.
     *
     * @param wireVersion of the records that the bond writes: an older one than the newest only in tests
     */
    public BondContext(
            final Device device,
            final BondConfig config,
            final List<Context> members,
            final MemberSource source,
            final Journal journal,
            final RandomGenerator random,
            final RewindPolicy rewindPolicy,
            final int wireVersion) {
        this.device = device;
        parts = new BondParts(
                this, new BondRuntime(config, journal, random, wireVersion), members, source, random, rewindPolicy);
        core = parts.core;
        admin = new BondAdmin(this, parts);
    }

    /** Events go to this journal from now on, which is closed with the bond where it can be. */
    void journal(final Journal opened) {
        core.lock();
        try {
            core.events().journal(opened);
        } finally {
            core.unlock();
        }
    }

    /** Who was to add observers failed: the bond goes on without what it could not add. */
    void unobserved(final Class<?> provider, final Throwable error) {
        core.lock();
        try {
            core.events().unobserved(provider, error);
        } finally {
            core.unlock();
        }
    }

    /** Starts a thread that drives the bond. */
    public void startAgent() {
        final BondAgent started = new BondAgent(
                name(), this::doWork, this::nextDeadlineNs, parts.activity, this::isSayingGoodbye, core.counters(),
                SystemNanoClock.INSTANCE);
        core.drivenBy(started, SystemNanoClock.INSTANCE);
        agent = started;
        started.start();
        processEnd = ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, () -> sayGoodbye(started));
    }

    /** The process ends, or the bond alone: tells every peer so, for a bounded time. */
    private void sayGoodbye(final BondAgent running) {
        core.lock();
        try {
            if (closed) {
                return;
            }
            core.later(parts::sayGoodbye);
        } finally {
            core.unlock();
        }
        running.linger();
    }

    // ---- duty cycle -------------------------------------------------------------------------------------------------

    /**
     * One turn of the control path: CM and async events of the members, what the data path noted, recoveries, timers.
     *
     * @return how much was done, 0 when idle
     */
    public int doWork(final long nowNs) {
        core.lock();
        try {
            return closed ? 0 : parts.conductor.doWork(nowNs);
        } finally {
            core.unlock();
        }
    }

    /**
     * When {@link #doWork} must be called at the latest though nothing happens; {@link Long#MAX_VALUE} for never. A
     * point on the clock that drives the bond: compare it by subtraction.
     */
    public long nextDeadlineNs() {
        core.lock();
        try {
            return parts.conductor.nextDeadlineNs();
        } finally {
            core.unlock();
        }
    }

    private boolean isSayingGoodbye() {
        core.lock();
        try {
            return !closed && parts.isSayingGoodbye();
        } finally {
            core.unlock();
        }
    }

    private String name() {
        return core.name();
    }

    /** What an operator may do to this bond. */
    public BondAdmin admin() {
        return admin;
    }

    /** What this bond counts. */
    public BondCounters counters() {
        return core.counters();
    }

    /** The thread that has the lock of control calls now, or null; waits for nobody. */
    public @Nullable Thread lockHolder() {
        return core.lockHolder();
    }

    /** How often that lock was taken: while this does not change, who has it has had it all the time. */
    public long lockTurns() {
        return core.lockTurns();
    }

    /** The recoveries that ended since the bond was opened, the last 1,024 of them, oldest first. Any thread. */
    public List<FailoverReport> failovers() {
        return admin.failoversAfter(0);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return parts.limits.attributes();
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        core.lock();
        try {
            checkOpen("queryPort"); // its members are closed without the lock
            return parts.port.query(portNum);
        } finally {
            core.unlock();
        }
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        return parts.port.gid(portNum, index);
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return parts.port.pkey(portNum, index);
    }

    @Override
    public ProtectionDomain allocPd() {
        core.lock();
        try {
            checkOpen("allocPd");
            return parts.children.add(new BondProtectionDomain(parts.verbs));
        } finally {
            core.unlock();
        }
    }

    @Override
    public CompletionChannel createCompChannel() {
        core.lock();
        try {
            checkOpen("createCompChannel");
            return parts.children.add(new BondCompletionChannel(parts.verbs));
        } finally {
            core.unlock();
        }
    }

    @Override
    public CompletionQueue createCq(
            final int cqe, final @Nullable Object context, final @Nullable CompletionChannel channel) {
        return createCq(new CqInitAttributes(cqe, context, channel, false));
    }

    @Override
    public CompletionQueue createCq(final CqInitAttributes init) {
        parts.limits.checkCqe("createCq", name(), init.cqe());
        final CompletionChannel channel = init.channel();
        if (channel != null && channel.context() != this) {
            throw new VerbsException("createCq", Errno.EINVAL, name(), "the channel belongs to another context");
        }
        core.lock();
        try {
            checkOpen("createCq");
            if (channel instanceof final BondCompletionChannel own && own.isClosed()) {
                throw new VerbsException("createCq", Errno.EINVAL, own.toString(), "it is closed");
            }
            return parts.children.add(new BondCompletionQueue(parts.verbs, init));
        } finally {
            core.unlock();
        }
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        if (timeoutNs > 0) {
            core.requireMayWait("getAsyncEvent");
        }
        return core.asyncEvents().take(timeoutNs);
    }

    @Override
    public boolean onAsyncEvent(final @Nullable Runnable listener) {
        core.asyncEvents().onPut(listener);
        return true;
    }

    @Override
    public void ackAsyncEvent(final AsyncEvent event) {
        // Nothing waits for it.
    }

    @Override
    public CmEventChannel createEventChannel() {
        core.lock();
        try {
            checkOpen("createEventChannel");
            return parts.children.add(new BondEventChannel(parts.cm));
        } finally {
            core.unlock();
        }
    }

    @Override
    public MemorySegment allocateMemory(final long lengthBytes) {
        core.lock();
        try {
            checkOpen("allocateMemory");
            final MemorySegment memory = arena.allocate(lengthBytes, 4096);
            core.lends(memory, lengthBytes);
            return memory;
        } finally {
            core.unlock();
        }
    }

    private void checkOpen(final String verb) {
        if (closed) {
            throw new VerbsException(verb, Errno.EINVAL, name(), "the bond is closed");
        }
    }

    /**
     * Closes the bond and its members; live connections are told good-bye first, for a bounded time. The bond is closed
     * then, also where a member cannot be closed yet: that is tried again by closing it again. Idempotent; who calls it
     * while another thread does returns with that one.
     */
    @Override
    public void close() {
        core.requireMayWait("closeDevice");
        synchronized (closing) {
            closeAllButMembers();
            parts.closeMembers();
        }
    }

    private void closeAllButMembers() {
        final BondAgent running = agent;
        core.lock();
        try {
            if (!mayClose()) {
                return;
            }
        } finally {
            core.unlock();
        }
        if (running != null) {
            sayGoodbye(running);
        }
        core.lock();
        try {
            if (!mayClose()) {
                return;
            }
            closed = true;
            core.asyncEvents().close();
        } finally {
            core.unlock();
        }
        final ProcessEnd registered = processEnd;
        if (registered != null) {
            registered.close();
        }
        if (running != null) {
            running.close();
        }
        core.lock();
        try {
            parts.close();
            arena.close();
        } finally {
            isOver = true;
            core.unlock();
        }
    }

    /** False once it is closed. EBUSY while objects of it are open, but for channels that nothing uses. */
    private boolean mayClose() {
        assert core.holdsLock();
        if (!closed) {
            closeIdleChannels();
            parts.children.requireNone();
        }
        return !closed;
    }

    /** They go with the bond, where nothing else is open; who waits there is told. */
    private void closeIdleChannels() {
        final List<BondEventChannel> events = parts.children.all(BondEventChannel.class);
        final List<BondCompletionChannel> completions = parts.children.all(BondCompletionChannel.class);
        if (parts.children.all(Object.class).size() == events.size() + completions.size()
                && events.stream().allMatch(BondEventChannel::isIdle)) {
            events.forEach(BondEventChannel::close);
            completions.forEach(BondCompletionChannel::close);
        }
    }

    /** It takes nothing more. */
    boolean isClosed() {
        return closed;
    }

    /** It holds nothing more, but for members that cannot be closed yet: it may be opened again. */
    boolean isOver() {
        return isOver;
    }
}
