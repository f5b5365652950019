package io.vhca.bond.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The right of one thread to enter and leave a gate with a plain store each: no compare-and-set, no fence.
 *
 * <pre>
 *   its thread                                    who revokes
 *     inside = 1                                    granted = 0
 *     (no fence: the compiler keeps the order)      membarrier: every thread passes a full barrier
 *     granted? yes: it is in                        wait until inside = 0
 *              no:  inside = 0, the long way        it is in
 *     ...
 *     inside = 0 (release)
 * </pre>
 *
 * <p>Why one of them must see the other: let P be the point where the barrier that the kernel makes falls into the
 * instructions of the first thread. If its store to {@code inside} is before P, it is seen by who revokes, who waits.
 * If it is after P, so is the load of {@code granted} behind it, which then finds 0. A thread that is not running, or
 * that was moved to another core in between, is covered too: the kernel passes such a barrier with each switch. A
 * virtual thread is its carrier's instructions, and every thread of the process passes.
 *
 * <p>What that stands on. The Java memory model does not order an opaque (or a release) store before a later load of
 * another variable, and has no fence that orders those two for the compiler alone. HotSpot does order them: its
 * compilers put a barrier for themselves, which is no instruction, before and behind every VarHandle access that is
 * stronger than plain, and the interpreter does one after the other. So {@code inside} is written opaque and
 * {@code granted} read with acquire. {@code GateBiasStress} shows it for the compilers in use, and shows that without
 * the call to the kernel both are in.
 *
 * <p>Who revokes sees what was done inside: it reads with acquire the 0 that was written with release. What others do
 * inside once the right is revoked, its thread sees when it comes in by the gate's word; only so is it given the right
 * again.
 *
 * <p>{@code inside} is written by one thread at a time, for ever: that is why each thread that is given the gate has an
 * object of its own. One that was about to enter when it lost the right may write it much later, and must not disturb
 * who has the gate by then. Where the application says that one thread at a time uses a queue, one object will do: a
 * thread is out before the next comes, which has seen what it wrote.
 */
final class GateBias {
    /** Nobody has the right. */
    static final GateBias NOBODYS = new GateBias(null);

    private static final VarHandle INSIDE;
    private static final VarHandle GRANTED;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            INSIDE = lookup.findVarHandle(GateBias.class, "inside", int.class);
            GRANTED = lookup.findVarHandle(GateBias.class, "granted", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Whose right it is; null for nobody, or for whoever calls: {@link SpinGate#isForOneThread}. */
    final @Nullable Thread owner;

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through INSIDE
    private int inside;

    @SuppressWarnings({"unused", "FieldCanBeFinal", "FieldMayBeFinal"}) // accessed through GRANTED
    private int granted;

    /** Two gates of two threads that were made one after the other are not to share a cache line. */
    @SuppressWarnings("unused")
    private long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13;

    GateBias(final @Nullable Thread owner) {
        this.owner = owner;
    }

    // ---- its own thread ---------------------------------------------------------------------------------------------

    /** Enters; false when the right was revoked. */
    boolean enter() {
        assert !isInside() : owner == null
                ? "two threads are in a queue that was created to be used by one at a time (singleThreaded)"
                : "a gate is entered twice by one thread";
        INSIDE.setOpaque(this, 1);
        return (int) GRANTED.getAcquire(this) != 0 || refused();
    }

    private boolean refused() {
        INSIDE.setRelease(this, 0);
        return false;
    }

    void leave() {
        INSIDE.setRelease(this, 0);
    }

    // ---- the one thread inside the gate, or about to be -------------------------------------------------------------

    /** Gives the right to its thread, which is the one inside the gate now and stays so. */
    void grantInside() {
        INSIDE.setOpaque(this, 1);
        GRANTED.setRelease(this, 1);
    }

    /** Gives the right back. */
    void grant() {
        GRANTED.setRelease(this, 1);
    }

    /** Takes the right away; what {@link #isInside} says after it is true for good. */
    void revoke() {
        GRANTED.setOpaque(this, 0);
        Membarrier.passedByAll();
    }

    /** Whether its thread is inside; what it did there is seen when it is not. */
    boolean isInside() {
        return (int) INSIDE.getAcquire(this) != 0;
    }
}
