package io.vhca.bond.core;

import io.vhca.bond.trace.TraceSink;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to a bond, for people: status file, flight recorder. Called under the bond's control lock by who
 * drives the bond, so it must be quick; {@link #onError} by any thread. No gate of a queue is held then: what was found
 * inside one is told in the bond's next turn. What is not overridden does nothing.
 */
public interface BondObserver extends AutoCloseable {
    /** A turn of the duty cycle ended. */
    default void onTurn(final long nowNs) {}

    /** A step of a vQP's recovery. */
    default void onStep(final JournalEvent step) {}

    /**
     * Something changed about a member.
     *
     * @param reason   how it was noticed that the member went down; NONE otherwise
     * @param failures how often its link went down or its device died so far
     */
    default void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {}

    /** Another member is the active one. */
    default void onActive(final String from, final String to) {}

    /** A queue pair for datagrams lives on another member, or on none: an empty name. */
    default void onDatagramMove(final int qpNum, final String from, final String to) {}

    /** A recovery ended, well or not. */
    default void onFailover(final FailoverReport report) {}

    /**
     * A vQP goes to ERR for a reason of the application's own; everything is still as it was then.
     *
     * @param status    of the send that failed, 0 where it was none
     * @param vendorErr of the same
     */
    default void onApplicationError(final int qpNum, final int status, final int vendorErr) {}

    /**
     * Something failed where the bond goes on: a call to a member, a turn of the duty cycle, the journal.
     *
     * @param kind what it is counted as
     */
    default void onError(final BondCounters.Counter kind, final Throwable error) {}

    /** The bond is closed with objects of the application's that were left open: which, and where they were made. */
    default void onLeaks(final List<String> objects) {}

    /** Who takes what the bond's parts trace, from the moment that this observer is added; null for not this one. */
    default @Nullable TraceSink traceSink() {
        return null;
    }

    /** The bond is closed. Who was added last hears of it first. */
    @Override
    default void close() {}
}
