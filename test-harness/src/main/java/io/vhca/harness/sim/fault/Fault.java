package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Side;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Something that a scenario breaks, and mends again. One class is one kind of fault: it draws itself, begins, ends,
 * judges packets, and says what the contract still promises under it. {@link FaultKind} is its row in the table.
 *
 * <p>Immutable: how far a fault has come in a run is {@link FaultScript}'s to know. {@link Timing} says when it begins
 * and how long it lasts.
 */
public interface Fault {
    /** The kind of fault, as summaries count it. */
    String label();

    /** What is lost by it, and who gets over that; nothing, unless it says so. */
    default Damage damage() {
        return Damage.NONE;
    }

    /** Whether packets overtake others of their sender by it. */
    default boolean reorders() {
        return false;
    }

    /**
     * Breaks what it breaks besides packets.
     *
     * @return false where nothing but packets is struck
     */
    default boolean begin(final FaultTarget target) {
        return false;
    }

    /** Mends what {@link #begin} broke. Not called for a fault that is for good. */
    default void end(final FaultTarget target) {}

    /** True for the packets that {@link Timing.Packets} counts. */
    default boolean concerns(final Packet packet) {
        return true;
    }

    /** Decides on a packet that enters the fabric while the fault lasts. Allocates nothing. */
    default void judge(final Packet packet, final SplittableRandom random) {}

    /** What the checkers and the applications have to know of it. */
    default Set<Effect> effects() {
        return Set.of();
    }

    /** True where it needs a device that acknowledges messages before it has placed them. */
    default boolean needsEarlyAcks(final Side side, final int member) {
        return false;
    }
}
