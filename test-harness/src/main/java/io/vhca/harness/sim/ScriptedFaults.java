package io.vhca.harness.sim;

import io.vhca.physical.soft.fabric.FaultModel;
import io.vhca.physical.soft.fabric.Verdict;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Carries out the faults of one scenario: judges packets, and takes ports, devices and processes down when their packet
 * has passed. Acts only in {@link #doWork}, never from within a packet.
 */
final class ScriptedFaults implements FaultModel {
    /** A share of packets is late or doubled for this many times as long as one of them is late. */
    private static final int SPREAD = 8;

    private final Fault[] faults;
    private final FaultState[] states;
    private final Side[] sideOfPort;
    private final int[] memberOfPort;
    private final int[] membersOfSide;
    private final FaultTarget target;
    private final SplittableRandom random;
    private final History history;
    private final int[] hits = new int[FaultKind.values().length];
    private final int[] downs;
    private final int[] blocks;
    private final boolean[] isDataLost;
    private int packets;
    private long lastHealNs;

    /**
     * @param sideOfPort    whose port each fabric index is
     * @param memberOfPort  which of that side's
     * @param membersOfSide how many members each side has
     */
    ScriptedFaults(
            final List<Fault> faults, final Side[] sideOfPort, final int[] memberOfPort, final int[] membersOfSide,
            final FaultTarget target, final SplittableRandom random, final History history, final long startNs) {
        this.faults = faults.toArray(new Fault[0]);
        this.sideOfPort = sideOfPort;
        this.memberOfPort = memberOfPort;
        this.membersOfSide = membersOfSide;
        this.target = target;
        this.random = random;
        this.history = history;
        states = new FaultState[this.faults.length];
        for (int i = 0; i < states.length; i++) {
            states[i] = new FaultState();
        }
        downs = new int[2 * Byte.SIZE];
        blocks = new int[2 * Byte.SIZE];
        isDataLost = new boolean[2 * Byte.SIZE];
        lastHealNs = startNs;
    }

    /** How often each kind struck, by ordinal. */
    int[] hits() {
        return hits;
    }

    /** Packets that entered the fabric. */
    int packets() {
        return packets;
    }

    /** True when nothing is broken now; faults whose packet never came count as over. */
    boolean isHealed() {
        for (final FaultState state : states) {
            if (state.isActive) {
                return false;
            }
        }
        return true;
    }

    /** When the last fault so far ended. */
    long lastHealNs() {
        return lastHealNs;
    }

    @Override
    public long judge(
            final int from, final int to, final long packetAddress, final int lengthBytes, final long nowNs) {
        packets++;
        final Side side = sideOfPort[from];
        long verdict = Verdict.DELIVER;
        for (int i = 0; i < faults.length; i++) {
            final Fault fault = faults[i];
            final FaultState state = states[i];
            verdict = switch (fault.kind()) {
                case LOSE_ACK, LOSE_REQUEST, CORRUPT_ONE, LOSE_CM_REQ, LOSE_CM_REP, LOSE_CM_RTU ->
                    judgeOne(i, from, PacketKind.of(packetAddress, lengthBytes), verdict, nowNs);
                default -> {
                    if (!state.isStarted && packets > fault.atPacket()) {
                        state.isStarted = true;
                        state.isActive = true;
                        state.isPending = true;
                        state.nextNs = nowNs;
                    }
                    yield state.isActive ? judgeShare(i, side, verdict, nowNs) : verdict;
                }
            };
        }
        if (isDataLost[slot(side, memberOfPort[from])] && !PacketKind.of(packetAddress, lengthBytes).isManagement()) {
            verdict |= Verdict.DROP;
        }
        if (history.isRecorded()) {
            note(from, to, PacketKind.of(packetAddress, lengthBytes), verdict, nowNs);
        }
        return verdict;
    }

    /** CM messages are few and tell much. */
    private void note(final int from, final int to, final PacketKind kind, final long verdict, final long nowNs) {
        if (kind != PacketKind.ACK && kind != PacketKind.DATA) {
            history.note(
                    nowNs, -1, -1, "packet " + packets + " " + kind + " " + portName(from) + " to " + portName(to)
                            + (Verdict.isDrop(verdict) ? " lost" : ""));
        }
    }

    private String portName(final int port) {
        return sideOfPort[port].label() + memberOfPort[port];
    }

    private long judgeOne(final int i, final int from, final PacketKind kind, final long verdict, final long nowNs) {
        final Fault fault = faults[i];
        final boolean isOwn = sideOfPort[from].ordinal() == fault.side()
                && (fault.member() < 0 || fault.member() == memberOfPort[from]);
        final boolean isMatch = switch (fault.kind()) {
            case LOSE_ACK -> isOwn && kind == PacketKind.ACK;
            case LOSE_REQUEST -> isOwn && kind == PacketKind.DATA;
            case LOSE_CM_REQ -> kind == PacketKind.CM_REQ;
            case LOSE_CM_REP -> kind == PacketKind.CM_REP;
            case LOSE_CM_RTU -> kind == PacketKind.CM_RTU;
            default -> isOwn;
        };
        if (!isMatch) {
            return verdict;
        }
        final int number = states[i].matches++ - fault.atPacket();
        if (number < 0 || number >= fault.repeat()) {
            return verdict;
        }
        hit(i, nowNs);
        lastHealNs = nowNs;
        return fault.kind() == FaultKind.CORRUPT_ONE
                ? Verdict.corrupt(verdict, random.nextInt(8192)) : Verdict.DROP | verdict;
    }

    private long judgeShare(final int i, final Side side, final long verdict, final long nowNs) {
        final Fault fault = faults[i];
        if (fault.kind() == FaultKind.DELAY && side.ordinal() != fault.side()) {
            return verdict;
        }
        if (fault.perMille() == 0 || random.nextInt(1_000) >= fault.perMille()) {
            return verdict;
        }
        hit(i, nowNs);
        return switch (fault.kind()) {
            case DROP -> verdict | Verdict.DROP;
            case DUPLICATE -> Verdict.duplicate(verdict, random.nextInt((int) (fault.durationNs() / 1_000) + 1));
            case REORDER -> Verdict.delay(verdict, random.nextLong(fault.durationNs()));
            case DELAY -> Verdict.delay(verdict, fault.durationNs());
            case CORRUPT -> Verdict.corrupt(verdict, random.nextInt(8192));
            default -> verdict;
        };
    }

    private void hit(final int i, final long nowNs) {
        hits[faults[i].kind().ordinal()]++;
        history.add(nowNs, -1, -1, HistoryEvent.FAULT_HIT, i, packets);
    }

    /** Begins and ends what is due. Returns how much that was. */
    int doWork(final long nowNs) {
        int work = 0;
        for (int i = 0; i < faults.length; i++) {
            final FaultState state = states[i];
            while (state.isPending && state.nextNs - nowNs <= 0) {
                step(i, nowNs);
                work++;
            }
        }
        return work;
    }

    /** When a fault begins or ends next; {@link Long#MAX_VALUE} when none is due. */
    long nextDeadlineNs() {
        long next = Long.MAX_VALUE;
        for (final FaultState state : states) {
            if (state.isPending) {
                next = Simulation.earlier(next, state.nextNs);
            }
        }
        return next;
    }

    /** One beginning or end; flapping has several. Even steps begin, odd ones end. */
    private void step(final int i, final long nowNs) {
        final Fault fault = faults[i];
        final FaultState state = states[i];
        final boolean isBegin = (state.steps & 1) == 0;
        state.steps++;
        history.add(nowNs, -1, -1, isBegin ? HistoryEvent.FAULT_START : HistoryEvent.FAULT_END, i, 0);
        if (isBegin) {
            begin(i, nowNs);
        } else {
            end(fault, nowNs);
        }
        final boolean isOver = isBegin ? isForGood(fault.kind()) : state.steps >= 2 * fault.repeat();
        state.isPending = !isOver;
        state.isActive = !isOver;
        state.nextNs = nowNs + lastsNs(fault);
        lastHealNs = nowNs;
    }

    private static boolean isForGood(final FaultKind kind) {
        return kind == FaultKind.SENDERS_HANG
                || kind == FaultKind.SENDERS_FAIL
                || kind == FaultKind.ACTIVATE
                || kind == FaultKind.GID_MOVE
                || kind == FaultKind.DATA_LOSS
                || kind == FaultKind.DEVICE_DEATH
                || kind == FaultKind.PROCESS_DEATH
                || kind == FaultKind.ACK_BEFORE_PLACEMENT;
    }

    private static long lastsNs(final Fault fault) {
        return switch (fault.kind()) {
            case DUPLICATE, REORDER, DELAY -> fault.durationNs() * SPREAD;
            default -> fault.durationNs();
        };
    }

    private void begin(final int i, final long nowNs) {
        final Fault fault = faults[i];
        final Side side = Side.of(fault.side());
        switch (fault.kind()) {
            case PORT_DOWN, ALL_PORTS_DOWN, FLAPPING -> {
                forMembers(fault, member -> portDown(nowNs, side, member));
                hit(i, nowNs);
            }
            case ONE_WAY_LOSS -> {
                forMembers(fault, member -> block(side, member));
                hit(i, nowNs);
            }
            case DRAIN -> {
                target.drain(side, fault.member(), true);
                hit(i, nowNs);
            }
            case REMOVE -> {
                target.remove(side, fault.member(), true);
                hit(i, nowNs);
            }
            case ACTIVATE -> {
                target.activate(side, fault.member());
                hit(i, nowNs);
            }
            case SENDERS_HANG -> {
                target.hangSenders(side, fault.member());
                hit(i, nowNs);
            }
            case SENDERS_FAIL -> {
                target.failSenders(side, fault.member());
                hit(i, nowNs);
            }
            case DATA_LOSS -> {
                isDataLost[slot(side, fault.member())] = true;
                hit(i, nowNs);
            }
            case GID_MOVE -> {
                target.moveGid(side, fault.member());
                hit(i, nowNs);
            }
            case MTU_CHANGE -> {
                target.shrinkMtu(side, fault.member(), true);
                hit(i, nowNs);
            }
            case DEVICE_DEATH, DEVICE_RETURN, ACK_BEFORE_PLACEMENT -> {
                forMembers(fault, member -> target.killDevice(nowNs, side, member));
                hit(i, nowNs);
            }
            case PROCESS_DEATH, PROCESS_RESTART -> {
                target.killProcess(nowNs, side);
                hit(i, nowNs);
            }
            default -> {
                // Packet faults strike in judge.
            }
        }
    }

    private void end(final Fault fault, final long nowNs) {
        final Side side = Side.of(fault.side());
        switch (fault.kind()) {
            case PORT_DOWN, ALL_PORTS_DOWN, FLAPPING -> forMembers(fault, member -> portBack(nowNs, side, member));
            case ONE_WAY_LOSS -> forMembers(fault, member -> unblock(side, member));
            case DRAIN -> target.drain(side, fault.member(), false);
            case MTU_CHANGE -> target.shrinkMtu(side, fault.member(), false);
            case REMOVE -> target.remove(side, fault.member(), false);
            case DEVICE_RETURN -> forMembers(fault, member -> target.reviveDevice(nowNs, side, member));
            case PROCESS_RESTART -> target.restartProcess(nowNs, side);
            default -> {
                // Packet faults end by not being active.
            }
        }
    }

    private void forMembers(final Fault fault, final MemberAction action) {
        if (fault.member() >= 0) {
            action.apply(fault.member());
            return;
        }
        for (int member = 0; member < membersOfSide[fault.side()]; member++) {
            action.apply(member);
        }
    }

    private void portDown(final long nowNs, final Side side, final int member) {
        if (downs[slot(side, member)]++ == 0) {
            target.portUp(nowNs, side, member, false);
        }
    }

    private void portBack(final long nowNs, final Side side, final int member) {
        if (--downs[slot(side, member)] == 0) {
            target.portUp(nowNs, side, member, true);
        }
    }

    private void block(final Side side, final int member) {
        if (blocks[slot(side, member)]++ == 0) {
            target.blockTransmit(side, member, true);
        }
    }

    private void unblock(final Side side, final int member) {
        if (--blocks[slot(side, member)] == 0) {
            target.blockTransmit(side, member, false);
        }
    }

    private static int slot(final Side side, final int member) {
        return side.ordinal() * Byte.SIZE + member;
    }

    /** What is done to each member that a fault is about. */
    private interface MemberAction {
        void apply(int member);
    }

    /** How far one fault has come. */
    private static final class FaultState {
        private boolean isStarted;
        private boolean isActive;
        private boolean isPending;
        private long nextNs;
        private int steps;
        private int matches;
    }
}
