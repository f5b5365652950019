package io.vhca.recovery;

import java.util.ArrayDeque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Recovery of one vQP: is told facts, answers with {@link RecoveryActions}. See {@link RecoveryTransitions} for the
 * state picture.
 *
 * <p>One thread. No device, no clock, no thread of its own; randomness only for back-off and only from the generator
 * given. A fact told from within an action is queued and handled after the current one, so nothing recurses. Every
 * attempt, as initiator or as responder, fences and drains first; the epoch grows by one per attempt; whatever fails on
 * the way is answered by the same procedure with the next epoch.
 */
public final class RecoveryMachine {
    private final ArrayDeque<ToldFact> facts = new ArrayDeque<>();
    private final RecoveryProcedure procedure;
    private boolean handling;

    /** A machine in state IDLE; tell it {@link #onEstablished} once the first connection stands, or {@link #start}. */
    public RecoveryMachine(final VqpIdentity identity, final RecoveryConfig config, final PathTable paths,
            final RandomGenerator random, final RecoveryActions actions, final Journal journal) {
        procedure = new RecoveryProcedure(identity, config, paths, random, actions, journal);
    }

    /** Where the machine is. */
    public RecoveryState state() {
        return procedure.state();
    }

    /** The last epoch asked for or answered, unsigned; 0 before the first recovery. */
    public int epoch() {
        return procedure.epoch();
    }

    /** The path in use or tried last. */
    public PathId path() {
        return procedure.path();
    }

    /** How the failure of the recovery under way (or the last one) was detected. */
    public FailureReason reason() {
        return procedure.reason();
    }

    /** Facts that could not arrive: each is a defect of the caller's, and in the journal. */
    public long defects() {
        return procedure.defects();
    }

    /** Recoveries that ended healthy. */
    public long recoveries() {
        return procedure.recoveries();
    }

    /** The path of the connection that the first exchange made; recovery keeps it up to date afterwards. */
    public void usePath(final PathId inUse) {
        procedure.usePath(inUse);
    }

    /** The next attempt shall go over this path if it is usable: a planned move, whose path was probed. */
    public void wantPath(final PathId next) {
        procedure.wantPath(next);
    }

    /**
     * Connects a vQP that has no first exchange (modifyQp alone): both sides may; sends {@link RecordType#OOB} records.
     */
    public void start(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.START, nowNs));
    }

    /** The path in use failed, or a planned move wants another. */
    public void onPathFailure(final FailureReason why, final long nowNs) {
        tell(ToldFact.failure(why, nowNs));
    }

    /** Every pQP is in ERR or gone. Answers {@link RecoveryActions#fence}. */
    public void onFenced(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.FENCED, nowNs));
    }

    /**
     * The drain ended with these counts. Answers {@link RecoveryActions#drain} or {@link RecoveryActions#finishDrain},
     * once.
     */
    public void onDrained(final long received, final long ledger, final long nowNs) {
        tell(ToldFact.numbers(RecoveryFact.DRAINED, nowNs, received, ledger));
    }

    /**
     * A REQ with a valid record for this vQPN arrived; it will be answered or rejected under its token, possibly later.
     *
     * @param arrivedOn the local member that it came in on and the address it came from, as far as known
     */
    public void onRequest(final SessionRecord request, final long token, final PathId arrivedOn, final long nowNs) {
        tell(ToldFact.request(request, token, arrivedOn, nowNs));
    }

    /** The REP to our REQ arrived and the new pQP can send. */
    public void onReply(final ReplyRecord reply, final long nowNs) {
        tell(ToldFact.reply(reply, nowNs));
    }

    /** Our REQ was rejected; null where the REJ holds no valid record of the bond's. */
    public void onReject(final @Nullable RejectRecord reject, final long nowNs) {
        tell(ToldFact.rejected(reject, nowNs));
    }

    /** Our attempt, or our answer to the peer's, failed without a word from the peer. */
    public void onConnectFailed(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.CONNECT_FAILED, nowNs));
    }

    /** First connection: it stands. Later: the peer confirmed our answer (or its first packet arrived). */
    public void onEstablished(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.ESTABLISHED, nowNs));
    }

    /** Everything to replay is with the new pQP. Answers {@link RecoveryActions#replay}. */
    public void onReplayed(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.REPLAYED, nowNs));
    }

    /** A local member became usable: worth a try at once. */
    public void onPathUp(final int localMember, final long nowNs) {
        tell(ToldFact.numbers(RecoveryFact.PATH_UP, nowNs, localMember, 0));
    }

    /** The application disconnects: say so to the peer, then {@link RecoveryActions#disconnected}. */
    public void onApplicationClose(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.APPLICATION_CLOSE, nowNs));
    }

    /**
     * The vQP went to error outside recovery; the caller has completed its WRs itself. The peer's requests are answered
     * FAILED from now on.
     */
    public void onVqpError(final long nowNs) {
        tell(ToldFact.of(RecoveryFact.VQP_ERROR, nowNs));
    }

    /** Fires what is due. Returns the number of timers fired. */
    public int doWork(final long nowNs) {
        if (handling || !procedure.due(nowNs)) {
            return 0;
        }
        tell(ToldFact.of(RecoveryFact.TIMER, nowNs));
        return 1;
    }

    /** When {@link #doWork} has something to do next; Long.MAX_VALUE for never. */
    public long nextDeadlineNs() {
        return procedure.nextDeadlineNs();
    }

    private void tell(final ToldFact fact) {
        facts.addLast(fact);
        if (handling) {
            return;
        }
        handling = true;
        try {
            for (ToldFact next = facts.pollFirst(); next != null; next = facts.pollFirst()) {
                procedure.take(next);
            }
        } finally {
            handling = false;
        }
    }
}
