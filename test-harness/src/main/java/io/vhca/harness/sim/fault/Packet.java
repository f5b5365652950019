package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Side;
import io.vhca.physical.soft.fabric.Verdict;

/**
 * A packet that enters the fabric, and what faults decide on it so far. One object serves all packets of a run: it is
 * valid during the call that it is given to.
 */
public final class Packet {
    private Side sender = Side.LEFT;
    private int member;
    private PacketKind kind = PacketKind.DATA;
    private long verdict;
    private boolean isStruck;

    Packet wrap(final Side from, final int fromMember, final PacketKind packetKind) {
        sender = from;
        member = fromMember;
        kind = packetKind;
        verdict = Verdict.DELIVER;
        isStruck = false;
        return this;
    }

    /** The side that sends it. */
    public Side sender() {
        return sender;
    }

    /** True when one of these members sends it. */
    public boolean isFrom(final Members members) {
        return members.contains(sender, member);
    }

    public PacketKind kind() {
        return kind;
    }

    /** It never arrives. */
    public void drop() {
        strike(verdict | Verdict.DROP);
    }

    /** It arrives later than it would, and may be overtaken. */
    public void delay(final long ns) {
        strike(Verdict.delay(verdict, ns));
    }

    /** It arrives twice. */
    public void duplicate(final int copyDelayUs) {
        strike(Verdict.duplicate(verdict, copyDelayUs));
    }

    /** It arrives with one bit flipped in the byte at {@code offset} modulo its length. */
    public void corrupt(final int offset) {
        strike(Verdict.corrupt(verdict, offset));
    }

    private void strike(final long struck) {
        verdict = struck;
        isStruck = true;
    }

    /** What becomes of it: a {@link Verdict}. */
    long verdict() {
        return verdict;
    }

    /** True when it was struck since the last call. */
    boolean takeStruck() {
        final boolean was = isStruck;
        isStruck = false;
        return was;
    }
}
