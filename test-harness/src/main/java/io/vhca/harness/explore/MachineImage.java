package io.vhca.harness.explore;

import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecoveryRequest;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that a {@link RecoveryMachine} remembers, read and written from outside, so that it can be taken back to a state
 * it was in. Fields that decide nothing here are left out, each with its reason:
 *
 * <ul>
 *   <li>reason, letGo, healthBefore: only the health of paths follows from them, and paths are all alike here
 *   <li>peer, recoveries, vainRounds, journal: told, never asked
 *   <li>pauseNs, atNs, leftNs, and isQueued, isPeerHeard, isPutOff, isUnknown, answered, of which a share follows:
 *       how long; timers end at any time here
 *   <li>facts: empty between two of them
 * </ul>
 */
final class MachineImage {
    /** Pauses and steps end before a close, a close before the recovery. All are set anew at each {@link #reset}. */
    static final long STEP_NS = 10;
    static final long CLOSE_NS = 1L << 20;
    static final long RECOVERY_NS = 1L << 40;

    private static final FieldHandles MACHINE = new FieldHandles(RecoveryMachine.class, Set.of(
            "identity", "sessionTag", "config", "backoff", "paths", "actions", "journal", "facts", "timers",
            "epoch", "state", "reason", "path", "connectedOnce", "own", "peer", "pending", "peerClose", "closing",
            "defects", "recoveries"));
    private static final FieldHandles FACTS =
            new FieldHandles(MACHINE.typeOf("facts"), Set.of("waiting", "handler", "isHandling"));
    private static final FieldHandles TIMERS = new FieldHandles(
            MACHINE.typeOf("timers"), Set.of(
                    "isQueued", "isPeerHeard", "isPutOff", "isUnknown", "pathless", "step", "close"));
    private static final FieldHandles PATHLESS = new FieldHandles(
            TIMERS.typeOf("pathless"), Set.of("end", "leftNs", "ranAtNs", "share", "isSet"));
    private static final FieldHandles DEADLINE = new FieldHandles(TIMERS.typeOf("step"), Set.of("armed", "atNs"));
    private static final FieldHandles EPOCH = new FieldHandles(MACHINE.typeOf("epoch"), Set.of("number", "open"));
    private static final FieldHandles BACKOFF =
            new FieldHandles(MACHINE.typeOf("backoff"), Set.of("minNs", "maxNs", "random", "pauseNs"));
    private static final FieldHandles CHOICE = new FieldHandles(
            MACHINE.typeOf("paths"), Set.of(
                    "tried", "table", "wanted", "letGo", "healthBefore", "answered", "vainRounds"));
    private static final FieldHandles REQUEST =
            new FieldHandles(MACHINE.typeOf("pending"), Set.of("said", "token", "arrivedOn", "nowNs"));

    private static final VarHandle STATE = MACHINE.field("state");
    private static final VarHandle REASON = MACHINE.field("reason");
    private static final VarHandle PATH = MACHINE.field("path");
    private static final VarHandle CONNECTED_ONCE = MACHINE.field("connectedOnce");
    private static final VarHandle OWN = MACHINE.field("own");
    private static final VarHandle PEER = MACHINE.field("peer");
    private static final VarHandle PENDING = MACHINE.field("pending");
    private static final VarHandle PEER_CLOSE = MACHINE.field("peerClose");
    private static final VarHandle CLOSING = MACHINE.field("closing");
    private static final VarHandle HANDLING = FACTS.field("isHandling");
    private static final VarHandle IS_SET = PATHLESS.field("isSet");
    private static final VarHandle SHARE = PATHLESS.field("share");
    private static final VarHandle LEFT_NS = PATHLESS.field("leftNs");
    private static final VarHandle RAN_AT_NS = PATHLESS.field("ranAtNs");
    private static final VarHandle ARMED = DEADLINE.field("armed");
    private static final VarHandle AT_NS = DEADLINE.field("atNs");
    private static final VarHandle NUMBER = EPOCH.field("number");
    private static final VarHandle OPEN = EPOCH.field("open");
    private static final VarHandle WANTED = CHOICE.field("wanted");
    private static final VarHandle LET_GO = CHOICE.field("letGo");
    private static final VarHandle HEALTH = CHOICE.field("healthBefore");
    private static final VarHandle TOKEN = REQUEST.field("token");
    private static final MethodHandle NEW_REQUEST =
            REQUEST.constructor(RecoveryRequest.class, long.class, PathId.class, long.class);

    private final RecoveryMachine machine;
    private final Object epoch;
    private final Object step;
    private final Object close;
    private final Object facts;
    private final Object pathless;
    private final Object recovery;
    private final Object choice;
    private final BitSet tried;

    MachineImage(final RecoveryMachine machine) {
        this.machine = machine;
        epoch = MACHINE.field("epoch").get(machine);
        facts = MACHINE.field("facts").get(machine);
        final Object timers = MACHINE.field("timers").get(machine);
        step = TIMERS.field("step").get(timers);
        close = TIMERS.field("close").get(timers);
        pathless = TIMERS.field("pathless").get(timers);
        recovery = PATHLESS.field("end").get(pathless);
        choice = MACHINE.field("paths").get(machine);
        tried = (BitSet) CHOICE.field("tried").get(choice);
        assert BACKOFF.typeOf("pauseNs") == long.class : "a pause is a time";
    }

    /** As a machine that has told nothing yet to anybody, in that state; the rest is set by the calls below. */
    void reset(final RecoveryState state, final int number, final boolean isOpen) {
        STATE.set(machine, state);
        REASON.set(machine, FailureReason.RETRY_EXC);
        CONNECTED_ONCE.set(machine, true);
        PEER.set(machine, (ReceiverCounts) null);
        HANDLING.set(facts, false);
        NUMBER.set(epoch, number);
        OPEN.set(epoch, isOpen);
        LET_GO.set(choice, (PathId) null);
        HEALTH.set(choice, null);
    }

    boolean isOpen() {
        return (boolean) OPEN.get(epoch);
    }

    boolean isStepArmed() {
        return (boolean) ARMED.get(step);
    }

    boolean isCloseArmed() {
        return (boolean) ARMED.get(close);
    }

    /** Whether the time of a recovery is bounded. */
    boolean isRecoveryBounded() {
        return (boolean) IS_SET.get(pathless);
    }

    /** Whether that time also runs: it stands while an answer waits to be confirmed. */
    boolean isRecoveryArmed() {
        return (boolean) ARMED.get(recovery);
    }

    /** Behind {@link #reset}, on whose state it depends whether the time of a recovery runs. */
    void arm(final boolean stepArmed, final boolean closeArmed, final boolean isBounded) {
        ARMED.set(step, stepArmed);
        AT_NS.set(step, STEP_NS);
        ARMED.set(close, closeArmed);
        AT_NS.set(close, CLOSE_NS);
        final boolean isRunning = isBounded && machine.state() != RecoveryState.ANSWERED;
        IS_SET.set(pathless, isBounded);
        SHARE.set(pathless, isRunning ? 1 : 0);
        LEFT_NS.set(pathless, RECOVERY_NS);
        RAN_AT_NS.set(pathless, 0L);
        ARMED.set(recovery, isRunning);
        AT_NS.set(recovery, RECOVERY_NS);
    }

    /** The frozen count, -1 where there is none. */
    int ownReceived() {
        return (int) ReceiverCounts.received((ReceiverCounts) OWN.get(machine));
    }

    void own(final @Nullable ReceiverCounts counts) {
        OWN.set(machine, counts);
    }

    boolean isClosing() {
        return (boolean) CLOSING.get(machine);
    }

    void closing(final boolean value) {
        CLOSING.set(machine, value);
    }

    /** Bits by path. */
    int tried() {
        final long[] words = tried.toLongArray();
        return words.length == 0 ? 0 : (int) words[0];
    }

    /** 0 for none, else one more than the path. */
    int wanted() {
        final PathId wanted = (PathId) WANTED.get(choice);
        return wanted == null ? 0 : wanted.localMember() + 1;
    }

    void paths(final PathId inUse, final int triedBits, final @Nullable PathId wanted) {
        PATH.set(machine, inUse);
        WANTED.set(choice, wanted);
        tried.clear();
        for (int i = 0; i < Integer.SIZE; i++) {
            if ((triedBits >>> i & 1) != 0) {
                tried.set(i);
            }
        }
    }

    /** The token of the REQ that waits for the drain, or 0. */
    int pending() {
        return token(PENDING.get(machine));
    }

    /** The token of the CLOSE that waits for the drain, or 0. */
    int peerClose() {
        return token(PEER_CLOSE.get(machine));
    }

    private static int token(final @Nullable Object request) {
        return request == null ? 0 : (int) (long) TOKEN.get(request);
    }

    /** What waits for the drain, made by {@link #request}. */
    void waiting(final @Nullable Object pending, final @Nullable Object peerClose) {
        PENDING.set(machine, pending);
        PEER_CLOSE.set(machine, peerClose);
    }

    /** A REQ as the machine keeps it. */
    static Object request(final RecoveryRequest said, final int token, final PathId arrivedOn) {
        try {
            return Objects.requireNonNull((Object) NEW_REQUEST.invokeExact(said, (long) token, arrivedOn, 0L));
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException("a record was not made", e);
        }
    }
}
