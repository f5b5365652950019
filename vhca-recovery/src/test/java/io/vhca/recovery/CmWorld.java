package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Two machines and a connection manager that loses, delays and reorders what it likes; time stands still but for
 * timers.
 */
final class CmWorld {
    static final RecoveryConfig CONFIG = RecoveryConfig.builder()
            .recoveryTimeoutNs(1L << 50)
            .drainTimeoutNs(100)
            .connectTimeoutNs(500)
            .establishTimeoutNs(500)
            .yieldTimeoutNs(200)
            .minBackoffNs(10)
            .maxBackoffNs(1_000)
            .closeTimeoutNs(4_000)
            .build();
    static final SessionId SESSION = new SessionId(1, 2);

    enum MessageKind {
        REQ,
        REP,
        RTU,
        REJ
    }

    /** One connection attempt: its CM ids on both sides, by identity. */
    static final class Attempt {
        final Side from;
        final RecoveryRequest request;
        boolean dead;

        Attempt(final Side from, final RecoveryRequest request) {
            this.from = from;
            this.request = request;
        }
    }

    record Message(MessageKind kind, Side to, Attempt attempt, @Nullable RecoveryReply reply,
            @Nullable RejectRecord reject) {
        @Override
        public String toString() {
            return kind + " e" + attempt.request.epoch() + " to " + to.name;
        }
    }

    final List<Attempt> attempts = new ArrayList<>();
    final List<Message> flying = new ArrayList<>();
    final List<String> history = new ArrayList<>();
    final Side a;
    final Side b;
    long nowNs = Long.MAX_VALUE - 1_000; // wraps at once: deadlines must be compared by subtraction
    int failuresLeft;
    int closesLeft;
    boolean hasClosed;
    int replays;

    CmWorld(final int failures, final int closes) {
        failuresLeft = failures;
        closesLeft = closes;
        a = new Side("A", 0);
        b = new Side("B", 1);
        a.peer = b;
        b.peer = a;
        a.machine.onEstablished(nowNs);
        b.machine.onEstablished(nowNs);
    }

    /** What can happen next; running one of these is the world's step. Losses come last. */
    List<Runnable> enabled(final boolean faults) {
        final List<Runnable> steps = new ArrayList<>();
        for (final Side side : List.of(a, b)) {
            if (side.draining) {
                steps.add(() -> side.drainDone("drained"));
            }
            if (side.replaying) {
                steps.add(side::replayDone);
            }
        }
        for (final Message message : List.copyOf(flying)) {
            steps.add(() -> deliver(message));
        }
        for (final Side side : List.of(a, b)) {
            final long dueNs = side.machine.nextDeadlineNs();
            if (dueNs != Long.MAX_VALUE && dueNs - nowNs < CONFIG.recoveryTimeoutNs() / 2) {
                steps.add(side::timer);
            }
        }
        if (faults) {
            addFaults(steps);
        }
        return steps;
    }

    private void addFaults(final List<Runnable> steps) {
        for (final Side side : List.of(a, b)) {
            if (failuresLeft > 0 && !side.over()) {
                steps.add(() -> {
                    failuresLeft--;
                    side.fail();
                });
            }
            if (closesLeft > 0 && !side.over()) {
                steps.add(() -> {
                    closesLeft--;
                    hasClosed = true;
                    history.add(side.name + " closes");
                    side.machine.onApplicationClose(nowNs);
                });
            }
        }
        for (final Message message : List.copyOf(flying)) {
            steps.add(() -> {
                history.add("lost: " + message);
                flying.remove(message);
            });
        }
    }

    /** Faults have stopped: everything is delivered, timers fire in order, until both are at rest. */
    void settle() {
        for (int i = 0; i < 400; i++) {
            if (flying.isEmpty() && a.idle() && b.idle()) {
                if (a.atRest() && b.atRest()) {
                    return;
                }
                timerInOrder();
            } else {
                enabled(false).getFirst().run();
            }
        }
        throw new AssertionError("stuck: A " + a.machine.state() + ", B " + b.machine.state());
    }

    private void timerInOrder() {
        final long ofA = a.machine.nextDeadlineNs();
        final long ofB = b.machine.nextDeadlineNs();
        if (ofA == Long.MAX_VALUE && ofB == Long.MAX_VALUE) {
            // the other is closed or ahead: traffic would notice
            (a.machine.state() == RecoveryState.CONNECTED ? a : b).fail();
        } else if (ofB == Long.MAX_VALUE || ofA != Long.MAX_VALUE && ofA - ofB <= 0) {
            a.timer();
        } else {
            b.timer();
        }
    }

    private void deliver(final Message message) {
        history.add("delivered: " + message);
        flying.remove(message);
        final Attempt attempt = message.attempt;
        final Side to = message.to;
        switch (message.kind) {
            case REQ -> to.machine.onRequest(attempt.request, attempts.indexOf(attempt), PathId.NONE, nowNs);
            case REP -> {
                if (!attempt.dead) {
                    flying.add(new Message(MessageKind.RTU, to.peer(), attempt, null, null));
                    to.nextConnection = attempt;
                    to.machine.onReply(Objects.requireNonNull(message.reply), nowNs);
                } else if (to.peer().answered == attempt) {
                    to.peer().machine.onConnectFailed(nowNs);
                }
            }
            case RTU -> {
                if (to.answered == attempt) {
                    to.answered = null;
                    to.nextConnection = attempt;
                    to.machine.onEstablished(nowNs);
                }
            }
            case REJ -> {
                if (!attempt.dead) {
                    to.machine.onReject(message.reject, nowNs);
                }
            }
        }
    }

    void check(final boolean holds, final String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** One end: a bond reduced to what recovery sees of it. */
    final class Side implements RecoveryActions {
        final String name;
        final int index;
        final RecoveryMachine machine;
        final MemoryJournal journal = new MemoryJournal(200);
        @Nullable Side peer;
        @Nullable Attempt outgoing;
        @Nullable Attempt answered;
        @Nullable Attempt nextConnection;
        /**
         * The connection whose pQP may still take packets: an attempt, FIRST for the one before all, null once fenced.
         */
        @Nullable Object live = "first";
        boolean draining;
        boolean replaying;
        boolean frozen;
        boolean gateOpen = true;
        int disconnects;
        @Nullable BondError failed;

        Side(final String name, final int index) {
            this.name = name;
            this.index = index;
            machine = new RecoveryMachine(new VqpIdentity(name, SESSION, 10 + index, 11 - index, index), CONFIG,
                    new PathTable(2, 2, 50, 400), new Random(index), this, journal);
        }

        Side peer() {
            return Objects.requireNonNull(peer);
        }

        boolean over() {
            return machine.state() == RecoveryState.CLOSED || machine.state() == RecoveryState.FAILED;
        }

        /** Healthy together with the peer, or over. */
        boolean atRest() {
            final boolean healthy = machine.state() == RecoveryState.CONNECTED;
            return over() || healthy && peer().machine.state() == RecoveryState.CONNECTED && live == peer().live;
        }

        boolean idle() {
            return !draining && !replaying;
        }

        void replayDone() {
            history.add(name + " replayed");
            replaying = false;
            machine.onReplayed(nowNs);
        }

        void fail() {
            history.add(name + " sees a failure");
            machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        }

        void timer() {
            final long dueNs = machine.nextDeadlineNs();
            if (dueNs - nowNs > 0) {
                nowNs = dueNs;
            }
            history.add(name + " timer in " + machine.state());
            check(machine.doWork(nowNs) == 1, "a due timer did not fire");
        }

        void drainDone(final String how) {
            history.add(name + " " + how);
            draining = false;
            frozen = true;
            machine.onDrained(new ReceiverCounts(1000, 0), nowNs);
        }

        @Override
        public void closeGate() {
            check(gateOpen, "gate closed twice");
            gateOpen = false;
        }

        @Override
        public void fence() {
            check(!gateOpen, "fenced with the gate open");
            live = null;
            answered = null;
            nextConnection = null;
            frozen = false;
            draining = false;
            replaying = false;
            machine.onFenced(nowNs);
        }

        @Override
        public void drain() {
            check(live == null, "drained before the fence");
            draining = true;
        }

        @Override
        public void finishDrain() {
            check(draining, "no drain to finish");
            drainDone("drain expired");
        }

        @Override
        public void connect(final PathId path, final RecoveryRequest request) {
            check(live == null && frozen, "asked before fence and drain");
            check(outgoing == null, "two attempts at once");
            history.add(name + " asks, epoch " + request.epoch() + " over " + path);
            final byte[] sent = new SessionRecord(new MemberId(0, 0), request).encode();
            final Attempt attempt = new Attempt(this, SessionRecord.decode(new UnsafeBuffer(sent), 0).request());
            attempts.add(attempt);
            outgoing = attempt;
            flying.add(new Message(MessageKind.REQ, peer(), attempt, null, null));
        }

        @Override
        public void abandonAttempt() {
            if (outgoing != null) {
                outgoing.dead = true;
                outgoing = null;
            }
        }

        @Override
        public void answer(final long token, final RecoveryReply reply) {
            check(live == null && frozen, "answered before fence and drain");
            history.add(name + " answers epoch " + reply.epoch());
            final Attempt attempt = attempts.get((int) token);
            answered = attempt;
            live = attempt; // the new pQP can take packets from now on
            flying.add(new Message(MessageKind.REP, attempt.from, attempt, reply, null));
        }

        @Override
        public void reject(final long token, final RejectCode code, final int epoch) {
            history.add(name + " rejects " + code + " at " + epoch);
            check(code != RejectCode.CLOSED_ACK || live == null || over(), "close acknowledged before the fence");
            final Attempt attempt = attempts.get((int) token);
            flying.add(new Message(MessageKind.REJ, attempt.from, attempt, null, new RejectRecord(code, SESSION,
                    epoch)));
        }

        @Override
        public @Nullable BondError applyPeerCounts(final ReceiverCounts counts) {
            check(frozen, "counts applied before the drain");
            check(counts.received() == 1000, "counts of the peer arrived wrong");
            return null;
        }

        @Override
        public void replay() {
            final Attempt connection = Objects.requireNonNull(nextConnection);
            check(connection.request.epoch() == machine.epoch(), "replay over another epoch's connection");
            check((live == null || live == connection) && frozen, "replay before our own fence");
            check(peer().live == null || peer().live == connection, "replay before the peer fenced for this epoch");
            replays++;
            live = connection;
            outgoing = null;
            replaying = true;
        }

        @Override
        public void openGate() {
            check(!gateOpen && live != null, "gate opened over nothing");
            gateOpen = true;
            if (peer().machine.state() == RecoveryState.CONNECTED && live == peer().live) {
                check(machine.epoch() == peer().machine.epoch(), "epochs differ with both connected");
            }
        }

        @Override
        public void fail(final BondError error) {
            check(failed == null, "failed twice");
            failed = error;
            live = null;
        }

        @Override
        public void disconnected() {
            disconnects++;
            live = null;
            check(disconnects == 1, "disconnected twice");
        }
    }
}
