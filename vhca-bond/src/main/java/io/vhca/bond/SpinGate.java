package io.vhca.bond;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time into a queue. The data path holds it for tens of nanoseconds; recovery enters it to learn
 * that nobody is inside, changes what the data path will see, and leaves.
 */
class SpinGate {
    private static final VarHandle WORD;
    private static final int SPINS_BEFORE_YIELD = 100;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(SpinGate.class, "word", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through WORD
    private volatile int word;

    /** Enters without waiting; false when somebody is inside. */
    final boolean tryEnter() {
        return WORD.compareAndSet(this, 0, 1);
    }

    /** Enters, spinning while somebody is inside. */
    final void enter() {
        if (!WORD.compareAndSet(this, 0, 1)) {
            enterContended();
        }
    }

    private void enterContended() {
        int spins = 0;
        while (!WORD.compareAndSet(this, 0, 1)) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                // The holder may have lost its core: with as many threads as cores, spinning on would starve it.
                Thread.yield();
            }
        }
    }

    /** Returns when whoever is inside now has left. */
    final void pass() {
        enter();
        leave();
    }

    /** Leaves; what was written inside is visible to whoever enters next. */
    final void leave() {
        WORD.setRelease(this, 0);
    }
}
