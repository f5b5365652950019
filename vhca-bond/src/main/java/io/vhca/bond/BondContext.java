package io.vhca.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.PortAttributes;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.cm.RecoveryListener;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.control.ControlPlane;
import io.vhca.bond.core.BondAsyncEvents;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondEvents;
import io.vhca.bond.core.BondLimits;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.OpenObjects;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.Peers;
import io.vhca.bond.link.Sessions;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberParts;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.placement.MemberSeats;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.verbs.BondCompletionChannel;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.verbs.SharedQueues;
import io.vhca.bond.verbs.VirtualPort;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * An open bond: the registry of its objects and the one lock of its control path.
 *
 * <p>Threads: the data path (post, poll) never comes here but for two array reads. Control calls of the application and
 * the duty cycle ({@link #doWork}) take the control lock. The duty cycle is driven by a thread of the bond's own
 * ({@link BondAgent}) or by hand, on virtual time.
 */
public final class BondContext implements Context {
    private static final int MAX_SCRATCH_WCS = 16;

    private final Device device;
    private volatile BondConfig config;
    private final MemberSeats seats;
    private final LocalKeys localKeys;
    private final BondLimits limits;
    private final BondEvents events;
    private final RandomGenerator random;
    private final long instance;
    private final ReentrantLock lock = new ReentrantLock();
    private final ManyToOneConcurrentLinkedQueue<BondQueuePair> attention = new ManyToOneConcurrentLinkedQueue<>();
    private final BondAsyncEvents asyncEvents = new BondAsyncEvents();
    private final Map<CmId, PathLink> links = new IdentityHashMap<>();
    private final Peers peers = new Peers();
    private final MemberParts parts = new MemberParts();
    private final Datagrams datagrams;
    private final SharedQueues shared;
    private final BondAdmin admin = new BondAdmin(this);
    private final OpenObjects children = new OpenObjects();
    private final BondCounters counters = new BondCounters();
    private final Arena arena = Arena.ofShared();
    private final Sessions sessions = new Sessions();
    private final BondConductor conductor;
    private final RecoveryListener listener;
    private final ControlPlane controlPlane;
    private final RewindPolicy rewindPolicy;
    private final long scratchWr = arena.allocate(SendWrDescriptor.SIZE, 64).address();
    private final long scratchWcs = arena.allocate((long) MAX_SCRATCH_WCS * WcDescriptor.SIZE, 64).address();
    private final QpTable qps = new QpTable();
    private final VirtualPort port = new VirtualPort(this);
    private volatile @Nullable BondAgent agent;
    private volatile boolean closed;

    /**
     * Opens a bond over open members, without a thread: somebody calls {@link #doWork}.
     *
     * @param device  what {@link #device()} answers
     * @param members open contexts, in the order of the configuration; the bond owns them from now on
     * @param journal where transitions go; closed with the bond where it can be
     * @param random  for session ids and jitter
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
        this.rewindPolicy = rewindPolicy;
        this.device = device;
        this.config = config;
        events = new BondEvents(config.name(), journal);
        this.random = random;
        instance = random.nextLong();
        localKeys = new LocalKeys(members.size(), random.nextInt());
        seats = new MemberSeats(this, source);
        try {
            seats.begin(members);
            limits = new BondLimits(members(), device.nodeGuid(), config);
            datagrams = new Datagrams(this, limits.attributes().maxAh());
            shared = new SharedQueues(datagrams);
            conductor = new BondConductor(this);
            listener = new RecoveryListener(this);
        } catch (final RuntimeException e) {
            // The caller closes the members, which their event channels would keep busy.
            members().forEach(member -> member.cm().close());
            arena.close();
            throw e;
        }
        controlPlane = new ControlPlane(this);
    }

    /** Starts a thread that drives the bond. */
    public void startAgent() {
        conductor.stageClock(SystemNanoClock.INSTANCE);
        agent = new BondAgent(
                name(), this::doWork, conductor.talk(), this::isSayingGoodbye, counters, SystemNanoClock.INSTANCE);
        agent.start();
    }

    // ---- duty cycle -------------------------------------------------------------------------------------------------

    /**
     * One turn of the control path: CM and async events of the members, what the data path noted, recoveries, timers.
     *
     * @return how much was done, 0 when idle
     */
    public int doWork(final long nowNs) {
        lock.lock();
        try {
            return closed ? 0 : conductor.doWork(nowNs);
        } finally {
            lock.unlock();
        }
    }

    /**
     * When {@link #doWork} must be called at the latest though nothing happens; {@link Long#MAX_VALUE} for never. A
     * point on the clock that drives the bond: compare it by subtraction.
     */
    public long nextDeadlineNs() {
        lock.lock();
        try {
            return conductor.nextDeadlineNs();
        } finally {
            lock.unlock();
        }
    }

    public void attention(final BondQueuePair qp) {
        attention.offer(qp);
        wakeUp();
    }

    public void wakeUp() {
        final BondAgent running = agent;
        if (running != null) {
            running.wakeUp();
        }
    }

    boolean isSayingGoodbye() {
        lock.lock();
        try {
            return conductor.isSayingGoodbye();
        } finally {
            lock.unlock();
        }
    }

    public RewindPolicy rewindPolicy() {
        return rewindPolicy;
    }

    /** Native memory for one work request, for use within one call under the control lock. */
    public long scratchWr() {
        return scratchWr;
    }

    /** Native memory for a few completions, for use within one call under the control lock. */
    public long scratchWcs(final int count) {
        assert count <= MAX_SCRATCH_WCS;
        return scratchWcs;
    }

    /** True for the alias and for every member's address. */
    public boolean isOwnAddress(final InetAddress address) {
        return address.equals(config.alias())
                || members().stream().anyMatch(member -> member.isPresent() && member.address().equals(address));
    }

    ManyToOneConcurrentLinkedQueue<BondQueuePair> attentionQueue() {
        return attention;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    // ---- registry ---------------------------------------------------------------------------------------------------

    public String name() {
        return config.name();
    }

    public BondConfig config() {
        return config;
    }

    public void config(final BondConfig changed) {
        config = changed;
    }

    /** All by index, with those that are no members any more. Any thread. */
    public List<Member> members() {
        return seats.all();
    }

    MemberSeats seats() {
        return seats;
    }

    public LocalKeys localKeys() {
        return localKeys;
    }

    public BondLimits limits() {
        return limits;
    }

    /** Where it says what happens. */
    public BondEvents events() {
        return events;
    }

    public RandomGenerator random() {
        return random;
    }

    /** Tells this start of this bond from every other. */
    public long instance() {
        return instance;
    }

    public Map<CmId, PathLink> links() {
        return links;
    }

    public Sessions sessions() {
        return sessions;
    }

    public RecoveryListener listener() {
        return listener;
    }

    public ControlPlane controlPlane() {
        return controlPlane;
    }

    public BondConductor conductor() {
        return conductor;
    }

    public Peers peers() {
        return peers;
    }

    public Datagrams datagrams() {
        return datagrams;
    }

    public SharedQueues shared() {
        return shared;
    }

    public MemberParts parts() {
        return parts;
    }

    /** What an operator may do to this bond. */
    public BondAdmin admin() {
        return admin;
    }

    /** What this bond counts. */
    public BondCounters counters() {
        return counters;
    }

    /** The recoveries that ended since the bond was opened, the last 1,024 of them, oldest first. Any thread. */
    public List<FailoverReport> failovers() {
        return admin.failoversAfter(0);
    }

    public QpTable qps() {
        return qps;
    }

    public void register(final BondQueuePair qp) {
        qps.put(qp);
    }

    public void unregister(final BondQueuePair qp) {
        qps.remove(qp);
        conductor.forget(qp);
        controlPlane.forget(qp);
        asyncEvents.forget(qp);
    }

    public void raise(final AsyncEvent event) {
        asyncEvents.put(event);
    }

    public void forget(final Object object) {
        children.remove(object);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return limits.attributes();
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        lock.lock();
        try {
            return port.query(portNum);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        return port.gid(portNum, index);
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return port.pkey(portNum, index);
    }

    @Override
    public ProtectionDomain allocPd() {
        lock.lock();
        try {
            checkOpen("allocPd");
            return children.add(new BondProtectionDomain(this));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionChannel createCompChannel() {
        lock.lock();
        try {
            checkOpen("createCompChannel");
            return children.add(new BondCompletionChannel(this));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionQueue createCq(
            final int cqe, final @Nullable Object context, final @Nullable CompletionChannel channel) {
        limits.checkCqe("createCq", name(), cqe);
        if (channel != null && channel.context() != this) {
            throw new VerbsException("createCq", Errno.EINVAL, name(), "the channel belongs to another context");
        }
        lock.lock();
        try {
            checkOpen("createCq");
            return children.add(new BondCompletionQueue(this, cqe, context, (BondCompletionChannel) channel));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        return asyncEvents.take(timeoutNs);
    }

    @Override
    public void ackAsyncEvent(final AsyncEvent event) {
        // Nothing waits for it.
    }

    @Override
    public CmEventChannel createEventChannel() {
        lock.lock();
        try {
            checkOpen("createEventChannel");
            return children.add(new BondEventChannel(this));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public MemorySegment allocateMemory(final long lengthBytes) {
        return arena.allocate(lengthBytes, 4096);
    }

    private void checkOpen(final String verb) {
        if (closed) {
            throw new VerbsException(verb, Errno.EINVAL, name(), "the bond is closed");
        }
    }

    /** Closes the bond and its members; live connections are told good-bye first, for a bounded time. */
    @Override
    public void close() {
        final BondAgent running = agent;
        if (running != null) {
            running.linger();
        }
        lock.lock();
        try {
            if (closed) {
                return;
            }
            children.requireNone(name());
            closed = true;
            asyncEvents.close();
        } finally {
            lock.unlock();
        }
        if (running != null) {
            running.close();
        }
        lock.lock();
        try {
            conductor.close();
            controlPlane.close();
            listener.close();
            for (final PathLink link : List.copyOf(links.values())) {
                link.close();
            }
            for (final Member member : members()) {
                if (conductor.life().isOpen(member)) {
                    member.cm().close();
                    member.context().close();
                }
            }
            arena.close();
            events.close();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }
}
