package io.vhca.ras.jfr;

import io.vhca.api.WcStatus;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberChange;
import io.vhca.ras.error.ErrorCode;
import io.vhca.recovery.BondError;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.wire.FailureReason;

/**
 * Writes what happens to one bond into running recordings of the JVM, from the thread that calls. Without a recording
 * that wants the event each call is a look at a flag. Before there was any recording no event is touched: to load the
 * first one takes the JVM a tenth of a second, on an emulated processor more than one, under the bond's control lock.
 */
public final class FlightRecorder implements BondObserver {
    /** A JVM that is made without the module has no recorder. */
    private static final boolean IS_THERE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final String bond;

    /** @param bond its name */
    public FlightRecorder(final String bond) {
        this.bond = bond;
    }

    /** Whether anybody has ever recorded; before that no event is to be touched. */
    static boolean isRecorded() {
        return IS_THERE && jdk.jfr.FlightRecorder.isInitialized();
    }

    @Override
    public void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {
        if (!isRecorded()) {
            return;
        }
        final MemberStateEvent event = new MemberStateEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.member = member;
            event.change = change.name();
            event.reason = reason.name();
            event.failures = failures;
            event.commit();
        }
    }

    @Override
    public void onError(final BondCounters.Counter kind, final Throwable error) {
        if (!isRecorded()) {
            return;
        }
        error(ErrorCode.of(kind), String.valueOf(error.getMessage()));
    }

    /** What names an error of the bond was told where it was found. */
    @Override
    public void onApplicationError(final int qpNum, final int status, final int vendorErr) {
        if (!isRecorded() || BondError.fromVendorErr(vendorErr) != null) {
            return;
        }
        error(ErrorCode.APPLICATION, "qp:0x" + Integer.toHexString(qpNum) + ": " + (status == 0
                ? "its member says that it is in error, or a receive failed"
                : WcStatus.fromCode(status) + ", vendor_err 0x" + Integer.toHexString(vendorErr)));
    }

    private void error(final ErrorCode code, final String what) {
        final ErrorEvent event = new ErrorEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.code = code.text();
            event.what = what;
            event.commit();
        }
    }

    @Override
    public void onActive(final String from, final String to) {
        if (!isRecorded()) {
            return;
        }
        final ActiveMemberEvent event = new ActiveMemberEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.from = from;
            event.to = to;
            event.commit();
        }
    }

    @Override
    public void onDatagramMove(final int qpNum, final String from, final String to) {
        if (!isRecorded()) {
            return;
        }
        final DatagramMoveEvent event = new DatagramMoveEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.qpNum = qpNum;
            event.from = from;
            event.to = to;
            event.commit();
        }
    }

    /** Of the kinds of steps those that have an event. */
    @Override
    public void onStep(final JournalEvent step) {
        if (!isRecorded()) {
            return;
        }
        if (step.kind() == JournalKind.TRANSITION) {
            transition(step);
        } else if (step.kind() == JournalKind.NEGOTIATED) {
            negotiation(step);
        }
    }

    private static void transition(final JournalEvent step) {
        final RecoveryStateEvent event = new RecoveryStateEvent();
        if (event.isEnabled()) {
            event.of(step);
            event.from = step.oldState().name();
            event.to = step.newState().name();
            event.reason = step.reason().name();
            event.note = step.note();
            event.commit();
        }
    }

    private static void negotiation(final JournalEvent step) {
        final NegotiationEvent event = new NegotiationEvent();
        if (event.isEnabled()) {
            event.of(step);
            event.ownReceived = step.ownReceived();
            event.peerReceived = step.peerReceived();
            event.ledger = step.note();
            event.commit();
        }
    }

    @Override
    public void onFailover(final FailoverReport report) {
        if (!isRecorded()) {
            return;
        }
        final BondError failed = report.error();
        if (failed != null && !failed.isToldWhereFound()) {
            error(ErrorCode.of(failed), "qp:0x" + Integer.toHexString(report.qpNum()) + ": " + failed.meaning());
        }
        final FailoverEvent event = new FailoverEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.qpNum = report.qpNum();
            event.epoch = Integer.toUnsignedLong(report.epoch());
            event.reason = report.reason().name();
            event.from = report.fromPath();
            event.to = report.toPath();
            event.fence = report.fenceNs();
            event.connect = report.connectNs();
            event.replay = report.replayNs();
            event.total = report.fenceNs() + report.connectNs() + report.replayNs();
            event.negotiated = report.negotiated();
            event.replayed = report.replayed();
            event.initiator = report.initiator();
            event.error = report.error() == null ? "" : report.error().name();
            event.commit();
        }
    }
}
