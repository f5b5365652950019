package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.physical.soft.fabric.FaultModel;
import io.vhca.physical.soft.fabric.Verdict;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Carries out the faults of one run: lets them judge packets, and begins and ends them when their packet has passed and
 * their time is over. Begins and ends only in {@link #doWork}, never from within a packet.
 *
 * <p>The simulator's thread.
 */
public final class FaultScript implements FaultModel {
    private final Progress[] faults;
    private final PortMap ports;
    private final FaultTarget target;
    private final SplittableRandom random;
    private final History history;
    private final Packet packet = new Packet();
    private int packets;
    private long lastHealNs;

    public FaultScript(
            final List<TimedFault> faults, final PortMap ports, final FaultTarget target,
            final SplittableRandom random, final History history, final long startNs) {
        this.faults = new Progress[faults.size()];
        for (int i = 0; i < this.faults.length; i++) {
            this.faults[i] = new Progress(i, faults.get(i));
        }
        this.ports = ports;
        this.target = new HeldPorts(target);
        this.random = random;
        this.history = history;
        lastHealNs = startNs;
    }

    /** How often each fault struck, in the order in which they were given. */
    public int[] hits() {
        final int[] hits = new int[faults.length];
        for (int i = 0; i < hits.length; i++) {
            hits[i] = faults[i].hits;
        }
        return hits;
    }

    /** Packets that entered the fabric. */
    public int packets() {
        return packets;
    }

    /** True when nothing is broken now; faults whose packet never came count as over. */
    public boolean isHealed() {
        for (final Progress fault : faults) {
            if (fault.isActive) {
                return false;
            }
        }
        return true;
    }

    /** When the last fault so far ended. */
    public long lastHealNs() {
        return lastHealNs;
    }

    @Override
    public long judge(
            final int from, final int to, final int trafficClass, final long packetAddress, final int lengthBytes,
            final long nowNs) {
        final Side sender = ports.side(from);
        if (sender == null || ports.side(to) == null) {
            return Verdict.DELIVER;
        }
        packets++;
        packet.wrap(sender, ports.member(from), PacketKind.of(packetAddress, lengthBytes));
        for (final Progress fault : faults) {
            fault.judge(nowNs);
        }
        if (history.isRecorded()) {
            note(from, to, nowNs);
        }
        return packet.verdict();
    }

    /** CM messages are few and tell much. */
    private void note(final int from, final int to, final long nowNs) {
        if (packet.kind().isManagement()) {
            history.note(
                    nowNs, -1, -1, "packet " + packets + " " + packet.kind() + " " + ports.name(from) + " to "
                            + ports.name(to) + (Verdict.isDrop(packet.verdict()) ? " lost" : ""));
        }
    }

    /** Begins and ends what is due, each fault once. Returns how much that was: while there is any, call it again. */
    public int doWork(final long nowNs) {
        int work = 0;
        for (final Progress fault : faults) {
            if (fault.isPending && fault.nextNs - nowNs <= 0) {
                fault.step(nowNs);
                work++;
            }
        }
        return work;
    }

    /** When a fault begins or ends next; {@link Deadlines#NONE} when none is due. */
    public long nextDeadlineNs() {
        long next = Deadlines.NONE;
        for (final Progress fault : faults) {
            if (fault.isPending) {
                next = Deadlines.earlier(next, fault.nextNs);
            }
        }
        return next;
    }

    /**
     * How far one fault has come.
     *
     * <pre>
     *   waiting -- its packet --> pending -- begin --> active -- its time --> ended, or pending once more
     *                                          '-- for good --> ended
     * </pre>
     */
    private final class Progress {
        private final int index;
        private final Fault fault;
        private final Timing timing;
        /** Something is broken that will be mended. */
        private boolean isActive;
        /** It judges packets. */
        private boolean isJudging;
        /** It begins or ends at {@link #nextNs}. */
        private boolean isPending;

        private boolean isStarted;
        private boolean isBegun;
        private long nextNs;
        private int begins;
        private int concerned;
        private int hits;

        Progress(final int index, final TimedFault timed) {
            this.index = index;
            fault = timed.fault();
            timing = timed.timing();
        }

        void judge(final long nowNs) {
            switch (timing) {
                case Timing.Packets single -> {
                    if (fault.concerns(packet)) {
                        final int number = concerned++ - single.first();
                        if (number >= 0 && number < single.count()) {
                            fault.judge(packet, random);
                            lastHealNs = nowNs;
                        }
                    }
                }
                case Timing.Period period -> judgeFrom(period.atPacket(), nowNs);
                case Timing.ForGood forGood -> judgeFrom(forGood.atPacket(), nowNs);
            }
            if (packet.takeStruck()) {
                hit(nowNs);
            }
        }

        private void judgeFrom(final int atPacket, final long nowNs) {
            if (!isStarted && packets > atPacket) {
                isStarted = true;
                isActive = true;
                isJudging = true;
                isPending = true;
                nextNs = nowNs;
            }
            if (isJudging) {
                fault.judge(packet, random);
            }
        }

        private void hit(final long nowNs) {
            hits++;
            history.add(nowNs, -1, -1, HistoryEvent.FAULT_HIT, index, packets);
        }

        void step(final long nowNs) {
            if (isBegun) {
                end(nowNs);
            } else {
                begin(nowNs);
            }
            lastHealNs = nowNs;
        }

        private void begin(final long nowNs) {
            history.add(nowNs, -1, -1, HistoryEvent.FAULT_START, index, 0);
            begins++;
            isBegun = true;
            isJudging = true;
            if (fault.begin(target)) {
                hit(nowNs);
            }
            if (timing instanceof Timing.Period period) {
                nextNs = nowNs + period.lastsNs();
            } else {
                isActive = false;
                isPending = false;
            }
        }

        private void end(final long nowNs) {
            assert timing instanceof Timing.Period : "nothing else ends: " + timing;
            final Timing.Period period = (Timing.Period) timing;
            history.add(nowNs, -1, -1, HistoryEvent.FAULT_END, index, 0);
            isBegun = false;
            fault.end(target);
            isPending = begins < period.times();
            isActive = isPending;
            isJudging = isPending;
            nextNs = nowNs + period.lastsNs();
        }
    }
}
