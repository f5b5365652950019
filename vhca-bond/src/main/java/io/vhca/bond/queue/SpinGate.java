package io.vhca.bond.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time into a queue. The data path holds it for tens of nanoseconds; recovery enters it to learn
 * that nobody is inside, changes what the data path will see, and leaves.
 *
 * <p>A thread that polls without a pause is inside nearly all the time, and may be off its core while it is. So a
 * thread that has waited for long is let in before anybody who comes later: its wait ends with the holder's turn.
 *
 * <pre>
 *   FREE ---- enter ----> HELD ---- leave, nobody waits for long ----> FREE
 *                           `------ leave, somebody does ------------> RESERVED, for those who wait
 * </pre>
 */
public class SpinGate {
    private static final VarHandle WORD;
    private static final VarHandle WAITING;
    private static final int FREE = 0;
    private static final int HELD = 1;
    /** Twice the sign bit of minus the number of waiters: see {@link #leave}. */
    private static final int RESERVED = 2;
    private static final int SPINS_BEFORE_YIELD = 100;
    private static final int SPINS_BEFORE_RESERVING = SPINS_BEFORE_YIELD + 4;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(SpinGate.class, "word", int.class);
            WAITING = lookup.findVarHandle(SpinGate.class, "waiting", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through WORD
    private volatile int word;

    /** Threads that have waited for long. */
    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through WAITING
    private volatile int waiting;

    /** Enters without waiting; false when somebody is inside, or is to be let in first. */
    public final boolean tryEnter() {
        return WORD.compareAndSet(this, FREE, HELD);
    }

    /** Enters, spinning while somebody is inside. */
    public final void enter() {
        if (!WORD.compareAndSet(this, FREE, HELD)) {
            enterContended();
        }
    }

    private void enterContended() {
        int spins = 0;
        while (!WORD.compareAndSet(this, FREE, HELD)) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else if (spins < SPINS_BEFORE_RESERVING) {
                // The holder may have lost its core: with as many threads as cores, spinning on would starve it.
                Thread.yield();
            } else {
                enterReserved();
                return;
            }
        }
    }

    private void enterReserved() {
        WAITING.getAndAdd(this, 1);
        while (!WORD.compareAndSet(this, RESERVED, HELD) && !WORD.compareAndSet(this, FREE, HELD)) {
            Thread.yield();
        }
        WAITING.getAndAdd(this, -1);
    }

    /** True when a thread has waited for so long that it comes next. */
    public final boolean isWaitedFor() {
        return waiting != 0;
    }

    /** Whether somebody is inside: what assertions ask. */
    protected final boolean isEntered() {
        return word == HELD;
    }

    /** Returns when whoever is inside now has left. */
    public final void pass() {
        enter();
        leave();
    }

    /** Leaves; what was written inside is visible to whoever enters next. */
    public final void leave() {
        // A thread that begins to wait right now is seen when the next holder leaves. Without a branch: one that is
        // hardly ever taken makes compiled code give itself up when it is.
        final int waiters = (int) WAITING.getOpaque(this);
        WORD.setRelease(this, -waiters >>> Integer.SIZE - 1 << 1);
    }
}
