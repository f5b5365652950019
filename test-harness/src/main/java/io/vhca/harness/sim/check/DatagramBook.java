package io.vhca.harness.sim.check;

import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.scenario.DatagramQps;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.BitSet;

/**
 * What both sides of a scenario know of their datagrams: which queue pairs there are, and what arrived where. A
 * datagram may be lost, but it arrives once at most, where it was sent to; and between any two some arrive in the end.
 */
public final class DatagramBook {
    /** What its checks promise. */
    public static final String NAME = "a datagram arrives as it was sent, once at most";

    private final boolean mayBeDoubled;
    private final Violations violations;
    private final Sender[] senders = new Sender[2];
    private final int[][] qpNums = new int[2][DatagramQps.MOST];
    private final BitSet[] arrived = new BitSet[2 * DatagramQps.MOST * DatagramQps.MOST];
    /** The first number of each pair that was sent after the last fault. */
    private final int[] fresh = new int[arrived.length];

    private final boolean[] isProven = new boolean[arrived.length];
    private long healedNs = Long.MIN_VALUE;

    /** One side's UD queue pairs. */
    public interface Sender {
        /** The number of the next datagram that one of them sends to one of the peer's: how many it has sent. */
        int nextNumber(int from, int to);
    }

    public DatagramBook(final Scenario scenario, final Violations violations) {
        this.violations = violations;
        // Who duplicates packets duplicates datagrams: their receiver has nothing to tell them by.
        mayBeDoubled = scenario.has(Effect.DATAGRAMS_MAY_DOUBLE);
        for (int i = 0; i < arrived.length; i++) {
            arrived[i] = new BitSet();
        }
    }

    private static int pair(final Side side, final int from, final int to) {
        return (side.ordinal() * DatagramQps.MOST + from) * DatagramQps.MOST + to;
    }

    public void add(final Side side, final Sender of) {
        senders[side.ordinal()] = of;
    }

    public void add(final Side side, final int index, final int qpNum) {
        qpNums[side.ordinal()][index] = qpNum;
    }

    public int qpNum(final Side side, final int index) {
        return qpNums[side.ordinal()][index];
    }

    /** All faults so far are over since then: whoever could be reached before can be reached again. */
    public void healed(final long atNs) {
        if (atNs == healedNs) {
            return;
        }
        healedNs = atNs;
        for (final Side side : Side.BOTH) {
            for (int from = 0; from < DatagramQps.MOST; from++) {
                for (int to = 0; to < DatagramQps.MOST; to++) {
                    final Sender of = senders[side.ordinal()];
                    fresh[pair(side, from, to)] = of == null ? 0 : of.nextNumber(from, to);
                    isProven[pair(side, from, to)] = false;
                }
            }
        }
    }

    /** True when a datagram got through that was sent after the last fault. */
    public boolean isProven(final Side side, final int from, final int to) {
        return isProven[pair(side, from, to)];
    }

    /** How many arrived, those that came twice counted once. */
    public int arrived(final Side side, final int from, final int to) {
        return arrived[pair(side, from, to)].cardinality();
    }

    /** A datagram arrived at a side's queue pair, whole and unchanged. */
    public void onArrived(final Side at, final int index, final int identity, final int srcQpNum, final String where) {
        final Side side = DatagramWire.side(identity);
        final int from = DatagramWire.from(identity);
        final int to = DatagramWire.to(identity);
        final int number = DatagramWire.number(identity);
        final String what = describe(identity);
        if (side != at.other() || to != index || from >= DatagramQps.MOST || senders[side.ordinal()] == null
                || number >= senders[side.ordinal()].nextNumber(from, to)) {
            violations.report(NAME, where, what + " was not sent to here");
            return;
        }
        final int pair = pair(side, from, to);
        if (arrived[pair].get(number) && !mayBeDoubled) {
            violations.report(NAME, where, what + " arrived twice");
        }
        if (srcQpNum != qpNum(side, from)) {
            violations.report(NAME, where, what + " names 0x" + Integer.toHexString(srcQpNum) + " as its sender");
        }
        arrived[pair].set(number);
        isProven[pair] |= number >= fresh[pair];
    }

    public static String describe(final int identity) {
        return "datagram " + DatagramWire.number(identity) + " of " + DatagramWire.side(identity).label() + " "
                + DatagramWire.from(identity) + " to " + DatagramWire.to(identity);
    }
}
