package io.vhca.harness.explore;

import static io.vhca.harness.explore.MessageDescriptor.CONNECTION_BITS;
import static io.vhca.harness.explore.MessageDescriptor.FIRST;
import static io.vhca.harness.explore.MessageDescriptor.NONE;

import io.vhca.recovery.BondError;
import io.vhca.recovery.Journal;
import io.vhca.recovery.PathId;
import io.vhca.recovery.PathTable;
import io.vhca.recovery.RecoveryActions;
import io.vhca.recovery.RecoveryConfig;
import io.vhca.recovery.RecoveryMachine;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.VqpIdentity;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One end: the product's recovery machine, and of its bond what recovery sees of it. Fields are package-private for
 * {@link World}, whose part it is.
 */
final class ModelBond implements RecoveryActions {
    private static final RandomGenerator SAME_PAUSE = () -> 0L;
    private static final RecoveryConfig CONFIG = RecoveryConfig.builder()
            .recoveryTimeoutNs(MachineImage.RECOVERY_NS)
            .drainTimeoutNs(MachineImage.STEP_NS)
            .connectTimeoutNs(MachineImage.STEP_NS)
            .establishTimeoutNs(MachineImage.STEP_NS)
            .yieldTimeoutNs(MachineImage.STEP_NS)
            .minBackoffNs(MachineImage.STEP_NS)
            .maxBackoffNs(MachineImage.STEP_NS)
            .closeTimeoutNs(MachineImage.CLOSE_NS)
            .build();
    private static final ReceiverCounts[] COUNTS = new ReceiverCounts[8];
    private static final PathId[] PATHS = {new PathId(0, 0), new PathId(1, 0)};
    private static final int EPOCH_BITS = 7;
    private static final int ERROR_SHIFT = 2 * MessageDescriptor.CONNECTION_BITS + 4;
    /** Of a REQ that waits: its sender has given up. No message has that bit. */
    private static final int GONE = 1 << 28;

    static {
        for (int i = 0; i < COUNTS.length; i++) {
            COUNTS[i] = new ReceiverCounts(i, 0);
        }
    }

    private final World world;
    final int side;
    final String name;
    final RecoveryMachine machine;
    private final MachineImage image;
    private final PathTable table;
    private final PlantedLie lie;
    private final int pathCount;

    /** The connection whose queue pair takes packets, or NONE. */
    int live;
    /** The connection that this end asked for and has no answer to, or NONE. */
    int outgoing;
    /** REQs that wait here and whose sender has given up since: nobody can be answered. */
    int pendingGone;
    int closeGone;
    /** A packet came over the connection that was answered and not confirmed yet. */
    boolean hasHeard;
    /** The device under the connection is dead. */
    boolean isCut;
    /** The process has been started again and knows nothing. */
    boolean isRestarted;
    private int closesSaid;
    @Nullable BondError error;
    private boolean isFinished;
    private long defectsBefore;

    ModelBond(final World world, final int side, final Bounds bounds, final PlantedLie lie, final Journal journal) {
        this.world = world;
        this.side = side;
        this.lie = lie;
        name = side == 0 ? "A" : "B";
        pathCount = bounds.paths();
        table = new PathTable(pathCount, 1, 1, 1);
        machine = new RecoveryMachine(
                new VqpIdentity(name, Exchange.SESSION, Exchange.qpNum(side), Exchange.qpNum(1 - side), side),
                CONFIG, table, SAME_PAUSE, this, journal);
        image = new MachineImage(machine);
    }

    // ---- as part of a state -----------------------------------------------------------------------------------------

    void begin() {
        live = FIRST;
        outgoing = NONE;
        image.reset(RecoveryState.CONNECTED, 1, false);
        image.arm(false, false, false);
        image.own(null);
        image.paths(PATHS[0], 0, null);
        image.waiting(null, null);
        image.closing(false);
    }

    boolean isOver() {
        return isRestarted || machine.state() == RecoveryState.CLOSED || machine.state() == RecoveryState.FAILED;
    }

    int leastEpoch(final int least) {
        if (isOver()) {
            return least;
        }
        int result = Math.min(least, machine.epoch());
        result = MessageDescriptor.leastEpoch(live, result);
        result = MessageDescriptor.leastEpoch(outgoing, result);
        result = MessageDescriptor.leastEpoch(image.pending(), result);
        return MessageDescriptor.leastEpoch(image.peerClose(), result);
    }

    /**
     * What the machine remembers, of one that is over nothing but how it ended.
     *
     * <pre>
     *    24          23    20 19   13 12     11 9  8         7    6       5          4   3 2    1 0
     *   +-----------+--------+-------+------+-----+---------+------+-------+----------+-----+------+------+
     *   | restarted | state  | epoch | open | own | closing | step | close | bounded  | tried | wanted | path |
     *   +-----------+--------+-------+------+-----+---------+------+-------+----------+-----+------+------+
     * </pre>
     */
    int packMachine(final int epochShift) {
        if (isRestarted) {
            return 1 << 24;
        }
        int bits = machine.state().ordinal();
        if (isOver()) {
            return bits << 20;
        }
        bits = bits << EPOCH_BITS | machine.epoch() - epochShift;
        bits = bits << 1 | (image.isOpen() ? 1 : 0);
        bits = bits << 3 | image.ownReceived() + 1;
        bits = bits << 1 | (image.isClosing() ? 1 : 0);
        bits = bits << 1 | (image.isStepArmed() ? 1 : 0);
        bits = bits << 1 | (image.isCloseArmed() ? 1 : 0);
        bits = bits << 1 | (image.isRecoveryBounded() ? 1 : 0);
        bits = bits << 2 | image.tried();
        bits = bits << 2 | image.wanted();
        return bits << 1 | (machine.path().localMember() > 0 ? 1 : 0);
    }

    /** The error in four bits, CLOSEs said in two, two flags, and the two connections. */
    int packBond(final int epochShift) {
        int bits = error == null ? 0 : error.code();
        if (isOver()) {
            return bits << ERROR_SHIFT;
        }
        bits = bits << 2 | closesSaid;
        bits = bits << 1 | (hasHeard ? 1 : 0);
        bits = bits << 1 | (isCut ? 1 : 0);
        bits = bits << CONNECTION_BITS | shifted(live, epochShift);
        return bits << CONNECTION_BITS | shifted(outgoing, epochShift);
    }

    /** The REQ that waits for the drain. */
    int packPending(final int epochShift) {
        return isOver() ? NONE : packed(image.pending(), epochShift);
    }

    /** The CLOSE that waits for the drain. */
    int packPeerClose(final int epochShift) {
        return isOver() ? NONE : packed(image.peerClose(), epochShift);
    }

    private int packed(final int token, final int epochShift) {
        return shifted(token, epochShift) | (isGone(token) ? GONE : 0);
    }

    boolean isGone(final int token) {
        return token != NONE && (token == pendingGone || token == closeGone);
    }

    int pending() {
        return isOver() ? NONE : image.pending();
    }

    int peerClose() {
        return isOver() ? NONE : image.peerClose();
    }

    private static int shifted(final int message, final int by) {
        return MessageDescriptor.shifted(message, by);
    }

    void unpack(final int machineBits, final int bondBits, final int pending, final int peerClose,
            final Exchange exchange) {
        isRestarted = machineBits >>> 24 != 0;
        image.reset(World.STATES[machineBits >>> 20 & 15], machineBits >>> 13 & 127, (machineBits >>> 12 & 1) != 0);
        final int own = (machineBits >>> 9 & 7) - 1;
        image.own(own < 0 ? null : COUNTS[own]);
        image.closing((machineBits >>> 8 & 1) != 0);
        image.arm((machineBits >>> 7 & 1) != 0, (machineBits >>> 6 & 1) != 0, (machineBits >>> 5 & 1) != 0);
        final int wanted = machineBits >>> 1 & 3;
        image.paths(PATHS[machineBits & 1], machineBits >>> 3 & 3, wanted == 0 ? null : PATHS[wanted - 1]);
        for (int i = 0; i < pathCount; i++) {
            table.forgetLocal(i);
        }
        error = BondError.fromCode(bondBits >>> ERROR_SHIFT);
        closesSaid = bondBits >>> 2 * CONNECTION_BITS + 2 & 3;
        hasHeard = (bondBits >>> 2 * CONNECTION_BITS + 1 & 1) != 0;
        isCut = (bondBits >>> 2 * CONNECTION_BITS & 1) != 0;
        live = MessageDescriptor.connectionOf(bondBits >>> CONNECTION_BITS);
        outgoing = MessageDescriptor.connectionOf(bondBits);
        final int waits = pending & ~GONE;
        final int closes = peerClose & ~GONE;
        image.waiting(waits == NONE ? null : exchange.waiting(waits), closes == NONE ? null : exchange.waiting(closes));
        pendingGone = waits == pending ? NONE : waits;
        closeGone = closes == peerClose ? NONE : closes;
        isFinished = isOver();
        defectsBefore = machine.defects();
    }

    int timers() {
        return (image.isStepArmed() ? 1 : 0) | (image.isCloseArmed() ? 2 : 0) | (image.isRecoveryArmed() ? 4 : 0);
    }

    void checkDefects() {
        Violation.unless(machine.defects() == defectsBefore, name + "'s machine was told what cannot be");
        Violation.unless(machine.state() != RecoveryState.FENCING && machine.state() != RecoveryState.REPLAYING,
                name + "'s machine rests in " + machine.state());
    }

    // ---- what happens to the bond -----------------------------------------------------------------------------------

    /** The queue pair under the connection takes nothing more. */
    void drop() {
        live = NONE;
        hasHeard = false;
        isCut = false;
        world.to(side).cut();
    }

    void drained(final boolean all) {
        if (lie == PlantedLie.FENCE_SKIPPED) {
            hasHeard = false;
        }
        world.from(side).drained(all);
        int received = world.to(side).received();
        if (lie == PlantedLie.COUNT_GOES_BACK && received == image.ownReceived() && received > 0) {
            received--;
        }
        Violation.unless(received >= image.ownReceived(),
                name + "'s count goes back from " + image.ownReceived() + " to " + received);
        machine.onDrained(COUNTS[received], world.nowNs());
    }

    void restart() {
        drop();
        outgoing = NONE;
        isRestarted = true;
        isFinished = true;
    }

    // ---- what the machine decides -----------------------------------------------------------------------------------

    @Override
    public void closeGate() {
        // Posts only enqueue: the state says so.
    }

    @Override
    public void fence() {
        if (lie != PlantedLie.FENCE_SKIPPED) {
            drop();
        }
        machine.onFenced(world.nowNs());
    }

    @Override
    public void drain() {
        // Ends by a step of its own.
    }

    @Override
    public void finishDrain() {
        drained(false);
    }

    @Override
    public void connect(final PathId path, final RecoveryRequest request) {
        Violation.unless(live == NONE || lie == PlantedLie.FENCE_SKIPPED, name + " asks before it has fenced");
        Violation.unless(outgoing == NONE, name + " asks twice at once");
        final boolean isClose = request.type() == RecordType.CLOSE;
        outgoing = MessageDescriptor.connection(side, request.epoch(), isClose, isClose ? closesSaid++ : 0);
        world.send(Exchange.requestOf(outgoing, (int) request.counts().received()));
    }

    @Override
    public void abandonAttempt() {
        outgoing = NONE;
    }

    @Override
    public void answer(final long token, final RecoveryReply reply) {
        Violation.unless(live == NONE || lie == PlantedLie.FENCE_SKIPPED, name + " answers before it has fenced");
        if (isGone((int) token)) {
            machine.onConnectFailed(world.nowNs());
            return;
        }
        final int connection = MessageDescriptor.connectionOf((int) token);
        Violation.unless(
                reply.epoch() == MessageDescriptor.epoch(connection),
                name + " answers another epoch than it was asked");
        drop();
        live = connection;
        world.send(MessageDescriptor.message(
                MessageDescriptor.REP, connection, (int) reply.counts().received(), 0, 0));
    }

    @Override
    public void reject(final long token, final RejectCode code, final int epoch) {
        if (!isGone((int) token)) {
            final int heard = code == RejectCode.STALE_EPOCH ? epoch : 0;
            world.send(MessageDescriptor.message(
                    MessageDescriptor.REJ, MessageDescriptor.connectionOf((int) token), 0, code.code(), heard));
        }
    }

    @Override
    public @Nullable BondError applyPeerCounts(final ReceiverCounts counts) {
        return world.from(side).apply(counts);
    }

    @Override
    public void replay() {
        final ModelBond peer = world.peer(side);
        Violation.unless(live != NONE, name + " replays over nothing");
        // Two answers to one REQ that was doubled follow the same fence.
        Violation.unless(peer.live == NONE
                || MessageDescriptor.attemptOf(peer.live) == MessageDescriptor.attemptOf(live)
                || lie == PlantedLie.FENCE_SKIPPED, name + " replays before " + peer.name + " has fenced");
        hasHeard = false;
        machine.onReplayed(world.nowNs());
    }

    @Override
    public void openGate() {
        Violation.unless(live != NONE, name + " opens its gate over nothing");
        world.pump(side);
    }

    @Override
    public void fail(final BondError why) {
        Violation.unless(!isFinished, name + " ends twice");
        Violation.unless(world.mayFail(side, why), name + " fails with " + why + " without cause");
        if (why != BondError.COMMITTED_DATA_LOST) {
            world.from(side).flush();
        }
        error = why;
        drop();
        outgoing = NONE;
        isFinished = true;
    }

    @Override
    public void disconnected() {
        Violation.unless(!isFinished, name + " ends twice");
        world.from(side).flush();
        drop();
        outgoing = NONE;
        isFinished = true;
    }
}
