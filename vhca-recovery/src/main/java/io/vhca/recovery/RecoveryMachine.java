package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Recovery of one vQP: it is told facts and answers with {@link RecoveryActions}. {@link RecoveryTransitions}: states.
 *
 * <p>One thread at a time; no device, clock or thread of its own; random numbers for the back-off alone. A fact told
 * from within an action waits until that is done. Every attempt, as initiator or responder, fences and drains first and
 * has a higher epoch than the one before; a failure during recovery starts the same procedure again.
 */
public final class RecoveryMachine {
    private final VqpIdentity identity;
    private final int sessionTag; // a digest: too dear for each event
    private final RecoveryConfig config;
    private final Backoff backoff;
    private final PathChoice paths;
    private final RecoveryActions actions;
    private final Journal journal;
    private final FactQueue facts = new FactQueue(this::take);
    private final RecoveryTimers timers = new RecoveryTimers();
    private final Epoch epoch = new Epoch();
    private RecoveryState state = RecoveryState.IDLE;
    private FailureReason reason = FailureReason.NONE;
    private PathId path = PathId.NONE;
    private boolean connectedOnce;
    private @Nullable ReceiverCounts own; // as the last drain left them
    private @Nullable ReceiverCounts peer; // as the peer told them last
    private ToldFact.@Nullable Request pending; // the peer's REQ, answered when the drain ends
    private ToldFact.@Nullable Request peerClose; // the peer's CLOSE, acknowledged when the drain ends
    private boolean closing; // the application has closed; the peer is told when the drain ends
    private long defects;
    private long recoveries;

    /** A machine in state IDLE; tell it {@link #onEstablished} once the first connection stands, or {@link #start}. */
    public RecoveryMachine(final VqpIdentity identity, final RecoveryConfig config, final PathTable paths,
            final RandomGenerator random, final RecoveryActions actions, final Journal journal) {
        this.identity = identity;
        sessionTag = identity.sessionTag();
        this.config = config;
        this.paths = new PathChoice(paths);
        backoff = new Backoff(config, random);
        this.actions = actions;
        this.journal = journal;
    }

    public RecoveryState state() {
        return state;
    }

    /** The last epoch asked for or answered, unsigned; 0 before the first recovery. */
    public int epoch() {
        return epoch.number();
    }

    /** In use or tried last. */
    public PathId path() {
        return path;
    }

    /** How the failure of the recovery under way (or the last one) was detected. */
    public FailureReason reason() {
        return reason;
    }

    /** Facts that could not arrive: each is a defect of the caller's, and in the journal. */
    public long defects() {
        return defects;
    }

    /** Recoveries that ended healthy. */
    public long recoveries() {
        return recoveries;
    }

    /** The path of the connection that the first exchange made; recovery keeps it up to date afterwards. */
    public void usePath(final PathId inUse) {
        path = inUse;
    }

    /** The next attempt shall go over this path if it is usable: a planned move, whose path was probed. */
    public void wantPath(final PathId next) {
        paths.want(next);
    }

    /** Connects a vQP that was brought up by modifyQp alone, by {@link RecordType#OOB} records. Both sides may. */
    public void start(final long nowNs) {
        facts.tell(new ToldFact.Start(nowNs));
    }

    /** The path in use failed, or a planned move wants another. */
    public void onPathFailure(final FailureReason why, final long nowNs) {
        facts.tell(new ToldFact.PathFailure(why, nowNs));
    }

    /** Every pQP is in ERR or gone. Answers {@link RecoveryActions#fence}. */
    public void onFenced(final long nowNs) {
        facts.tell(new ToldFact.Fenced(nowNs));
    }

    /** The drain ended with these counts. Answers {@link RecoveryActions#drain}, once, at its bound at the latest. */
    public void onDrained(final ReceiverCounts counts, final long nowNs) {
        facts.tell(new ToldFact.Drained(counts, nowNs));
    }

    /** A REQ for this vQPN arrived, over that path as far as is known; what its token gets may come later. */
    public void onRequest(final RecoveryRequest request, final long token, final PathId arrivedOn, final long nowNs) {
        facts.tell(new ToldFact.Request(request, token, arrivedOn, nowNs));
    }

    /** The REP to our REQ arrived and the new pQP can send. */
    public void onReply(final RecoveryReply reply, final long nowNs) {
        facts.tell(new ToldFact.Reply(reply, nowNs));
    }

    /** Our REQ was rejected; null where the REJ holds no valid record of the bond's. */
    public void onReject(final @Nullable RejectRecord reject, final long nowNs) {
        facts.tell(new ToldFact.Rejected(reject, nowNs));
    }

    /** Our attempt, or our answer to the peer's, failed without a word from the peer. */
    public void onConnectFailed(final long nowNs) {
        facts.tell(new ToldFact.ConnectFailed(nowNs));
    }

    /** First connection: it stands. Later: the peer confirmed our answer (or its first packet arrived). */
    public void onEstablished(final long nowNs) {
        facts.tell(new ToldFact.Established(nowNs));
    }

    /** Everything to replay is with the new pQP. Answers {@link RecoveryActions#replay}. */
    public void onReplayed(final long nowNs) {
        facts.tell(new ToldFact.Replayed(nowNs));
    }

    /** A local member became usable: worth a try at once. */
    public void onPathUp(final int localMember, final long nowNs) {
        facts.tell(new ToldFact.PathUp(localMember, nowNs));
    }

    /** The application disconnects: say so to the peer, then {@link RecoveryActions#disconnected}. */
    public void onApplicationClose(final long nowNs) {
        facts.tell(new ToldFact.ApplicationClose(nowNs));
    }

    /** The vQP went to error outside recovery: its caller completes the WRs, the peer's REQs are answered FAILED. */
    public void onVqpError(final long nowNs) {
        facts.tell(new ToldFact.VqpError(nowNs));
    }

    /** Whether the attempt asked for waits for its turn, and whether the peer was heard lately, be it by others. */
    public void reckon(final boolean isQueued, final boolean isPeerHeard, final long nowNs) {
        timers.reckon(isQueued, isPeerHeard, state, nowNs);
    }

    /** How often all paths were tried since the peer was heard last: the more often, the longer an answer may take. */
    public int vainRounds() {
        return paths.vainRounds();
    }

    /** Fires what is due. Returns the number of timers fired. */
    public int doWork(final long nowNs) {
        if (facts.isHandling() || !timers.isAnyDue(nowNs)) {
            return 0;
        }
        facts.tell(new ToldFact.Timer(nowNs));
        return 1;
    }

    /** When {@link #doWork} has something to do next; Long.MAX_VALUE for never. */
    public long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    private void take(final ToldFact fact) {
        if (fact.isHandledIn(state)) {
            handle(fact);
        } else if (fact.isDefectIn(state)) {
            defects++;
            record(JournalKind.DEFECT, state, fact.nowNs(), fact.kind() + " cannot happen in " + state);
        }
    }

    private void handle(final ToldFact fact) {
        final long nowNs = fact.nowNs();
        switch (fact) {
            case ToldFact.Start _ -> beginRecovery(FailureReason.FIRST_CONNECT, nowNs);
            case ToldFact.PathFailure failure -> pathFailed(failure.why(), nowNs);
            case ToldFact.Fenced _ -> {
                move(RecoveryState.DRAINING, nowNs, "");
                timers.step(nowNs, drainNs());
                actions.drain();
            }
            case ToldFact.Drained drain -> drained(drain.counts(), nowNs);
            case ToldFact.Request request -> requested(request);
            case ToldFact.Reply reply -> replied(reply.said(), nowNs);
            case ToldFact.Rejected rejection -> rejected(rejection.record(), nowNs);
            case ToldFact.ConnectFailed _ -> attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
            case ToldFact.Established _ -> established(nowNs);
            case ToldFact.Replayed _ -> healthy(nowNs);
            case ToldFact.PathUp member -> pathUp(member.localMember(), nowNs);
            case ToldFact.ApplicationClose _ -> applicationClose(nowNs);
            case ToldFact.Timer _ -> timer(nowNs);
            case ToldFact.VqpError _ -> end(RecoveryState.FAILED, "error outside recovery", nowNs);
        }
    }

    private void pathFailed(final FailureReason why, final long nowNs) {
        reason = why;
        if (state == RecoveryState.FENCING || state == RecoveryState.DRAINING || state == RecoveryState.WAITING) {
            return; // no path is in use
        }
        blamePath(why, nowNs);
        if (state == RecoveryState.CONNECTED) {
            beginRecovery(why, nowNs);
        } else {
            newRound(nowNs, "failed again: " + why);
        }
    }

    private void blamePath(final FailureReason why, final long nowNs) {
        if (paths.failed(path, why, nowNs)) {
            record(JournalKind.PATH_FAILED, state, nowNs, why.toString());
        }
    }

    private void beginRecovery(final FailureReason why, final long nowNs) {
        assert state == RecoveryState.IDLE || state == RecoveryState.CONNECTED : state;
        reason = why;
        backoff.reset();
        paths.begin();
        timers.begin(nowNs, config.recoveryTimeoutNs());
        move(RecoveryState.FENCING, nowNs, "");
        actions.closeGate();
        actions.fence();
    }

    private void newRound(final long nowNs, final String note) {
        leave(RecoveryState.FENCING, nowNs, note);
        actions.fence();
    }

    private void drained(final ReceiverCounts counts, final long nowNs) {
        assert counts.received() >= ReceiverCounts.received(own) : "received went from " + own + " to " + counts;
        own = counts;
        if (peerClose != null) {
            end(RecoveryState.CLOSED, "the peer's application closed", nowNs);
        } else if (closing) {
            sayClose(nowNs);
        } else if (pending != null) {
            answer(pending, nowNs);
        } else {
            attempt(nowNs);
        }
    }

    private void answer(final ToldFact.Request request, final long nowNs) {
        epoch.agreed(request.said().epoch());
        path = request.arrivedOn();
        if (countsApplied(request.said().counts(), nowNs)) {
            pending = null;
            move(RecoveryState.ANSWERED, nowNs, "");
            timers.step(nowNs, request.said().confirmNs(config.establishTimeoutNs()));
            actions.answer(request.token(), identity.reply(epoch(), Objects.requireNonNull(own)));
        }
    }

    /** Applies the peer's counts; false when they fail the vQP. */
    private boolean countsApplied(final ReceiverCounts counts, final long nowNs) {
        assert own != null : "the peer's counts before the own ones are frozen";
        peer = counts;
        record(JournalKind.NEGOTIATED, state, nowNs, "ledger " + counts.ledger());
        final BondError error = actions.applyPeerCounts(counts);
        if (error != null) {
            fail(error, nowNs);
        }
        return error == null;
    }

    private void attempt(final long nowNs) {
        assert pending == null && peerClose == null && !closing : "an attempt while the peer waits for an answer";
        final PathId next = paths.next(nowNs);
        if (next == null) {
            final boolean isVain = paths.isRoundVain();
            waitFor(backoff.nextNs(), nowNs, !isVain, isVain ? "every path failed" : "every path is put off");
            return;
        }
        epoch.next();
        ask(RecoveryState.CONNECTING, connectedOnce ? RecordType.RECOVER : RecordType.OOB, next, nowNs);
    }

    private void ask(final RecoveryState next, final RecordType type, final PathId over, final long nowNs) {
        path = over;
        move(next, nowNs, "");
        timers.step(nowNs, config.connectTimeoutNs());
        actions.connect(path, identity.request(type, reason, epoch(), Objects.requireNonNull(own)));
    }

    /** @param isPutOff the peer answers, and not yet as it shall: there is a path, and little of the time counts */
    private void waitFor(final long pauseNs, final long nowNs, final boolean isPutOff, final String note) {
        leave(RecoveryState.WAITING, nowNs, note);
        timers.step(nowNs, pauseNs);
        if (isPutOff) {
            timers.putOff(state, nowNs);
        }
    }

    private void replied(final RecoveryReply reply, final long nowNs) {
        if (!identity.isAnsweredBy(reply) || reply.epoch() != epoch()) {
            record(JournalKind.NOTE, state, nowNs, "the reply is not for this attempt");
            attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
            return;
        }
        epoch.agreed(reply.epoch());
        if (countsApplied(reply.counts(), nowNs)) {
            move(RecoveryState.REPLAYING, nowNs, "");
            actions.replay();
        }
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
        paths.succeeded(path, nowNs);
        timers.endRecovery();
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
        if (reject != null && !code.isOfKeys()) {
            paths.answered();
        }
        if (state == RecoveryState.CLOSING && code != RejectCode.NO_RESOURCES && !code.isOfKeys()) {
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
                    waitFor(backoff.nextNs(), nowNs, true, "behind the peer, whose REQ may be on the way");
                }
            }
            case TIE_YIELD -> {
                if (identity.side() == 0 && connectedOnce) {
                    attemptFailed(FailureReason.CONNECT_FAILED, nowNs);
                } else {
                    waitFor(config.yieldTimeoutNs(), nowNs, true, "the peer stays active");
                }
            }
            case UNKNOWN_SESSION, BAD_SESSION -> {
                if (connectedOnce) {
                    fail(BondError.PEER_RESTARTED, nowNs);
                } else {
                    paths.want(path); // the peer's bond has answered over it
                    waitFor(backoff.nextNs(), nowNs, false, "brought up out of band, and the peer is not there yet");
                    timers.unknown(state, nowNs);
                }
            }
            case BAD_VERSION, GARBAGE -> fail(BondError.PROTOCOL_VIOLATION, nowNs);
            case CLOSED, CLOSED_ACK -> end(RecoveryState.CLOSED, "the peer answered " + code, nowNs);
            case FAILED -> fail(BondError.PEER_FAILED, nowNs);
            default -> attemptFailed(FailureReason.CONNECT_FAILED, nowNs); // no word on the session itself
        }
    }

    private void requested(final ToldFact.Request request) {
        final boolean closes = request.said().type() == RecordType.CLOSE;
        if (!identity.isAskedBy(request.said())) {
            reject(request, RejectCode.BAD_SESSION, 0);
        } else if (state == RecoveryState.CLOSED || state == RecoveryState.FAILED) {
            final RejectCode over = state == RecoveryState.CLOSED ? RejectCode.CLOSED : RejectCode.FAILED;
            reject(request, closes ? RejectCode.CLOSED_ACK : over, epoch());
        } else if (closes) {
            peerCloses(request);
        } else if (closing || peerClose != null) {
            reject(request, RejectCode.CLOSED, epoch());
        } else {
            peerRecovers(request);
        }
    }

    private void peerRecovers(final ToldFact.Request request) {
        final RecoveryRequest said = request.said();
        final ToldFact.Request earlier = pending;
        final int ours = earlier != null ? earlier.said().epoch() : epoch();
        final int order = Integer.compareUnsigned(said.epoch(), ours);
        if (order < 0 || order == 0 && earlier == null && !epoch.mayRepeat(state)) {
            reject(request, RejectCode.STALE_EPOCH, ours);
            return;
        }
        if (said.reason() == FailureReason.PLANNED && paths.excuse()) {
            reason = FailureReason.PLANNED; // the end of the connection comes before the REQ that says why
            record(JournalKind.NOTE, state, request.nowNs(), "the peer moves as planned: nothing failed");
        }
        if (order == 0 && earlier == null && state == RecoveryState.CONNECTING && identity.side() == 0) {
            reject(request, RejectCode.TIE_YIELD, ours);
            return;
        }
        if (earlier != null) {
            reject(earlier, RejectCode.STALE_EPOCH, said.epoch());
        }
        pending = request;
        paths.answered();
        if (state == RecoveryState.CONNECTED) {
            blamePath(said.reason(), request.nowNs()); // what the peer saw fail
        }
        restartForPeer(request.nowNs());
    }

    private void restartForPeer(final long nowNs) {
        switch (state) {
            case FENCING -> { } // answered when the drain ends
            case DRAINING -> timers.stepAtMost(nowNs, drainNs());
            case IDLE, CONNECTED -> beginRecovery(FailureReason.PEER_REQUEST, nowNs);
            default -> newRound(nowNs, "the peer asked");
        }
    }

    /** No longer than the peer waits for its answer: it would blame a path that is good. */
    private long drainNs() {
        return pending == null ? config.drainTimeoutNs() : pending.said().drainNs(config.drainTimeoutNs());
    }

    private void peerCloses(final ToldFact.Request request) {
        final long nowNs = request.nowNs();
        if (peerClose != null) {
            reject(peerClose, RejectCode.NO_RESOURCES, epoch());
        }
        peerClose = request;
        rejectPending(RejectCode.CLOSED);
        if (state == RecoveryState.CLOSING) {
            end(RecoveryState.CLOSED, "both sides closed", nowNs);
            return;
        }
        timers.close(nowNs, config.closeTimeoutNs());
        restartForPeer(nowNs);
    }

    private void applicationClose(final long nowNs) {
        if (state == RecoveryState.IDLE) {
            end(RecoveryState.CLOSED, "never connected", nowNs);
        } else if (!closing) {
            closing = true;
            paths.forgetTried();
            timers.close(nowNs, config.closeTimeoutNs());
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
        ask(RecoveryState.CLOSING, RecordType.CLOSE, next, nowNs);
    }

    private void pathUp(final int localMember, final long nowNs) {
        paths.forgetTried(localMember);
        if (state == RecoveryState.WAITING) {
            newRound(nowNs, "member " + localMember + " is up");
        }
    }

    private void timer(final long nowNs) {
        if (closing || peerClose != null) {
            timers.endRecovery(); // a close has a bound of its own; this one would be due again and again
        }
        if (timers.isCloseDue(nowNs)) {
            end(RecoveryState.CLOSED, "close_timeout passed", nowNs);
        } else if (timers.isRecoveryDue(nowNs)) {
            fail(BondError.NO_PATH, nowNs);
        } else if (timers.takeStep(nowNs)) {
            stepExpired(nowNs);
        }
    }

    private void stepExpired(final long nowNs) {
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

    private void fail(final BondError error, final long nowNs) {
        record(JournalKind.FAILURE, state, nowNs, error + ": " + error.meaning());
        end(RecoveryState.FAILED, error.toString(), nowNs);
        actions.fail(error);
    }

    /** The one way into CLOSED and FAILED: whoever waits for an answer gets one. */
    private void end(final RecoveryState last, final String note, final long nowNs) {
        assert last == RecoveryState.CLOSED || last == RecoveryState.FAILED : last;
        leave(last, nowNs, note);
        timers.endAll();
        rejectPending(last == RecoveryState.CLOSED ? RejectCode.CLOSED : RejectCode.FAILED);
        final ToldFact.Request closer = peerClose;
        peerClose = null;
        if (closer != null) {
            reject(closer, RejectCode.CLOSED_ACK, epoch());
        }
        if (last == RecoveryState.CLOSED) {
            actions.disconnected();
        }
    }

    private void rejectPending(final RejectCode code) {
        final ToldFact.Request waiting = pending;
        pending = null;
        if (waiting != null) {
            reject(waiting, code, epoch());
        }
    }

    private void reject(final ToldFact.Request request, final RejectCode code, final int atEpoch) {
        record(JournalKind.REJECT_SENT, state, request.nowNs(), code.toString());
        actions.reject(request.token(), code, atEpoch);
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
        if (old != next && !old.mayBecome(next)) {
            throw new IllegalStateException("vQP " + identity.vQpNum() + " went from " + old + " to " + next);
        }
        state = next;
        timers.enter(next, nowNs);
        record(JournalKind.TRANSITION, old, nowNs, note);
    }

    private void record(final JournalKind kind, final RecoveryState old, final long nowNs, final String note) {
        journal.append(new JournalEvent(nowNs, identity.bond(), identity.vQpNum(), sessionTag, epoch(),
                identity.side(), kind, old, state, reason, ReceiverCounts.received(own), ReceiverCounts.received(peer),
                0, 0, path, note));
    }
}
