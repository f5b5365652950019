package io.vhca.bond.core;

import io.vhca.bond.jfr.FlightRecorder;
import io.vhca.bond.member.Member;
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

    /** Something changed about a member. */
    public void member(final Member member, final MemberChange change, final FailureReason reason, final long nowNs) {
        journal.append(JournalEvent.member(nowNs, bond, reason, "member " + member.name() + " " + change.text()));
        FlightRecorder.member(
                bond, member.name(), change.name(), reason.name(), member.history().failures());
    }

    /** The same where nothing failed. */
    public void member(final Member member, final MemberChange change, final long nowNs) {
        member(member, change, FailureReason.NONE, nowNs);
    }

    /** Another member is the active one. */
    public void active(final Member from, final Member to, final long nowNs) {
        journal.append(JournalEvent.member(
                nowNs, bond, FailureReason.NONE, "member " + to.name() + " is active in place of " + from.name()));
        FlightRecorder.active(bond, from.name(), to.name());
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
