package io.vhca.bond.queue;

import io.vhca.bond.memory.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/**
 * Lets one thread at a time into a queue. The data path holds it for nanoseconds; recovery enters it to learn that
 * nobody is inside, changes what the data path will see, and leaves.
 *
 * <p>A thread that enters so often that nobody else seems to is given the gate ({@link GateBias}): it then enters and
 * leaves with plain stores. Whoever else enters takes that away first, which costs some microseconds, once; a thread is
 * given the gate again when it has entered twice as often as before. Where there is no {@link Membarrier}, and where
 * threads share a queue, every entry is one compare-and-set of the word.
 *
 * <p>A queue that the application uses by one thread at a time, and says so when it creates it, has its gate from the
 * beginning ({@link #isForOneThread}): its calls ({@link #enterOwn}) do not look whose the gate is. Whoever else comes,
 * and each call that is not such a one, takes it away as above, and it is given back as above: after as many entries of
 * one thread.
 *
 * <p>A thread that polls without a pause is inside nearly all the time, and may be off its core while it is. So a
 * thread that has waited for long is let in before anybody who comes later: its wait ends with the holder's turn.
 *
 * <pre>
 *   FREE ---- enter ----> HELD ---- leave, nobody waits for long ----> FREE
 *                          |  `---- leave, somebody does ------------> RESERVED, for those who wait
 *                          |
 *                          | its thread has come so often alone                    (it goes in and out)
 *                          `------------------------------------------> BIASED, to that thread
 *                                                                          | another one enters
 *                                   HELD <--- when the first is out --- REVOKING
 * </pre>
 */
public class SpinGate implements Gate {
    private static final VarHandle WORD;
    private static final VarHandle WAITING;
    private static final int FREE = 0;
    private static final int HELD = 1;
    /** Twice the sign bit of minus the number of waiters: see {@link #leave}. */
    private static final int RESERVED = 2;
    private static final int BIASED = 3;
    private static final int REVOKING = 4;
    private static final int SPINS_BEFORE_YIELD = 100;
    private static final int SPINS_BEFORE_RESERVING = SPINS_BEFORE_YIELD + 4;
    /** To take the gate away costs about as much as this many entries gain. */
    static final int ENTRIES_BEFORE_BIAS = 1 << 10;

    private static final int MOST_ENTRIES_BEFORE_BIAS = 1 << 17;

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

    /** Of the thread that has, or had, the gate. Written inside; a thread that reads an old one is refused by it. */
    private GateBias bias = GateBias.NOBODYS;

    /** The thread that came last by the word, by its id, and how often it has since another one did. Inside. */
    private long lastId;

    private int entries;
    private int entriesBeforeBias;
    private boolean mayBeBiased;
    /** Whichever thread makes the application's call has the gate. */
    private boolean isOfCaller;
    /** Who is inside gives it back to those calls when he leaves. Inside, by the word. */
    private boolean isToGiveBack;

    public SpinGate() {
        this(Membarrier.IS_AVAILABLE);
    }

    /** @param mayBeBiased whether a thread may be given it: there is a {@link Membarrier} */
    SpinGate(final boolean mayBeBiased) {
        this(mayBeBiased, ENTRIES_BEFORE_BIAS);
    }

    /** @param entriesBeforeBias so many in a row give a thread the gate for the first time */
    SpinGate(final boolean mayBeBiased, final int entriesBeforeBias) {
        this.mayBeBiased = mayBeBiased;
        this.entriesBeforeBias = entriesBeforeBias;
    }

    /** The application's calls come by one thread at a time. Before anybody enters. */
    public final void isForOneThread() {
        if (mayBeBiased) {
            mayBeBiased = false;
            isOfCaller = true;
            bias = new GateBias(null);
            giveBack();
        }
    }

    /** Enters for a call of the application's; it does not look whose the gate is where {@link #isForOneThread}. */
    protected final void enterOwn() {
        final GateBias to = bias;
        if (!isOfCaller && to.owner != Thread.currentThread() || !to.enter()) {
            enterByWord();
        }
    }

    /** Enters without waiting; false when somebody is inside, or is to be let in first. */
    public final boolean tryEnter() {
        final GateBias to = bias;
        if (to.owner == Thread.currentThread()) {
            if (to.isInside()) {
                return false;
            }
            if (to.enter()) {
                return true;
            }
        }
        if (WORD.compareAndSet(this, FREE, HELD)) {
            count();
            return true;
        }
        return word == BIASED && tryRevoke();
    }

    /** Enters, spinning while somebody is inside. */
    public final void enter() {
        final GateBias to = bias;
        if (to.owner != Thread.currentThread() || !to.enter()) {
            enterByWord();
        }
    }

    @Override
    public final boolean enterUnless(final BooleanSupplier isLate) {
        for (int spins = 0; !tryEnter(); spins++) {
            if (word == BIASED && revokeUnless(isLate)) {
                return true;
            }
            if (isLate.getAsBoolean()) {
                return false;
            }
            pause(spins);
        }
        return true;
    }

    private static void pause(final int spins) {
        if (spins < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private void enterByWord() {
        if (!WORD.compareAndSet(this, FREE, HELD)) {
            enterContended();
        }
        count();
    }

    private void enterContended() {
        int spins = 0;
        while (!WORD.compareAndSet(this, FREE, HELD)) {
            if (word == BIASED && revoke()) {
                return;
            }
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
        while (!WORD.compareAndSet(this, RESERVED, HELD)
                && !WORD.compareAndSet(this, FREE, HELD)
                && !(word == BIASED && revoke())) {
            Thread.yield();
        }
        WAITING.getAndAdd(this, -1);
    }

    // ---- whose gate it is -------------------------------------------------------------------------------------------

    /** Inside, by the word. */
    private void count() {
        final Thread own = Thread.currentThread();
        if (own.threadId() != lastId) {
            lastId = own.threadId();
            entries = 0;
        } else if (++entries >= entriesBeforeBias) {
            entries = 0;
            if (mayBeBiased) {
                biasTo(own);
            } else {
                isToGiveBack = isOfCaller;
            }
        }
    }

    /** Gives the gate to the thread that is inside and came in by the word; else it has it, or is about to lose it. */
    final void biasTo(final Thread own) {
        assert isEntered() && own == Thread.currentThread() : "who is not inside cannot be given the gate";
        if (word != HELD) {
            return;
        }
        if (bias.owner != own) {
            bias = new GateBias(own);
        }
        bias.grantInside();
        WORD.setRelease(this, BIASED);
    }

    /** Whoever is inside, and came in by the word, gives the gate back to the application's calls, and is out. */
    private void giveBack() {
        // Not HELD any more: a thread that is granted it and leaves at once is to leave by its right.
        WORD.setRelease(this, REVOKING);
        bias.grant();
        WORD.setRelease(this, BIASED);
    }

    /** Whether a thread has the gate: it enters and leaves with plain stores. */
    final boolean isBiased() {
        return word == BIASED;
    }

    /** Of the thread that has it, or had it last. */
    final GateBias bias() {
        return bias;
    }

    /** Takes the gate away from the thread that has it and enters; false when somebody else was faster. */
    private boolean revoke() {
        return revokeUnless(() -> false);
    }

    /** As {@link #revoke}; false too when it gets too late before the thread that has it is out: it keeps the gate. */
    private boolean revokeUnless(final BooleanSupplier isLate) {
        if (!WORD.compareAndSet(this, BIASED, REVOKING)) {
            return false;
        }
        final GateBias from = bias;
        from.revoke();
        for (int spins = 0; from.isInside(); spins++) {
            if (isLate.getAsBoolean()) {
                from.grant();
                WORD.setRelease(this, BIASED);
                return false;
            }
            pause(spins);
        }
        onRevoked();
        return true;
    }

    /** As {@link #revoke}, but false and nothing changed when the thread that has it is inside. */
    private boolean tryRevoke() {
        final GateBias from = bias;
        if (from.isInside() || !WORD.compareAndSet(this, BIASED, REVOKING)) {
            return false;
        }
        bias.revoke();
        if (bias.isInside()) {
            bias.grant();
            WORD.setRelease(this, BIASED);
            return false;
        }
        onRevoked();
        return true;
    }

    private void onRevoked() {
        entries = 0;
        entriesBeforeBias = Math.min(2 * entriesBeforeBias, MOST_ENTRIES_BEFORE_BIAS);
        WORD.setVolatile(this, HELD);
    }

    // ---- who waits, who is inside -----------------------------------------------------------------------------------

    /** True when a thread has waited for so long that it comes next. */
    public final boolean isWaitedFor() {
        return waiting != 0;
    }

    /** Whether somebody is inside: what assertions ask. */
    protected final boolean isEntered() {
        return word == HELD || bias.isInside();
    }

    /** Returns when whoever is inside now has left. */
    public final void pass() {
        enter();
        leave();
    }

    /** Leaves; what was written inside is visible to whoever enters next. */
    @Override
    public final void leave() {
        if ((int) WORD.getOpaque(this) != HELD) {
            bias.leave();
            return;
        }
        // A thread that begins to wait right now is seen when the next holder leaves. Without a branch: one that is
        // hardly ever taken makes compiled code give itself up when it is.
        final int waiters = (int) WAITING.getOpaque(this);
        if (isToGiveBack && waiters == 0) {
            isToGiveBack = false;
            giveBack();
            return;
        }
        WORD.setRelease(this, -waiters >>> Integer.SIZE - 1 << 1);
    }
}
