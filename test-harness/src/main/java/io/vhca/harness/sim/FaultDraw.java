package io.vhca.harness.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the faults of a scenario, at least one. */
final class FaultDraw {
    private static final FaultKind[] PACKET_FAULTS = {
        FaultKind.DROP, FaultKind.DUPLICATE, FaultKind.REORDER, FaultKind.DELAY, FaultKind.CORRUPT, FaultKind.LOSE_ACK,
        FaultKind.LOSE_ACK, FaultKind.LOSE_REQUEST, FaultKind.CORRUPT_ONE, FaultKind.LOSE_CM_REQ, FaultKind.LOSE_CM_REP,
        FaultKind.LOSE_CM_RTU
    };
    private static final FaultKind[] LINK_FAULTS = {
        FaultKind.PORT_DOWN, FaultKind.PORT_DOWN, FaultKind.ALL_PORTS_DOWN, FaultKind.ONE_WAY_LOSS,
        FaultKind.ONE_WAY_LOSS, FaultKind.FLAPPING
    };
    private static final FaultKind[] BOND_FAULTS = {
        FaultKind.PORT_DOWN, FaultKind.PORT_DOWN, FaultKind.ALL_PORTS_DOWN, FaultKind.ONE_WAY_LOSS,
        FaultKind.ONE_WAY_LOSS, FaultKind.FLAPPING, FaultKind.SENDERS_HANG, FaultKind.SENDERS_FAIL, FaultKind.DRAIN,
        FaultKind.DRAIN, FaultKind.REMOVE, FaultKind.ACTIVATE, FaultKind.GID_MOVE, FaultKind.MTU_CHANGE
    };
    private static final FaultKind[] DEATHS = {
        FaultKind.DEVICE_DEATH, FaultKind.DEVICE_DEATH, FaultKind.DEVICE_RETURN, FaultKind.PROCESS_DEATH,
        FaultKind.PROCESS_RESTART, FaultKind.ACK_BEFORE_PLACEMENT, FaultKind.ACK_BEFORE_PLACEMENT,
        FaultKind.DATA_LOSS, FaultKind.DATA_LOSS
    };
    /** Retries of a packet before its queue pair fails, less one for a loss that the packet brings about itself. */
    private static final int SURVIVABLE_LOSSES = 5;

    private final SplittableRandom random;
    private final boolean isBond;
    private final boolean isConfirmed;
    private final int[] members;
    private final int packets;
    private final int qpCount;
    private final long recoveryTimeoutNs;

    FaultDraw(
            final SplittableRandom random, final boolean isBond, final boolean isConfirmed, final int[] members,
            final int packets, final int qpCount, final long recoveryTimeoutNs) {
        this.random = random;
        this.isBond = isBond;
        this.isConfirmed = isConfirmed;
        this.members = members;
        this.packets = packets;
        this.qpCount = qpCount;
        this.recoveryTimeoutNs = recoveryTimeoutNs;
    }

    List<Fault> draw() {
        final int count = Math.max(1, random.nextInt(-1, 5));
        final List<Fault> faults = new ArrayList<>(count);
        boolean hasDeath = false;
        for (int i = 0; i < count; i++) {
            final SplittableRandom own = random.split();
            final FaultKind kind = kind(own, hasDeath);
            hasDeath |= isDeath(kind);
            faults.add(fault(own, kind));
        }
        return faults;
    }

    /**
     * True where the contract says that no queue pair fails under these faults.
     *
     * @param isConfirmed success completions wait for the peer's bond
     */
    static boolean mustSurvive(final List<Fault> faults, final boolean isBond, final boolean isConfirmed) {
        int losses = 0;
        for (final Fault fault : faults) {
            switch (fault.kind()) {
                case PROCESS_DEATH, PROCESS_RESTART -> {
                    return false;
                }
                case ACK_BEFORE_PLACEMENT -> {
                    if (!isConfirmed) {
                        return false;
                    }
                }
                case LOSE_ACK, LOSE_REQUEST, CORRUPT_ONE, LOSE_CM_REQ, LOSE_CM_REP, LOSE_CM_RTU ->
                        losses += fault.repeat();
                case DUPLICATE, REORDER, DRAIN, REMOVE, ACTIVATE -> {
                    // Only late or double, or planned: nothing is lost.
                }
                default -> losses += SURVIVABLE_LOSSES + 1;
            }
        }
        return isBond || losses <= SURVIVABLE_LOSSES;
    }

    private static boolean isDeath(final FaultKind kind) {
        return switch (kind) {
            case DEVICE_DEATH, DEVICE_RETURN, PROCESS_DEATH, PROCESS_RESTART, ACK_BEFORE_PLACEMENT, DATA_LOSS -> true;
            default -> false;
        };
    }

    /** At most one death a scenario: the survivors are what is looked at. */
    private FaultKind kind(final SplittableRandom own, final boolean hasDeath) {
        final int group = own.nextInt(isBond ? 10 : 16);
        final int pick = own.nextInt(60);
        if (isConfirmed && !hasDeath && own.nextInt(4) == 0) {
            return FaultKind.ACK_BEFORE_PLACEMENT; // what confirmation is for
        }
        if (group == 0 && !hasDeath) {
            return isBond || DEATHS[pick % DEATHS.length] != FaultKind.DATA_LOSS
                    ? DEATHS[pick % DEATHS.length] : FaultKind.DEVICE_DEATH;
        }
        return isBond && group <= 5 ? BOND_FAULTS[pick % BOND_FAULTS.length]
                : group == 1 ? LINK_FAULTS[pick % LINK_FAULTS.length] : PACKET_FAULTS[pick % PACKET_FAULTS.length];
    }

    private Fault fault(final SplittableRandom own, final FaultKind kind) {
        final int side = own.nextInt(2);
        final int member = own.nextInt(3) == 0 ? own.nextInt(members[side]) : 0;
        final int atPacket = own.nextInt(Math.max(1, packets));
        final long shortNs = ScenarioDraw.logUniform(own, 10_000, 2_000_000);
        final long outageNs = ScenarioDraw.logUniform(own, 10_000, recoveryTimeoutNs / 16);
        return switch (kind) {
            case DROP, CORRUPT -> new Fault(kind, atPacket, side, -1, own.nextInt(5, 200), outageNs, 1);
            case DUPLICATE, REORDER -> new Fault(kind, atPacket, side, -1, own.nextInt(5, 400), shortNs, 1);
            case DELAY -> new Fault(kind, atPacket, side, -1, 1_000, shortNs, 1);
            case LOSE_ACK -> new Fault(kind, own.nextInt(Math.max(1, packets / 4)), side, -1, 0, 0, own.nextInt(1, 4));
            case LOSE_REQUEST, CORRUPT_ONE ->
                    new Fault(kind, own.nextInt(Math.max(1, packets / 2)), side, -1, 0, 0, own.nextInt(1, 4));
            case LOSE_CM_REQ, LOSE_CM_REP, LOSE_CM_RTU ->
                new Fault(kind, own.nextInt(qpCount + 1), side, -1, 0, 0, own.nextInt(1, 3));
            case PORT_DOWN -> new Fault(kind, atPacket, side, member, 0, outageNs, 1);
            case ALL_PORTS_DOWN -> new Fault(kind, atPacket, side, -1, 0, outageNs, 1);
            case ONE_WAY_LOSS -> new Fault(kind, atPacket, side, own.nextInt(4) == 0 ? -1 : member, 0, outageNs, 1);
            case FLAPPING -> new Fault(kind, atPacket, side, member, 0, outageNs / 4, own.nextInt(2, 6));
            case DRAIN, REMOVE -> new Fault(kind, atPacket, side, own.nextInt(members[side]), 0, outageNs, 1);
            case ACTIVATE -> new Fault(kind, atPacket, side, own.nextInt(members[side]), 0, 0, 1);
            case GID_MOVE -> new Fault(kind, atPacket, side, member, 0, 0, 1);
            case MTU_CHANGE -> new Fault(kind, atPacket, side, member, 0, outageNs, 1);
            case SENDERS_HANG, SENDERS_FAIL, DEVICE_DEATH, ACK_BEFORE_PLACEMENT, DATA_LOSS ->
                new Fault(kind, atPacket, side, member, 0, 0, 1);
            case DEVICE_RETURN ->
                new Fault(kind, atPacket, side, own.nextInt(3) == 0 ? -1 : member, 0, outageNs, own.nextInt(1, 3));
            case PROCESS_DEATH -> new Fault(kind, atPacket, side, -1, 0, 0, 1);
            case PROCESS_RESTART -> new Fault(kind, atPacket, side, -1, 0, outageNs, 1);
        };
    }
}
