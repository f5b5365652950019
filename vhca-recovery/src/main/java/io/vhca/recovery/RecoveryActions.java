package io.vhca.recovery;

import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RecoveryMachine} asks of the bond. The machine calls it in the thread that told it a fact, from within
 * that call. An implementation may tell the next fact at once (onFenced from within {@link #fence()}): the machine
 * queues it. No method may throw.
 */
public interface RecoveryActions {
    /** Stop posting and polling for this vQP: new posts only enqueue. Called once as the vQP leaves CONNECTED. */
    void closeGate();

    /**
     * Move every pQP that this vQP has to ERR (never to RESET), the one in use and the one of an unfinished attempt;
     * where the device is gone, destroy it. Tell {@link RecoveryMachine#onFenced} when done, at once where there is
     * none.
     */
    void fence();

    /**
     * Poll until every WR of the fenced pQPs has come back, then tell {@link RecoveryMachine#onDrained} with the
     * counts; at once where there is nothing to wait for. The counts must not change until {@link #replay()}.
     */
    void drain();

    /**
     * The drain's bound has passed: count it as finished and tell {@link RecoveryMachine#onDrained} with what was
     * found.
     */
    void finishDrain();

    /**
     * Send a REQ that carries the request over the path, with a fresh pQP (none for {@link RecordType#CLOSE}).
     */
    void connect(PathId path, RecoveryRequest request);

    /** Drop the CM id of the attempt that {@link #connect} began: no fact of it may arrive after this. */
    void abandonAttempt();

    /**
     * Accept the REQ that the token names with a fresh pQP and a REP that carries the reply. A second answer replaces
     * the first one. Where it cannot be done, tell {@link RecoveryMachine#onConnectFailed}.
     */
    void answer(long token, RecoveryReply reply);

    /**
     * Reject the REQ that the token names.
     *
     * @param epoch our epoch, for the {@link RejectRecord}
     */
    void reject(long token, RejectCode code, int epoch);

    /**
     * Apply the peer's frozen counts: run {@link RewindPlan}, journal its counts, hand the application the completions
     * it is owed, rewind. May be called again with the same or higher counts when an attempt fails later.
     *
     * @return null when done, or why the vQP must fail
     */
    @Nullable BondError applyPeerCounts(ReceiverCounts counts);

    /** Post the rest again over the new pQP, then tell {@link RecoveryMachine#onReplayed}. */
    void replay();

    /** Release the queued posts: the vQP is healthy. */
    void openGate();

    /** The vQP failed for good: fence what is left, complete the first unfinished WR with the error, flush the rest. */
    void fail(BondError error);

    /**
     * The vQP is closed: report DISCONNECTED to the application, flush the rest. All real completions were handed out.
     */
    void disconnected();
}
