package io.vhca.bond.core;

import io.vhca.bond.trace.Trace;
import io.vhca.bond.trace.TraceSink;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.lang.System.Logger;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where a bond says what happens to it, from its control path alone: the journal and the observers hear all of it, the
 * list that the status file shows hears of failovers. Control lock, but for {@link #error}, {@link #reopen} and
 * {@link #isFailing}: any thread.
 *
 * <p>A journal or an observer that throws keeps neither the others from what happened nor the bond from what it does
 * about it: many are told in the middle of a recovery, whose requests would never complete.
 */
public final class BondEvents implements Journal, AutoCloseable {
    private static final Logger LOGGER = System.getLogger(BondEvents.class.getName());
    private static final BondObserver[] NOBODY = {};

    private final String bond;
    private final Trace trace;
    private final BondCounters counters;
    private final FailoverLog failovers = new FailoverLog();
    private volatile Journal journal;
    private volatile BondObserver[] observers = NOBODY;
    private volatile boolean isFailureLogged;
    private long lateNs;

    /**
     * @param trace    is told which observer takes what is traced
     * @param counters count observers that fail
     */
    public BondEvents(final String bond, final Journal journal, final Trace trace, final BondCounters counters) {
        this.trace = trace;
        this.counters = counters;
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

    @Override
    public boolean isFailing() {
        return journal.isFailing();
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

    /** Nobody is told any more. The last that was added is closed first: it may use what those before it keep. */
    public void closeObservers() {
        counters.tellKept();
        final BondObserver[] told = observers;
        observers = NOBODY;
        trace.to(null);
        for (int i = told.length - 1; i >= 0; i--) {
            tell(told[i], BondObserver::close);
        }
    }

    /** So much later is the clock that drives the bond than the bond's own, by which it tells of what happens. */
    void late(final long late) {
        lateNs = late;
    }

    /** A turn of the duty cycle ended. */
    public void turn(final long nowNs) {
        for (final BondObserver observer : observers) {
            try {
                observer.onTurn(nowNs);
            } catch (final Throwable e) {
                failed(observer.getClass(), "when it was told what happened", e);
            }
        }
    }

    /** A step of a vQP's recovery. */
    @Override
    public void append(final JournalEvent own) {
        final JournalEvent step = own.later(lateNs);
        write(step);
        tell(observer -> observer.onStep(step));
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
        write(JournalEvent.member(nowNs + lateNs, bond, reason, "member " + member + " " + change.text()));
        tell(observer -> observer.onMember(member, change, reason, failures));
    }

    /** Another member is the active one. */
    public void active(final String from, final String to, final long nowNs) {
        write(JournalEvent.member(
                nowNs + lateNs, bond, FailureReason.NONE, "member " + to + " is active in place of " + from));
        tell(observer -> observer.onActive(from, to));
    }

    /** A queue pair for datagrams lives on another member, or on none: an empty name. */
    public void datagramMove(final int qpNum, final String from, final String to) {
        tell(observer -> observer.onDatagramMove(qpNum, from, to));
    }

    /** A recovery ended. */
    public void failover(final FailoverReport report) {
        failovers.add(report);
        tell(observer -> observer.onFailover(report));
    }

    /** A vQP fails for a reason of the application's own. */
    public void applicationError(final int qpNum, final int status, final int vendorErr) {
        tell(observer -> observer.onApplicationError(qpNum, status, vendorErr));
    }

    /** The bond is closed with objects of the application's that were left open; a line each. */
    public void leaks(final List<String> objects) {
        tell(observer -> observer.onLeaks(objects));
    }

    /** Something failed where the bond goes on. Any thread. */
    void error(final BondCounters.Counter kind, final Throwable error) {
        for (final BondObserver observer : observers) {
            try {
                observer.onError(kind, error);
            } catch (final Throwable e) {
                // Only counted: to tell of it would come here again.
                counters.add(BondCounters.Counter.DUTY_CYCLE_ERRORS, 1);
            }
        }
    }

    private void write(final JournalEvent event) {
        try {
            journal.append(event);
        } catch (final Throwable e) {
            lost(e);
        }
    }

    private void lost(final Throwable error) {
        try {
            counters.add(BondCounters.Counter.JOURNAL_LOST, 1);
            counters.happened(BondCounters.Counter.JOURNAL_ERRORS, error);
        } catch (final Throwable e) {
            // Without memory to tell of it the bond goes on as well.
        }
    }

    /** Who was to add observers failed: the bond goes on without what it could not add. */
    public void unobserved(final Class<?> provider, final Throwable error) {
        failed(provider, "when it was to observe the bond", error);
    }

    private void tell(final Consumer<BondObserver> what) {
        for (final BondObserver observer : observers) {
            tell(observer, what);
        }
    }

    private void tell(final BondObserver observer, final Consumer<BondObserver> what) {
        try {
            what.accept(observer);
        } catch (final Throwable e) {
            failed(observer.getClass(), "when it was told what happened", e);
        }
    }

    private void failed(final Class<?> observer, final String when, final Throwable error) {
        try {
            counters.happened(BondCounters.Counter.DUTY_CYCLE_ERRORS, error);
            if (!isFailureLogged) {
                isFailureLogged = true;
                LOGGER.log(
                        Logger.Level.ERROR,
                        bond + ": " + observer.getName()
                                + " failed " + when + "; later ones are only counted",
                        error);
            }
        } catch (final Throwable e) {
            // Without memory for a line of the log the bond goes on as well.
            isFailureLogged = true;
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
