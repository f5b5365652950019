package io.vhca.recovery;

import io.vhca.recovery.RecoveryTransitions.Reaction;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The rules behind a {@link RecoveryMachine}: takes one fact at a time, and never while another one is being taken. */
final class RecoveryProcedure {
    private final VqpIdentity identity;
    private final RecoveryConfig config;
    private final Backoff backoff;
    private final PathChoice paths;
    private final RecoveryActions actions;
    private final Journal journal;
    private final Deadline recovery = new Deadline();
    private final Deadline step = new Deadline();
    private final Deadline close = new Deadline();
    private final Epoch epoch = new Epoch();

    private RecoveryState state = RecoveryState.IDLE;
    private FailureReason reason = FailureReason.NONE;
    private PathId path = PathId.NONE;
    private boolean connectedOnce;
    private long ownReceived = -1;
    private long ownLedger;
    private long peerReceived = -1;
    private @Nullable ToldFact pending;
    private @Nullable ToldFact peerClose;
    private boolean closing;
    private long defects;
    private long recoveries;

    RecoveryProcedure(final VqpIdentity identity, final RecoveryConfig config, final PathTable paths,
            final RandomGenerator random, final RecoveryActions actions, final Journal journal) {
        this.identity = identity;
        this.config = config;
        this.paths = new PathChoice(paths);
        backoff = new Backoff(config, random);
        this.actions = actions;
        this.journal = journal;
    }

    RecoveryState state() {
        return state;
    }

    int epoch() {
        return epoch.number();
    }

    PathId path() {
        return path;
    }

    FailureReason reason() {
        return reason;
    }

    long defects() {
        return defects;
    }

    long recoveries() {
        return recoveries;
    }

    void usePath(final PathId inUse) {
        path = inUse;
    }

    void wantPath(final PathId next) {
        paths.want(next);
    }

    boolean due(final long nowNs) {
        return recovery.due(nowNs) || step.due(nowNs) || close.due(nowNs);
    }

    long nextDeadlineNs() {
        return recovery.earlier(step.earlier(close.earlier(Long.MAX_VALUE)));
    }

    void take(final ToldFact fact) {
        final Reaction reaction = RecoveryTransitions.reaction(state, fact.kind());
        if (reaction == Reaction.HANDLE) {
            handle(fact);
        } else if (reaction == Reaction.DEFECT) {
            defects++;
            record(JournalKind.DEFECT, state, fact.nowNs(), fact.kind() + " cannot happen in " + state);
        }
    }

    private void handle(final ToldFact fact) {
        final long nowNs = fact.nowNs();
        switch (fact.kind()) {
            case START -> beginRecovery(FailureReason.FIRST_CONNECT, nowNs);
            case PATH_FAILURE -> pathFailed(fact.reason(), nowNs);
            case FENCED -> {
                move(RecoveryState.DRAINING, nowNs, "");
                step.set(nowNs, drainNs());
                actions.drain();
            }
            case DRAINED -> drained(fact.first(), fact.second(), nowNs);
            case REQUEST -> requested(fact);
            case REPLY -> replied(Objects.requireNonNull(fact.reply()), nowNs);
            case REJECTED -> rejected(fact.reject(), nowNs);
            case CONNECT_FAILED -> attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
            case ESTABLISHED -> established(nowNs);
            case REPLAYED -> healthy(nowNs);
            case PATH_UP -> pathUp((int) fact.first(), nowNs);
            case APPLICATION_CLOSE -> applicationClose(nowNs);
            case TIMER -> timer(nowNs);
            case VQP_ERROR -> end(RecoveryState.FAILED, "error outside recovery", nowNs);
        }
    }

    private void pathFailed(final FailureReason why, final long nowNs) {
        reason = why;
        switch (state) {
            case CONNECTED, CONNECTING, ANSWERED, REPLAYING -> blamePath(why, nowNs);
            default -> { } // fencing, draining or waiting already
        }
        switch (state) {
            case CONNECTED -> beginRecovery(why, nowNs);
            case CONNECTING, ANSWERED, REPLAYING -> newRound(nowNs, "failed again: " + why);
        }
    }

    private void blamePath(final FailureReason why, final long nowNs) {
        if (paths.failed(path, why, nowNs)) {
            record(JournalKind.PATH_FAILED, state, nowNs, why.toString());
        }
    }

    /** From IDLE or CONNECTED. */
    private void beginRecovery(final FailureReason why, final long nowNs) {
        reason = why;
        backoff.reset();
        paths.forgetTried();
        recovery.set(nowNs, config.recoveryTimeoutNs());
        move(RecoveryState.FENCING, nowNs, "");
        actions.closeGate();
        actions.fence();
    }

    private void newRound(final long nowNs, final String note) {
        leave(RecoveryState.FENCING, nowNs, note);
        actions.fence();
    }

    private void drained(final long received, final long ledger, final long nowNs) {
        ownReceived = received;
        ownLedger = ledger;
        final ToldFact request = pending;
        if (peerClose != null) {
            end(RecoveryState.CLOSED, "the peer's application closed", nowNs);
        } else if (closing) {
            sayClose(nowNs);
        } else if (request != null) {
            pending = null;
            answer(request, nowNs);
        } else {
            attempt(nowNs);
        }
    }

    private void answer(final ToldFact fact, final long nowNs) {
        final SessionRecord request = Objects.requireNonNull(fact.request());
        epoch.agreed(request.epoch());
        path = fact.path();
        final BondError error = applyCounts(request.received(), request.ledger(), nowNs);
        if (error != null) {
            pending = fact;
            fail(error, nowNs);
            return;
        }
        move(RecoveryState.ANSWERED, nowNs, "");
        step.set(nowNs, config.establishTimeoutNs());
        actions.answer(fact.first(), identity.reply(epoch(), ownReceived, ownLedger));
    }

    private @Nullable BondError applyCounts(final long received, final long ledger, final long nowNs) {
        peerReceived = received;
        record(JournalKind.NEGOTIATED, state, nowNs, "ledger " + ledger);
        return actions.applyPeerCounts(received, ledger);
    }

    private void attempt(final long nowNs) {
        final PathId next = paths.next(nowNs);
        if (next == null) {
            waitFor(backoff.nextNs(), nowNs, "every path failed");
            return;
        }
        path = next;
        epoch.next();
        move(RecoveryState.CONNECTING, nowNs, "");
        step.set(nowNs, config.connectTimeoutNs());
        connect(connectedOnce ? RecordType.RECOVER : RecordType.OOB);
    }

    private void waitFor(final long pauseNs, final long nowNs, final String note) {
        leave(RecoveryState.WAITING, nowNs, note);
        step.set(nowNs, pauseNs);
    }

    private void replied(final ReplyRecord reply, final long nowNs) {
        if (!reply.session().equals(identity.session()) || reply.vQpNum() != identity.remoteQpNum()
                || reply.epoch() != epoch()) {
            record(JournalKind.NOTE, state, nowNs, "the reply is not for this attempt");
            attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
            return;
        }
        epoch.agreed(reply.epoch());
        final BondError error = applyCounts(reply.received(), reply.ledger(), nowNs);
        if (error != null) {
            fail(error, nowNs);
            return;
        }
        move(RecoveryState.REPLAYING, nowNs, "");
        actions.replay();
    }

    private void established(final long nowNs) {
        if (state == RecoveryState.IDLE) {
            connectedOnce = true;
            move(RecoveryState.CONNECTED, nowNs, "first connection");
        } else {
            move(RecoveryState.REPLAYING, nowNs, "");
            actions.replay();
        }
    }

    private void healthy(final long nowNs) {
        connectedOnce = true;
        recoveries++;
        paths.succeeded(path);
        recovery.clear();
        move(RecoveryState.CONNECTED, nowNs, "");
        actions.openGate();
    }

    private void attemptFailed(final FailureReason why, final long nowNs) {
        if (state == RecoveryState.ANSWERED) {
            newRound(nowNs, "our answer was not confirmed: " + why);
            return;
        }
        blamePath(why, nowNs);
        if (state == RecoveryState.CLOSING) {
            actions.abandonAttempt();
            sayClose(nowNs);
        } else {
            newRound(nowNs, "attempt failed: " + why);
        }
    }

    private void rejected(final @Nullable RejectRecord reject, final long nowNs) {
        final RejectCode code = reject == null ? RejectCode.NO_RESOURCES : reject.code();
        record(JournalKind.REJECT_RECEIVED, state, nowNs, reject == null ? "no record" : code.toString());
        if (state == RecoveryState.CLOSING && code != RejectCode.NO_RESOURCES) {
            end(RecoveryState.CLOSED, "the peer answered " + code, nowNs);
            return;
        }
        switch (code) {
            case STALE_EPOCH -> {
                epoch.heard(Objects.requireNonNull(reject).epoch());
                paths.want(path); // the peer has answered over it
                if (identity.side() == 0) {
                    newRound(nowNs, "");
                } else {
                    waitFor(backoff.nextNs(), nowNs, "behind the peer, whose REQ may be on the way");
                }
            }
            case TIE_YIELD -> {
                if (identity.side() == 0 && connectedOnce) {
                    attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
                } else {
                    waitFor(config.yieldTimeoutNs(), nowNs, "the peer stays active");
                }
            }
            case UNKNOWN_SESSION, BAD_SESSION -> {
                if (connectedOnce) {
                    fail(BondError.PEER_RESTARTED, nowNs);
                } else {
                    paths.want(path); // the peer's bond has answered over it
                    waitFor(backoff.nextNs(), nowNs, "brought up out of band, and the peer is not there yet");
                }
            }
            case BAD_VERSION, GARBAGE -> fail(BondError.PROTOCOL_VIOLATION, nowNs);
            case CLOSED, CLOSED_ACK -> end(RecoveryState.CLOSED, "the peer answered " + code, nowNs);
            case APPLICATION, NO_RESOURCES, PROBE_ACK -> attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
            case FAILED -> fail(BondError.PEER_FAILED, nowNs);
        }
    }

    private void requested(final ToldFact fact) {
        final SessionRecord request = Objects.requireNonNull(fact.request());
        final boolean sayingClose = request.type() == RecordType.CLOSE;
        final long nowNs = fact.nowNs();
        if (!request.session().equals(identity.session()) || request.targetQpNum() != identity.vQpNum()
                || request.senderQpNum() != identity.remoteQpNum()) {
            reject(fact, RejectCode.BAD_SESSION, 0);
        } else if (state == RecoveryState.CLOSED || state == RecoveryState.FAILED) {
            final RejectCode over = state == RecoveryState.CLOSED ? RejectCode.CLOSED : RejectCode.FAILED;
            reject(fact, sayingClose ? RejectCode.CLOSED_ACK : over, epoch());
        } else if (sayingClose) {
            peerCloses(fact, nowNs);
        } else if (closing || peerClose != null) {
            reject(fact, RejectCode.CLOSED, epoch());
        } else {
            peerRecovers(fact, request);
        }
    }

    private void peerRecovers(final ToldFact fact, final SessionRecord request) {
        final int theirs = request.epoch();
        final ToldFact earlier = pending;
        final int ours = earlier != null ? Objects.requireNonNull(earlier.request()).epoch() : epoch();
        final int order = Integer.compareUnsigned(theirs, ours);
        if (order < 0 || order == 0 && earlier == null && !epoch.mayRepeat(state)) {
            reject(fact, RejectCode.STALE_EPOCH, ours);
            return;
        }
        if (request.reason() == FailureReason.PLANNED.code() && paths.excuse()) {
            reason = FailureReason.PLANNED; // the end of the connection comes before the REQ that says why
            record(JournalKind.NOTE, state, fact.nowNs(), "the peer moves as planned: nothing failed");
        }
        if (order == 0 && earlier == null && state == RecoveryState.CONNECTING && identity.side() == 0) {
            reject(fact, RejectCode.TIE_YIELD, ours);
        } else {
            if (earlier != null) {
                reject(earlier, RejectCode.STALE_EPOCH, theirs);
            }
            pending = fact;
            if (state == RecoveryState.CONNECTED) {
                blamePath(FailureReason.fromCode(request.reason()), fact.nowNs()); // what the peer saw fail
            }
            restartForPeer(fact.nowNs());
        }
    }

    private void restartForPeer(final long nowNs) {
        switch (state) {
            case FENCING -> { } // answered when the drain ends
            case DRAINING -> step.atMost(nowNs, drainNs());
            case IDLE, CONNECTED -> beginRecovery(FailureReason.PEER_REQUEST, nowNs);
            default -> newRound(nowNs, "the peer asked");
        }
    }

    /** No longer than the peer waits for its answer: it would blame a path that is good. */
    private long drainNs() {
        final SessionRecord request = pending == null ? null : pending.request();
        return request == null ? config.drainTimeoutNs() : request.drainNs(config.drainTimeoutNs());
    }

    private void peerCloses(final ToldFact fact, final long nowNs) {
        if (peerClose != null) {
            reject(peerClose, RejectCode.NO_RESOURCES, epoch());
        }
        peerClose = fact;
        rejectPending(RejectCode.CLOSED);
        if (state == RecoveryState.CLOSING) {
            end(RecoveryState.CLOSED, "both sides closed", nowNs);
            return;
        }
        close.set(nowNs, config.closeTimeoutNs());
        restartForPeer(nowNs);
    }

    private void applicationClose(final long nowNs) {
        if (state == RecoveryState.IDLE) {
            end(RecoveryState.CLOSED, "never connected", nowNs);
            return;
        }
        if (!closing) {
            closing = true;
            paths.forgetTried();
            close.set(nowNs, config.closeTimeoutNs());
            rejectPending(RejectCode.CLOSED);
            switch (state) {
                case FENCING, DRAINING -> { } // goes on when the drain ends
                case CONNECTED -> beginRecovery(FailureReason.NONE, nowNs);
                default -> newRound(nowNs, "the application closes");
            }
        }
    }

    private void sayClose(final long nowNs) {
        final PathId next = paths.next(nowNs);
        if (next == null) {
            end(RecoveryState.CLOSED, "no path to tell the peer", nowNs);
            return;
        }
        path = next;
        move(RecoveryState.CLOSING, nowNs, "");
        step.set(nowNs, config.connectTimeoutNs());
        connect(RecordType.CLOSE);
    }

    private void connect(final RecordType type) {
        actions.connect(path, identity.record(type, reason, epoch(), ownReceived, ownLedger));
    }

    private void pathUp(final int localMember, final long nowNs) {
        paths.forgetTried(localMember);
        if (state == RecoveryState.WAITING) {
            newRound(nowNs, "member " + localMember + " is up");
        }
    }

    private void timer(final long nowNs) {
        if (closing || peerClose != null) {
            recovery.clear(); // a close has a bound of its own; this one would be due again and again
        }
        if (close.due(nowNs)) {
            end(RecoveryState.CLOSED, "close_timeout passed", nowNs);
        } else if (recovery.due(nowNs)) {
            fail(BondError.NO_PATH, nowNs);
        } else if (step.due(nowNs)) {
            step.clear();
            switch (state) {
                case DRAINING -> {
                    record(JournalKind.DRAIN_EXPIRED, state, nowNs, "");
                    actions.finishDrain();
                }
                case CONNECTING, CLOSING -> attemptFailed(FailureReason.CONNECT_TIMEOUT, nowNs);
                case ANSWERED -> attemptFailed(FailureReason.ESTABLISH_TIMEOUT, nowNs);
                case WAITING -> {
                    paths.forgetTried();
                    newRound(nowNs, "trying again");
                }
                default -> throw new IllegalStateException("a step timer in " + state);
            }
        }
    }

    private void fail(final BondError error, final long nowNs) {
        record(JournalKind.FAILURE, state, nowNs, error + ": " + error.meaning());
        end(RecoveryState.FAILED, error.toString(), nowNs);
        actions.fail(error);
    }

    /** The one way into CLOSED and FAILED: whoever waits for an answer gets one. */
    private void end(final RecoveryState last, final String note, final long nowNs) {
        leave(last, nowNs, note);
        recovery.clear();
        close.clear();
        rejectPending(last == RecoveryState.CLOSED ? RejectCode.CLOSED : RejectCode.FAILED);
        final ToldFact closer = peerClose;
        peerClose = null;
        if (closer != null) {
            reject(closer, RejectCode.CLOSED_ACK, epoch());
        }
        if (last == RecoveryState.CLOSED) {
            actions.disconnected();
        }
    }

    private void rejectPending(final RejectCode code) {
        final ToldFact waiting = pending;
        pending = null;
        if (waiting != null) {
            reject(waiting, code, epoch());
        }
    }

    private void reject(final ToldFact request, final RejectCode code, final int atEpoch) {
        record(JournalKind.REJECT_SENT, state, request.nowNs(), code.toString());
        actions.reject(request.first(), code, atEpoch);
    }

    /** Out of any state; an attempt under way is abandoned. */
    private void leave(final RecoveryState next, final long nowNs, final String note) {
        final boolean attempting = state == RecoveryState.CONNECTING || state == RecoveryState.CLOSING;
        move(next, nowNs, note);
        if (attempting) {
            actions.abandonAttempt();
        }
    }

    /** The one place that changes the state; a step's timer ends with the step. */
    private void move(final RecoveryState next, final long nowNs, final String note) {
        final RecoveryState old = state;
        if (old != next && !RecoveryTransitions.allowed(old, next)) {
            throw new IllegalStateException("recovery of vQP " + identity.vQpNum() + " went from " + old + " to "
                    + next);
        }
        state = next;
        step.clear();
        record(JournalKind.TRANSITION, old, nowNs, note);
    }

    private void record(final JournalKind kind, final RecoveryState old, final long nowNs, final String note) {
        journal.append(new JournalEvent(nowNs, identity.bond(), identity.vQpNum(), identity.session(), epoch(),
                identity.side(), kind, old, state, reason, ownReceived, peerReceived, 0, 0, path, note));
    }
}
