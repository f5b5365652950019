package io.vhca.bond.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.trace.Trace;
import io.vhca.bond.trace.Traced;
import io.vhca.recovery.Journal;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.jspecify.annotations.Nullable;

/**
 * The {@link BondCore} of an open bond. Its owner begins each turn with {@link #beginTurn} and closes it last: it owns
 * the scratch memory.
 */
public final class BondRuntime implements BondCore, AutoCloseable {
    private static final int MAX_SCRATCH_WCS = 16;
    /** So many turns at least before the time of a path is over, where that is no matter of milliseconds. */
    private static final int TURNS_A_PATH = 8;
    /** Its own thread sleeps a millisecond between turns that find nothing, and is woken late. */
    private static final long LEAST_TURN_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final String name;
    private final ControlLock lock = new ControlLock();
    private final BondCounters counters = new BondCounters();
    private final Trace trace;
    private final MemoryTracker memory = new MemoryTracker(SystemEpochClock.INSTANCE);
    private final BondEvents events;
    private final RandomGenerator random;
    private final long instance;
    private final long datagramInstance;
    private final Proofs proofs;
    private final int wireVersion;
    private final ArrayDeque<TimedAction> actions = new ArrayDeque<>();
    private final BondAsyncEvents asyncEvents = new BondAsyncEvents();
    private final Arena arena;
    private final long scratchWr;
    private final long scratchWcs;
    private volatile BondConfig config;
    private volatile @Nullable Driver driver;
    private final TurnClock time;
    private int numbers;
    private NanoClock stageClock = this::nowNs;

    public BondRuntime(final BondConfig config, final Journal journal, final RandomGenerator random) {
        this(config, journal, random, PrefixDescriptor.VERSION);
    }

    /** @param wireVersion of the records that the bond writes: an older one than the newest only in tests */
    public BondRuntime(
            final BondConfig config, final Journal journal, final RandomGenerator random, final int wireVersion) {
        this.config = config;
        this.wireVersion = wireVersion;
        this.random = random;
        name = config.name();
        time = new TurnClock(Math.max(LEAST_TURN_NS, config.pathTimeoutNs() / TURNS_A_PATH));
        trace = new Trace(config.traceLevels());
        events = new BondEvents(name, journal, trace, counters);
        counters.tellErrors(events);
        memory.keepSites(config.keepsSites());
        instance = random.nextLong();
        datagramInstance = random.nextLong();
        proofs = Proofs.of(config, instance, random);
        // Behind all that may be refused: nobody closes a bond that has not been made.
        arena = Arena.ofShared();
        scratchWr = arena.allocate(SendWrDescriptor.SIZE, 64).address();
        scratchWcs = arena.allocate((long) MAX_SCRATCH_WCS * WcDescriptor.SIZE, 64).address();
        memory.holds(this, scratchBytes());
    }

    // ---- for the owner ----------------------------------------------------------------------------------------------

    /** An operator changed options. Control lock. */
    public void config(final BondConfig changed) {
        assert holdsLock();
        config = changed;
        trace.levels(changed.traceLevels());
        memory.keepSites(changed.keepsSites());
    }

    /**
     * Reads the key file that a changed configuration names.
     *
     * @param errors is told why the keys stay as they are
     * @return puts what was read into effect
     */
    public Runnable newKeys(final BondConfig changed, final List<String> errors) {
        assert holdsLock();
        return proofs.change(changed, errors);
    }

    /** The bond has a thread: who wakes it, and the clock that it runs by. */
    public void drivenBy(final Driver thread, final NanoClock clock) {
        driver = thread;
        stageClock = clock;
    }

    /**
     * A turn begins: tells what was found inside gates, and runs the actions that were put off to it; how many there
     * were.
     *
     * @param now by the clock that drives the bond, see {@link #nowNs}
     */
    public int beginTurn(final long now) {
        assert holdsLock();
        final long nowNs = time.turn(now);
        events.late(time.lateNs());
        asyncEvents.tell();
        counters.tellKept();
        int count = 0;
        for (TimedAction action = actions.poll(); action != null; action = actions.poll()) {
            action.run(nowNs);
            count++;
        }
        return count;
    }

    /** When the next turn is due by the clock that drives the bond, for a deadline by its own. */
    public long turnAt(final long deadlineNs) {
        assert holdsLock();
        return time.realOf(deadlineNs);
    }

    /** True while an action waits for the next turn, or somebody is to be told then. */
    public boolean hasActions() {
        return !actions.isEmpty() || asyncEvents.isToTell() || counters.hasKept();
    }

    /** Who has the control lock now, or null. Any thread. */
    public @Nullable Thread lockHolder() {
        return lock.holder();
    }

    /** How often it was taken. Any thread. */
    public long lockTurns() {
        return lock.turns();
    }

    /** What the application has not taken yet. */
    public BondAsyncEvents asyncEvents() {
        return asyncEvents;
    }

    private static long scratchBytes() {
        return SendWrDescriptor.SIZE + (long) MAX_SCRATCH_WCS * WcDescriptor.SIZE;
    }

    /** Frees the scratch memory. */
    @Override
    public void close() {
        arena.close();
    }

    // ---- for every layer --------------------------------------------------------------------------------------------

    @Override
    public String name() {
        return name;
    }

    @Override
    public BondConfig config() {
        return config;
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    /**
     * Between two pieces of a long piece of work: lets one of those in who wait for the control lock. Nothing where the
     * calling thread has it still.
     */
    public void letIn() {
        if (!lock.isMine()) {
            lock.letIn();
        }
    }

    @Override
    public boolean holdsLock() {
        return lock.isMine();
    }

    @Override
    public long nowNs() {
        assert holdsLock();
        return time.nowNs();
    }

    @Override
    public NanoClock stageClock() {
        assert holdsLock();
        return stageClock;
    }

    @Override
    public BondCounters counters() {
        return counters;
    }

    @Override
    public BondEvents events() {
        assert holdsLock();
        return events;
    }

    @Override
    public Proofs proofs() {
        assert holdsLock();
        return proofs;
    }

    @Override
    public int wireVersion() {
        return wireVersion;
    }

    @Override
    public RandomGenerator random() {
        assert holdsLock();
        return random;
    }

    @Override
    public long instance() {
        return instance;
    }

    @Override
    public long datagramInstance() {
        return datagramInstance;
    }

    @Override
    public boolean hasThread() {
        return driver != null;
    }

    @Override
    public void wakeUp() {
        final Driver thread = driver;
        if (thread != null) {
            thread.wakeUp();
        }
    }

    @Override
    public void wakeUpSoon() {
        final Driver thread = driver;
        if (thread != null) {
            thread.wakeUpSoon();
        }
    }

    @Override
    public void takeTurn() {
        assert !holdsLock() : "a turn within a turn";
        final Driver thread = driver;
        if (thread != null) {
            thread.takeTurn();
        }
    }

    @Override
    public void later(final TimedAction action) {
        assert holdsLock();
        actions.add(action);
        wakeUp();
    }

    @Override
    public void trace(
            final int event, final long object, final long word0, final long word1, final long word2,
            final long word3) {
        trace.say(event, object, word0, word1, word2, word3);
    }

    @Override
    public int nextNumber() {
        assert holdsLock();
        return ++numbers;
    }

    @Override
    public void beginTrace(final Traced object) {
        assert holdsLock();
        trace.add(object);
    }

    @Override
    public void endTrace(final Traced object) {
        assert holdsLock();
        trace.remove(object);
    }

    @Override
    public MemoryTracker memory() {
        return memory;
    }

    @Override
    public void raise(final AsyncEvent event) {
        asyncEvents.put(event);
    }

    @Override
    public void raiseInside(final AsyncEvent event) {
        asyncEvents.putInside(event);
        wakeUp();
    }

    @Override
    public void dropEvents(final Object gone) {
        asyncEvents.forget(gone);
    }

    @Override
    public long scratchWr() {
        assert holdsLock();
        return scratchWr;
    }

    @Override
    public long scratchWcs(final int count) {
        assert holdsLock() && count <= MAX_SCRATCH_WCS;
        return scratchWcs;
    }
}
