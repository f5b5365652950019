package io.vhca.harness.explore;

import static io.vhca.harness.explore.MessageDescriptor.NONE;
import static io.vhca.harness.explore.MessageDescriptor.attemptOf;
import static io.vhca.harness.explore.MessageDescriptor.connectionOf;

import io.vhca.recovery.BondError;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.RejectCode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Two ends and a network that delivers in any order. It is in one state at a time, which it writes into an array of
 * numbers and takes from one, and knows what can happen next. One thread.
 *
 * <p>A state is written the same way however it was reached: messages in order, epochs counted from the least one that
 * anybody remembers, and nothing that decides nothing any more.
 */
final class World {
    static final RecoveryState[] STATES = RecoveryState.values();
    /** Longest state. */
    static final int MAX_LENGTH = 32;
    /** Most steps that a state can have. */
    static final int MAX_STEPS = 128;

    private static final int FIXED = 11;
    private static final int MOST_MESSAGES = MAX_LENGTH - FIXED;
    private static final int BUDGETS = 6;

    private final Bounds bounds;
    private final PlantedLie lie;
    private final Exchange exchange = new Exchange();
    private final ModelBond[] bonds;
    private final Traffic[] traffic;
    private final Traffic scratch;
    private final int[] messages = new int[MOST_MESSAGES];
    private int messageCount;
    /** Failures, faults of the network, closes, restarts, give-ups and lies that may still happen. */
    private final int[] left = new int[BUDGETS];
    private final int[] before = new int[MAX_LENGTH];
    private long nowNs;
    private boolean isGivingUp;

    World(final Bounds bounds, final PlantedLie lie, final Journal journal) {
        this.bounds = bounds;
        this.lie = lie;
        bonds = new ModelBond[] {
            new ModelBond(this, 0, bounds, lie, journal), new ModelBond(this, 1, bounds, lie, journal)
        };
        traffic = new Traffic[] {
            new Traffic("A", bounds.left(), lie), new Traffic("B", bounds.right(), lie)
        };
        scratch = new Traffic("", bounds.left(), lie);
    }

    // ---- for the ends -----------------------------------------------------------------------------------------------

    long nowNs() {
        return nowNs;
    }

    ModelBond peer(final int side) {
        return bonds[1 - side];
    }

    /** What a side sends. */
    Traffic from(final int side) {
        return traffic[side];
    }

    /** What a side receives. */
    Traffic to(final int side) {
        return traffic[1 - side];
    }

    void send(final int message) {
        for (int i = 0; i < messageCount; i++) {
            if (messages[i] == message) {
                return; // who hears it twice hears nothing new
            }
        }
        if (messageCount == MOST_MESSAGES) {
            throw new IllegalStateException("no room for another message");
        }
        messages[messageCount++] = message;
    }

    /** What waits goes to the hardware of a side. */
    void pump(final int side) {
        final ModelBond peer = peer(side);
        traffic[side].pump(bonds[side].live == peer.live && !peer.isCut);
    }

    /** Whether there is a cause for a failure by that name. */
    boolean mayFail(final int side, final BondError why) {
        return switch (why) {
            case NO_PATH -> isGivingUp;
            case PEER_RESTARTED -> peer(side).isRestarted;
            case PEER_FAILED -> peer(side).error != null;
            case COMMITTED_DATA_LOST -> traffic[side].hasLied();
            case ATOMIC_IN_DOUBT, ATOMIC_RESULT_LOST -> bounds.sentBy(side).contains(Operation.ATOMIC);
            case PROTOCOL_VIOLATION, DEVICE_ERROR, WRITE_IN_DOUBT, MEMORY_OVERRUN -> false;
        };
    }

    // ---- states -----------------------------------------------------------------------------------------------------

    /** Where everything begins. Returns its length. */
    int first(final int[] into) {
        messageCount = 0;
        left[0] = bounds.failures();
        left[1] = bounds.network();
        left[2] = bounds.closes();
        left[3] = bounds.restarts();
        left[4] = bounds.giveUps();
        left[5] = bounds.lies();
        for (final ModelBond bond : bonds) {
            bond.begin();
        }
        return store(into);
    }

    /** Writes the state down. Returns its length. */
    int store(final int[] into) {
        forgetInert();
        int least = MessageDescriptor.MAX_EPOCH;
        for (final ModelBond bond : bonds) {
            least = bond.leastEpoch(least);
        }
        for (int i = 0; i < messageCount; i++) {
            least = MessageDescriptor.leastEpoch(messages[i], least);
        }
        final int shift = least - 1;
        int budgets = 0;
        for (final int budget : left) {
            budgets = budgets << 2 | budget;
        }
        into[0] = budgets;
        int at = 1;
        for (int side = 0; side < bonds.length; side++) {
            final ModelBond bond = bonds[side];
            into[at++] = bond.packMachine(shift);
            into[at++] = bond.packBond(shift);
            into[at++] = bond.packPending(shift);
            into[at++] = bond.packPeerClose(shift);
            into[at++] = traffic[side].pack();
        }
        for (int i = 0; i < messageCount; i++) {
            into[at++] = MessageDescriptor.shifted(messages[i], shift);
        }
        Arrays.sort(into, FIXED, at);
        return at;
    }

    /** Takes a state back. */
    void load(final int[] from, final int offset, final int length) {
        nowNs = 0;
        isGivingUp = false;
        int budgets = from[offset];
        for (int i = BUDGETS - 1; i >= 0; i--) {
            left[i] = budgets & 3;
            budgets >>>= 2;
        }
        int at = offset + 1;
        for (int side = 0; side < bonds.length; side++) {
            bonds[side].unpack(from[at], from[at + 1], from[at + 2], from[at + 3], exchange);
            traffic[side].unpack(from[at + 4]);
            at += 5;
        }
        messageCount = length - FIXED;
        System.arraycopy(from, offset + FIXED, messages, 0, messageCount);
        System.arraycopy(from, offset, before, 0, length);
    }

    /** Messages that change nothing any more, whenever they arrive. */
    private void forgetInert() {
        int kept = 0;
        for (int i = 0; i < messageCount; i++) {
            if (!isInert(messages[i])) {
                messages[kept++] = messages[i];
            }
        }
        messageCount = kept;
    }

    private boolean isInert(final int message) {
        final int connection = connectionOf(message);
        final ModelBond receiver = bonds[MessageDescriptor.receiver(message)];
        return switch (MessageDescriptor.kind(message)) {
            case MessageDescriptor.REQ -> receiver.isOver() && !isAwaited(connection);
            case MessageDescriptor.RTU -> receiver.isOver() || receiver.live != connection
                    || receiver.machine.state() != RecoveryState.ANSWERED;
            default -> !isAwaited(connection);
        };
    }

    /** Whether who asked for a connection still waits for an answer. */
    private boolean isAwaited(final int connection) {
        final ModelBond asker = bonds[MessageDescriptor.asker(connection)];
        return !asker.isOver() && asker.outgoing == attemptOf(connection);
    }

    // ---- what can happen --------------------------------------------------------------------------------------------

    /** Writes every step of the state loaded, the fair ones first. Returns how many. */
    int steps(final int[] into) {
        int count = 0;
        for (int side = 0; side < bonds.length; side++) {
            if (state(side) == RecoveryState.DRAINING) {
                into[count++] = Step.DRAINED.with(side);
            }
        }
        for (int i = 0; i < messageCount; i++) {
            into[count++] = Step.DELIVER.with(i);
        }
        for (int side = 0; side < bonds.length; side++) {
            count = stepsOfRequests(side, into, count);
        }
        for (int side = 0; side < bonds.length; side++) {
            count = stepsOfTraffic(side, into, count);
        }
        for (int side = 0; side < bonds.length; side++) {
            if (isTimerRunning(side) && !isEarly(side)) {
                into[count++] = Step.TIMER.with(side);
            }
        }
        for (int side = 0; side < bonds.length; side++) {
            count = faults(side, into, count);
        }
        return faultsOfNetwork(into, count);
    }

    /** The state of an end that has one, else null. */
    private @Nullable RecoveryState state(final int side) {
        return bonds[side].isRestarted ? null : bonds[side].machine.state();
    }

    private int stepsOfRequests(final int side, final int[] into, final int from) {
        int count = from;
        final ModelBond bond = bonds[side];
        if (isWithdrawn(bond, bond.pending())) {
            into[count++] = Step.GIVEN_UP.with(side << 2);
        }
        if (isWithdrawn(bond, bond.peerClose())) {
            into[count++] = Step.GIVEN_UP.with(side << 2 | 1);
        }
        if (state(side) == RecoveryState.ANSWERED) {
            if (!isAwaited(bond.live) && peer(side).live != bond.live) {
                into[count++] = Step.GIVEN_UP.with(side << 2 | 2);
            }
            if (bond.hasHeard) {
                into[count++] = Step.CONFIRMED.with(side);
            }
        }
        return count;
    }

    private boolean isWithdrawn(final ModelBond bond, final int token) {
        return token != NONE && !bond.isGone(token) && !isAwaited(connectionOf(token));
    }

    private int stepsOfTraffic(final int side, final int[] into, final int from) {
        int count = from;
        final ModelBond bond = bonds[side];
        if (bond.live != NONE && !bond.isCut && to(side).isOnTheWay()) {
            into[count++] = Step.EXECUTE.with(side);
        }
        if (state(side) == RecoveryState.CONNECTED) {
            if (traffic[side].canComplete()) {
                into[count++] = Step.COMPLETE.with(side);
            }
            final ModelBond peer = peer(side);
            if (lie != PlantedLie.DEAF && (bond.live != peer.live || bond.isCut || peer.isCut)) {
                into[count++] = Step.NOTICE.with(side);
            }
        }
        if (!bond.isOver() && traffic[side].canPost()) {
            into[count++] = Step.POST.with(side);
        }
        return count;
    }

    private boolean isTimerRunning(final int side) {
        final RecoveryState state = state(side);
        return state != null && (bonds[side].timers() & 1) != 0 && state != RecoveryState.DRAINING
                && !(lie == PlantedLie.SLEEPS_ON && state == RecoveryState.WAITING);
    }

    /** Whether what a timer waits for can still come. */
    private boolean isEarly(final int side) {
        final RecoveryState state = state(side);
        if (state == RecoveryState.WAITING) {
            return isAskedFor(side); // pauses grow until they are longer than a REQ is under way
        }
        final ModelBond bond = bonds[side];
        if (state == RecoveryState.ANSWERED) {
            return isOnTheWay(bond.live, false);
        }
        return isOnTheWay(bond.outgoing, true) || isKept(peer(side), bond.outgoing);
    }

    /** Whether a REQ is under way to a side whose sender waits for the answer. */
    private boolean isAskedFor(final int side) {
        for (int i = 0; i < messageCount; i++) {
            if (MessageDescriptor.kind(messages[i]) == MessageDescriptor.REQ
                    && MessageDescriptor.receiver(messages[i]) == side && isAwaited(connectionOf(messages[i]))) {
                return true;
            }
        }
        return false;
    }

    private boolean isOnTheWay(final int connection, final boolean anyDouble) {
        for (int i = 0; i < messageCount; i++) {
            final int of = connectionOf(messages[i]);
            if ((anyDouble ? attemptOf(of) : of) == connection) {
                return true;
            }
        }
        return false;
    }

    private static boolean isKept(final ModelBond by, final int attempt) {
        return isOf(by, by.pending(), attempt) || isOf(by, by.peerClose(), attempt);
    }

    private static boolean isOf(final ModelBond by, final int token, final int attempt) {
        return token != NONE && !by.isGone(token) && attemptOf(connectionOf(token)) == attempt;
    }

    private int faults(final int side, final int[] into, final int from) {
        int count = from;
        final RecoveryState state = state(side);
        if (state == null || bonds[side].isOver()) {
            return count;
        }
        if (state == RecoveryState.DRAINING) {
            into[count++] = Step.DRAIN_EXPIRES.with(side);
        } else if (left[1] > 0 && isTimerRunning(side) && isEarly(side)) {
            into[count++] = Step.EARLY_TIMER.with(side);
        }
        final int timers = bonds[side].timers();
        if (left[1] > 0 && (timers & 2) != 0) {
            into[count++] = Step.CLOSE_TIMER.with(side);
        }
        if (left[0] > 0 && (state == RecoveryState.CONNECTED || state == RecoveryState.CONNECTING
                || state == RecoveryState.ANSWERED)) {
            into[count++] = Step.FAIL.with(side);
        }
        if (left[2] > 0) {
            into[count++] = Step.CLOSE.with(side);
        }
        if (left[3] > 0) {
            into[count++] = Step.RESTART.with(side);
        }
        if (left[4] > 0 && (timers & 4) != 0 && (timers & 2) == 0) {
            into[count++] = Step.GIVE_UP.with(side);
        }
        if (left[5] > 0 && state == RecoveryState.CONNECTED && peer(side).live == bonds[side].live
                && traffic[side].canLie()) {
            into[count++] = Step.LIE.with(1 - side);
        }
        return count;
    }

    private int faultsOfNetwork(final int[] into, final int from) {
        int count = from;
        if (left[1] > 0) {
            for (int i = 0; i < messageCount; i++) {
                into[count++] = Step.LOSE.with(i);
                if (MessageDescriptor.kind(messages[i]) == MessageDescriptor.REQ
                        && !MessageDescriptor.isDoubled(messages[i])) {
                    into[count++] = Step.DOUBLE.with(i);
                }
            }
        }
        return count;
    }

    // ---- what happens -----------------------------------------------------------------------------------------------

    /** Takes a step of the state loaded. Throws {@link Violation} where the contract does not hold. */
    void take(final int action) {
        final int argument = Step.argument(action);
        switch (Step.of(action)) {
            case DRAINED -> bonds[argument].drained(true);
            case DELIVER -> deliver(removed(argument));
            case GIVEN_UP -> givenUp(bonds[argument >>> 2], argument & 3);
            case CONFIRMED -> bonds[argument].machine.onEstablished(nowNs);
            case EXECUTE -> execute(bonds[argument]);
            case COMPLETE -> traffic[argument].complete();
            case NOTICE -> bonds[argument].machine.onPathFailure(FailureReason.CM_DISCONNECTED, nowNs);
            case POST -> post(argument);
            case TIMER, DRAIN_EXPIRES -> fire(argument, 2 * MachineImage.STEP_NS);
            case EARLY_TIMER -> {
                left[1]--;
                fire(argument, 2 * MachineImage.STEP_NS);
            }
            case CLOSE_TIMER -> {
                left[1]--;
                fire(argument, 2 * MachineImage.CLOSE_NS);
            }
            case FAIL -> {
                left[0]--;
                bonds[argument].machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
            }
            case LOSE -> {
                left[1]--;
                removed(argument);
            }
            case DOUBLE -> {
                left[1]--;
                send(MessageDescriptor.doubled(messages[argument]));
            }
            case CLOSE -> {
                left[2]--;
                if (lie != PlantedLie.CLOSE_FORGOTTEN) {
                    bonds[argument].machine.onApplicationClose(nowNs);
                }
            }
            case RESTART -> {
                left[3]--;
                bonds[argument].restart();
            }
            case GIVE_UP -> {
                left[4]--;
                isGivingUp = true;
                fire(argument, 2 * MachineImage.RECOVERY_NS);
            }
            case LIE -> {
                left[5]--;
                bonds[argument].isCut = true;
                to(argument).lie();
            }
        }
        check();
    }

    private int removed(final int index) {
        final int message = messages[index];
        System.arraycopy(messages, index + 1, messages, index, --messageCount - index);
        return message;
    }

    private void post(final int side) {
        traffic[side].post();
        if (state(side) == RecoveryState.CONNECTED) {
            pump(side);
        }
    }

    private void execute(final ModelBond bond) {
        to(bond.side).execute(peer(bond.side).live == bond.live);
        bond.hasHeard = bond.machine.state() == RecoveryState.ANSWERED;
    }

    private void fire(final int side, final long atNs) {
        nowNs = atNs;
        Violation.unless(bonds[side].machine.doWork(atNs) == 1, bonds[side].name + "'s timer did not fire");
    }

    private void givenUp(final ModelBond bond, final int which) {
        switch (which) {
            case 0 -> bond.pendingGone = bond.pending();
            case 1 -> bond.closeGone = bond.peerClose();
            default -> bond.machine.onConnectFailed(nowNs);
        }
    }

    private void deliver(final int message) {
        final int connection = connectionOf(message);
        final ModelBond to = bonds[MessageDescriptor.receiver(message)];
        switch (MessageDescriptor.kind(message)) {
            case MessageDescriptor.REQ -> {
                if (to.isRestarted || lie == PlantedLie.REFUSES_ALWAYS) {
                    final RejectCode code = to.isRestarted ? RejectCode.UNKNOWN_SESSION : RejectCode.NO_RESOURCES;
                    send(MessageDescriptor.message(MessageDescriptor.REJ, connection, 0, code.code(), 0));
                } else {
                    to.machine.onRequest(exchange.request(message), message, Exchange.PATH, nowNs);
                }
            }
            case MessageDescriptor.REP -> {
                to.outgoing = NONE;
                to.drop();
                to.live = connection;
                send(MessageDescriptor.message(MessageDescriptor.RTU, connection, 0, 0, 0));
                to.machine.onReply(exchange.reply(message), nowNs);
            }
            case MessageDescriptor.RTU -> to.machine.onEstablished(nowNs);
            default -> to.machine.onReject(exchange.reject(message), nowNs);
        }
    }

    private void check() {
        for (int side = 0; side < bonds.length; side++) {
            scratchCheck(side);
            final ModelBond bond = bonds[side];
            if (bond.isOver()) {
                continue;
            }
            bond.checkDefects();
            final int epochBefore = before[1 + 5 * side] >>> 13 & MessageDescriptor.MAX_EPOCH;
            Violation.unless(Integer.compareUnsigned(bond.machine.epoch(), epochBefore) >= 0,
                    bond.name + "'s epoch goes back from " + epochBefore + " to " + bond.machine.epoch());
        }
    }

    private void scratchCheck(final int side) {
        traffic[side].checkNotBefore(before[5 + 5 * side], scratch);
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** Judges the state loaded, in which nothing more happens by itself: everybody must be well, or over. */
    void checkEnd() {
        final ModelBond a = bonds[0];
        final ModelBond b = bonds[1];
        if (a.isOver() && b.isOver()) {
            return;
        }
        Violation.unless(
                state(0) == RecoveryState.CONNECTED && state(1) == RecoveryState.CONNECTED,
                "nothing more happens with A in " + describe(0) + " and B in " + describe(1));
        Violation.unless(a.live == b.live, "nothing more happens, and each is connected to somebody else");
        Violation.unless(a.machine.epoch() == b.machine.epoch(), "both are connected and their epochs differ");
        for (final Traffic each : traffic) {
            Violation.unless(each.isDone(), "both are connected and a request is lost: " + each.describe());
        }
        Violation.unless(left[2] == bounds.closes(), "both are connected and an application has closed");
    }

    // ---- in words ---------------------------------------------------------------------------------------------------

    private String describe(final int side) {
        final ModelBond bond = bonds[side];
        if (bond.isRestarted) {
            return "another life";
        }
        return bond.machine.state() + (bond.error == null ? "" : " " + bond.error)
                + (bond.isOver() ? "" : ", epoch " + bond.machine.epoch());
    }

    /** A step of the state loaded. */
    String describeStep(final int action) {
        final Step step = Step.of(action);
        final int argument = Step.argument(action);
        return switch (step) {
            case DELIVER, LOSE, DOUBLE -> bonds[MessageDescriptor.receiver(messages[argument])].name + step.words()
                    + MessageDescriptor.describe(messages[argument]);
            case GIVEN_UP -> bonds[argument >>> 2].name + step.words()
                    + new String[] {"kept for after the drain", "a CLOSE", "answered"}[argument & 3];
            default -> bonds[argument].name + step.words();
        };
    }

    /** The state loaded, on one line. */
    String describe() {
        final StringBuilder text = new StringBuilder(200);
        text.append("A ").append(describe(0)).append("; B ").append(describe(1));
        text.append("; A ").append(traffic[0].describe()).append("; B ").append(traffic[1].describe());
        for (int i = 0; i < messageCount; i++) {
            text.append("; on the way: ").append(MessageDescriptor.describe(messages[i]));
        }
        return text.toString();
    }
}
