package io.vhca.bond.member;

import io.vhca.recovery.wire.FailureReason;

/**
 * Is told what changes about members. Observers are called in the order in which they were added to {@link Members}.
 * Control lock.
 */
public interface MemberObserver {
    /** Its port went down, or its device died. */
    default void onDown(final Member member, final FailureReason reason, final long nowNs) {}

    default void onUp(final Member member, final long nowNs) {}

    /** Its device is gone; {@link #onDown} was called before. */
    default void onDied(final Member member, final long nowNs) {}

    /** Its GID has another place in the device's table. */
    default void onGidMoved(final Member member) {}

    /** An operator wants it to be used: what was seen of it before is no reason to wait. */
    default void onForgiven(final Member member) {}

    /** An operator does not want to wait for what is tried again by and by: it is tried now. */
    default void onLookAgain(final long nowNs) {}

    /** No queue pair is left on its dead device. */
    default void onBuried(final Member member) {}

    /** It was removed from the bond. */
    default void onLeft(final Member member) {}

    /** A member was added, came back, is up again or was removed: what peers are told of. */
    default void onListChanged() {}

    /** Another member is to be preferred, or one is in use again: vQPs may have a better place. */
    default void onPreferenceChanged() {}

    /** Whether something of the observer's lives on the member, so that it cannot leave yet. */
    default boolean livesOn(final Member member) {
        return false;
    }
}
