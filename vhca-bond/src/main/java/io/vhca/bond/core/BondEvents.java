package io.vhca.bond.core;

import io.vhca.bond.jfr.FlightRecorder;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;

/**
 * Where a bond says what happens to it, from its control path alone: the journal and the JVM's flight recorder hear all
 * of it, the log that the status file shows hears of failovers. Control lock.
 */
public final class BondEvents implements Journal, AutoCloseable {
    private final String bond;
    private final Journal journal;
    private final FailoverLog failovers = new FailoverLog();

    public BondEvents(final String bond, final Journal journal) {
        this.bond = bond;
        this.journal = journal;
    }

    /** A step of a vQP's recovery. */
    @Override
    public void append(final JournalEvent step) {
        journal.append(step);
        FlightRecorder.recovery(step);
    }

    /**
     * Something changed about a member.
     *
     * @param failures how often its link went down or its device died
     */
    public void member(
            final String member,
            final long failures,
            final MemberChange change,
            final FailureReason reason,
            final long nowNs) {
        journal.append(JournalEvent.member(nowNs, bond, reason, "member " + member + " " + change.text()));
        FlightRecorder.member(bond, member, change.name(), reason.name(), failures);
    }

    /** Another member is the active one. */
    public void active(final String from, final String to, final long nowNs) {
        journal.append(JournalEvent.member(
                nowNs, bond, FailureReason.NONE, "member " + to + " is active in place of " + from));
        FlightRecorder.active(bond, from, to);
    }

    /** A recovery ended. */
    public void failover(final FailoverReport report) {
        failovers.add(report);
        FlightRecorder.failover(bond, report);
    }

    public FailoverLog failovers() {
        return failovers;
    }

    /** Closes the journal where it can be. */
    @Override
    public void close() {
        if (journal instanceof AutoCloseable owned) {
            try {
                owned.close();
            } catch (final Exception e) {
                throw new IllegalStateException("the journal could not be closed", e);
            }
        }
    }
}
