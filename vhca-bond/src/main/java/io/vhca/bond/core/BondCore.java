package io.vhca.bond.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.bond.trace.Traced;
import io.vhca.recovery.BondError;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.NanoClock;

/**
 * What every layer of one open bond stands on: its lock, its time, its configuration, what it counts and where it says
 * what happens. It knows no member, no queue pair and no connection.
 *
 * <p>Threads: {@link #lock}, {@link #unlock}, {@link #config}, {@link #counters}, {@link #wakeUp}, {@link #trace},
 * {@link #memory}, {@link #raise} and what is for the inside of a gate may be called by any thread. All else needs the
 * control lock.
 */
public interface BondCore {
    /** The thread that a bond has. Any thread. */
    interface Driver {
        /** It begins a turn at once. */
        void wakeUp();

        /** It begins one within moments, so that several things that happen one after the other need one turn. */
        void wakeUpSoon();

        /**
         * The caller makes a turn in its place where it sleeps: to wake it takes longer. Else it begins another one.
         * Without the control lock.
         */
        void takeTurn();
    }

    String name();

    /** The options as they are now; an operator may change some while the bond is open. */
    BondConfig config();

    /** Whether peers without the bond are served, as the options are now. */
    default boolean servesPlainPeers() {
        return config().servesPlainPeers();
    }

    /** Whether peers are asked when requests do not complete. */
    default boolean asksPeers() {
        return config().get(BondOption.DETECT) == Detect.PROBE;
    }

    /** Whether markers in native memory are looked at where that is no call of the data path. */
    default boolean checksMarkers() {
        return config().checks() != Checks.OFF;
    }

    /** Whether they are looked at before each use. */
    default boolean checksEachUse() {
        return config().checks() == Checks.FULL;
    }

    /**
     * A call begins that may wait for what the bond does.
     *
     * @throws VerbsException EDEADLK in a thread that is inside the bond, which would wait for itself
     */
    default void requireMayWait(final String verb) {
        if (holdsLock()) {
            throw new VerbsException(
                    verb, Errno.EDEADLK, name(),
                    "it may wait, and this thread is inside the bond, which would wait for itself; make the call from"
                            + " a thread of the application's own");
        }
    }

    /** Somebody wrote beyond the native memory of an object. */
    default void overran(final Object object, final String damage) {
        counters().happened(Counter.MEMORY_OVERRUNS, overrun(object, damage));
    }

    /** The same inside a queue's gate. */
    default void overranInside(final Object object, final String damage) {
        happenedInside(Counter.MEMORY_OVERRUNS, overrun(object, damage));
    }

    private static VerbsException overrun(final Object object, final String damage) {
        return new VerbsException(
                "checkMemory", Errno.EIO, object.toString(), "its memory was overrun: " + damage);
    }

    /**
     * A vQP goes to ERR for a reason of the application's own; see {@link BondObserver#onApplicationError}. Only what
     * names an error of the bond counts as a failure for good.
     *
     * @param isFirst whether it is not in ERR yet
     */
    default void failed(final int qpNum, final boolean isFirst, final int status, final int vendorErr) {
        if (isFirst && BondError.fromVendorErr(vendorErr) != null) {
            counters().add(Counter.FAILED, 1);
        }
        events().applicationError(qpNum, status, vendorErr);
    }

    /** As {@link BondCounters#happened} inside a queue's gate: it is told in the next turn. Any thread. */
    default void happenedInside(final Counter counter, final Throwable error) {
        counters().keep(counter, error);
        wakeUp();
    }

    /**
     * As {@link BondCounters#ignoredOfDead} inside a queue's gate. Any thread.
     *
     * @throws VerbsException the same one, where it is anything but EIO
     */
    default void ignoredOfDeadInside(final VerbsException error) {
        if (error.errno() != Errno.EIO) {
            throw error;
        }
        happenedInside(Counter.MEMBER_ERRORS_IGNORED, error);
    }

    /**
     * A post was refused that never will be taken as it is. Inside the queue's gate.
     *
     * @param index of the request in its chain
     * @param error negative errno
     * @param why   the field that is wrong, and what to do
     */
    default void refusedPost(
            final String verb, final Object object, final int index, final int error, final String why) {
        happenedInside(Counter.POSTS_REFUSED, new VerbsException(
                verb, -error, object.toString(), "request " + index + " of its chain is refused: " + why));
    }

    /** Takes the control lock, which guards everything but the data path. Reentrant. */
    void lock();

    void unlock();

    /** Whether the calling thread has the control lock: what assertions ask. */
    boolean holdsLock();

    /**
     * The time of the present turn of the duty cycle, or of the last one. It is the bond's own: after a turn that came
     * late it is behind the clock that drives the bond, see {@link TurnClock}.
     */
    long nowNs();

    /**
     * The clock by which the stages of a recovery are told apart, several of which may fall into one turn. The time of
     * the turn where time is driven by hand: nothing else would be deterministic.
     */
    NanoClock stageClock();

    BondCounters counters();

    /** Where the bond says what happens to it. */
    BondEvents events();

    /** The keys that records between bonds are signed with. */
    Proofs proofs();

    /** Whether there is one; that does not change while the bond is open. */
    default boolean hasKey() {
        return proofs().isOn();
    }

    /** The version of the records that this bond writes: the newest, but where tests say another. */
    int wireVersion();

    /** For session ids, which nobody may guess, and for jitter. */
    RandomGenerator random();

    /** Tells this start of this bond from every other. Told to bonds that are connected, and to nobody else. */
    long instance();

    /**
     * The same for queue pairs for datagrams, of which anybody may ask where they live: it says nothing of {@link
     * #instance}.
     */
    long datagramInstance();

    /** Whether the bond has a thread of its own; else somebody drives it by hand. */
    boolean hasThread();

    /** As {@link Driver#wakeUp}, where the bond has a thread. */
    void wakeUp();

    /** As {@link Driver#wakeUpSoon}, where the bond has a thread. */
    void wakeUpSoon();

    /** As {@link Driver#takeTurn}, where the bond has a thread. */
    void takeTurn();

    /** Runs the action at the beginning of the next turn. */
    void later(TimedAction action);

    /**
     * Tells whoever traces the bond what happens; any thread.
     *
     * @param event  of {@link TraceEventDescriptor}
     * @param object what it is about, of {@link TraceObject}
     */
    void trace(int event, long object, long word0, long word1, long word2, long word3);

    /** The next number for an object that verbs give none: 1, 2 and so on. */
    int nextNumber();

    /** The same of a vQP. */
    default void traceQp(final int event, final int qpNum, final long word0, final long word1, final long word2) {
        trace(event, TraceObject.qp(qpNum), word0, word1, word2, 0);
    }

    /** The same of a vCQ. */
    default void traceCq(final int event, final int number, final long word0) {
        trace(event, TraceObject.cq(number), word0, 0, 0, 0);
    }

    /** An object of the data path begins: it is told who hears what it does, and whenever that changes. */
    void beginTrace(Traced object);

    /** It is no more: it tells nobody when this returns. */
    void endTrace(Traced object);

    /** What there is of this bond that uses memory. */
    MemoryTracker memory();

    /** An object begins that uses memory, of whoever owns its parent. */
    default void begins(final Object object, final Object parent) {
        memory().beginIn(object, parent);
    }

    /** So many bytes outside of the heap are an object's now. */
    default void holds(final Object object, final long nativeBytes) {
        memory().holds(object, nativeBytes);
    }

    /** So many bytes outside of the heap are the application's until the bond is closed. */
    default void lends(final Object memory, final long nativeBytes) {
        memory().beginOfApplication(memory);
        memory().holds(memory, nativeBytes);
    }

    /** It is no more, nor what it held. */
    default void ends(final Object object) {
        memory().end(object);
    }

    /** A member's device has one more (+1) or one less (-1) of such objects. */
    default void onMember(final String member, final Object object, final int change) {
        memory().onMember(member, object, change);
    }

    /** Gives the application an asynchronous event; its listener is told at once. Not inside a queue's gate. */
    void raise(AsyncEvent event);

    /** The same inside a gate: the listener is told in the next turn, as it may call what the gate guards. */
    void raiseInside(AsyncEvent event);

    /** A queue pair, or a queue, is no more: events of it that nobody has taken are dropped. */
    void dropEvents(Object gone);

    /** Native memory for one send or receive request, for use within one call. */
    long scratchWr();

    /** Native memory for a few completions, for use within one call. */
    long scratchWcs(int count);
}
