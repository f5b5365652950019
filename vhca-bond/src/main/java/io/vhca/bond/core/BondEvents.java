package io.vhca.bond.core;

import io.vhca.bond.trace.Trace;
import io.vhca.bond.trace.TraceSink;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.util.Arrays;
import java.util.List;

/**
 * Where a bond says what happens to it, from its control path alone: the journal and the observers hear all of it, the
 * list that the status file shows hears of failovers. Control lock, but for {@link #error} and {@link #reopen}: any
 * thread.
 */
public final class BondEvents implements Journal, AutoCloseable {
    private static final BondObserver[] NOBODY = {};

    private final String bond;
    private final Trace trace;
    private final FailoverLog failovers = new FailoverLog();
    private volatile Journal journal;
    private volatile BondObserver[] observers = NOBODY;
    private long lateNs;

    /** @param trace is told which observer takes what is traced */
    public BondEvents(final String bond, final Journal journal, final Trace trace) {
        this.trace = trace;
        this.bond = bond;
        this.journal = journal;
    }

    /** Events go to this journal from now on, which is closed with the bond where it can be. */
    public void journal(final Journal opened) {
        journal = opened;
    }

    /** The journal's answer. Any thread, without the control lock. */
    @Override
    public String reopen() {
        return journal.reopen();
    }

    /** One more is told from now on, and closed with the bond. */
    public void observe(final BondObserver observer) {
        final BondObserver[] more = Arrays.copyOf(observers, observers.length + 1);
        more[observers.length] = observer;
        observers = more;
        final TraceSink sink = observer.traceSink();
        if (sink != null) {
            trace.to(sink);
        }
    }

    /** Nobody is told any more. */
    public void closeObservers() {
        final BondObserver[] told = observers;
        observers = NOBODY;
        trace.to(null);
        for (final BondObserver observer : told) {
            observer.close();
        }
    }

    /** So much later is the clock that drives the bond than the bond's own, by which it tells of what happens. */
    void late(final long late) {
        lateNs = late;
    }

    /** A turn of the duty cycle ended. */
    public void turn(final long nowNs) {
        for (final BondObserver observer : observers) {
            observer.onTurn(nowNs);
        }
    }

    /** A step of a vQP's recovery. */
    @Override
    public void append(final JournalEvent own) {
        final JournalEvent step = own.later(lateNs);
        journal.append(step);
        for (final BondObserver observer : observers) {
            observer.onStep(step);
        }
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
        journal.append(JournalEvent.member(nowNs + lateNs, bond, reason, "member " + member + " " + change.text()));
        for (final BondObserver observer : observers) {
            observer.onMember(member, change, reason, failures);
        }
    }

    /** Another member is the active one. */
    public void active(final String from, final String to, final long nowNs) {
        journal.append(JournalEvent.member(
                nowNs + lateNs, bond, FailureReason.NONE, "member " + to + " is active in place of " + from));
        for (final BondObserver observer : observers) {
            observer.onActive(from, to);
        }
    }

    /** A queue pair for datagrams lives on another member, or on none: an empty name. */
    public void datagramMove(final int qpNum, final String from, final String to) {
        for (final BondObserver observer : observers) {
            observer.onDatagramMove(qpNum, from, to);
        }
    }

    /** A recovery ended. */
    public void failover(final FailoverReport report) {
        failovers.add(report);
        for (final BondObserver observer : observers) {
            observer.onFailover(report);
        }
    }

    /** A vQP fails for a reason of the application's own. */
    public void applicationError(final int qpNum, final int status, final int vendorErr) {
        for (final BondObserver observer : observers) {
            observer.onApplicationError(qpNum, status, vendorErr);
        }
    }

    /** The bond is closed with objects of the application's that were left open; a line each. */
    public void leaks(final List<String> objects) {
        for (final BondObserver observer : observers) {
            observer.onLeaks(objects);
        }
    }

    /** Something failed where the bond goes on. Any thread. */
    void error(final BondCounters.Counter kind, final Throwable error) {
        for (final BondObserver observer : observers) {
            observer.onError(kind, error);
        }
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
