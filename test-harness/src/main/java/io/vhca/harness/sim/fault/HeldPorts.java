package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import java.util.function.Consumer;

/** Counts the faults that hold a port down, without routes, blocked or paused: it comes back with the last of them. */
final class HeldPorts implements FaultTarget {
    private static final int MOST_MEMBERS = Byte.SIZE;
    private static final int PRIORITIES = 8;

    private final FaultTarget target;
    private final PerSide<int[]> down = PerSide.each(side -> new int[MOST_MEMBERS]);
    private final PerSide<int[]> unrouted = PerSide.each(side -> new int[MOST_MEMBERS]);
    private final PerSide<int[]> blocked = PerSide.each(side -> new int[MOST_MEMBERS]);
    /** By member and priority. */
    private final PerSide<int[]> paused = PerSide.each(side -> new int[MOST_MEMBERS * PRIORITIES]);

    HeldPorts(final FaultTarget target) {
        this.target = target;
    }

    @Override
    public void portUp(final Side side, final int member, final boolean isUp) {
        if (changes(down.of(side), member, !isUp)) {
            target.portUp(side, member, isUp);
        }
    }

    @Override
    public void routes(final Side side, final int member, final boolean areThere) {
        if (changes(unrouted.of(side), member, !areThere)) {
            target.routes(side, member, areThere);
        }
    }

    @Override
    public void blockTransmit(final Side side, final int member, final boolean isBlocked) {
        if (changes(blocked.of(side), member, isBlocked)) {
            target.blockTransmit(side, member, isBlocked);
        }
    }

    @Override
    public void pauseTransmit(final Side side, final int member, final int priorities, final boolean isPaused) {
        int changed = 0;
        for (int priority = 0; priority < PRIORITIES; priority++) {
            final boolean isMeant = (priorities >>> priority & 1) != 0;
            if (isMeant && changes(paused.of(side), member * PRIORITIES + priority, isPaused)) {
                changed |= 1 << priority;
            }
        }
        if (changed != 0) {
            target.pauseTransmit(side, member, changed, isPaused);
        }
    }

    /** One fault more, or one less; true for the first and for the last. */
    private static boolean changes(final int[] holders, final int held, final boolean isHeld) {
        final int before = holders[held];
        assert isHeld || before > 0 : "number " + held + " is let go more often than it was held";
        holders[held] = isHeld ? before + 1 : before - 1;
        return before == 0 || holders[held] == 0;
    }

    @Override
    public void onHost(final Side side, final Consumer<FaultyHost> action) {
        target.onHost(side, action);
    }

    @Override
    public void attack(final Side asked, final Attack attack) {
        target.attack(asked, attack);
    }

    @Override
    public void killProcess(final Side side) {
        target.killProcess(side);
    }

    @Override
    public void restartProcess(final Side side) {
        target.restartProcess(side);
    }
}
