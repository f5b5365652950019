package io.vhca.harness.sim;

import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.LedgerMode;
import java.util.List;

/**
 * Everything that one run is made of, drawn from its seed.
 *
 * @param isBond            the bond over several members; else one soft RNIC a side
 * @param leftMembers       devices of the left side
 * @param rightMembers      devices of the right side
 * @param mtuBytes          payload of a packet
 * @param latencyNs         of the fabric
 * @param bytesPerUs        rate of a port, 0 without limit
 * @param startNs           virtual time at the start
 * @param ackTimeout        local ack timeout, 4.096 us * 2^ackTimeout
 * @param retryCnt          retries
 * @param recoveryTimeoutNs how long the bond tries without a path
 * @param maxPollNs         longest time between two polls of a busy application
 * @param isSharedCq        one CQ for all of a side's QPs; else one each for sends and receives of every QP
 * @param hasDatagrams      UD queue pairs besides
 * @param hasMixedMtus      each member has an MTU of its own
 * @param mustSurvive       no queue pair may fail
 */
record Scenario(
        long seed,
        boolean isBond,
        int leftMembers,
        int rightMembers,
        int mtuBytes,
        long latencyNs,
        int bytesPerUs,
        long startNs,
        int ackTimeout,
        int retryCnt,
        long recoveryTimeoutNs,
        long maxPollNs,
        boolean isSharedCq,
        boolean hasDatagrams,
        boolean hasMixedMtus,
        boolean mustSurvive,
        List<QpScenario> qps,
        List<Fault> faults) {
    private static final int LEDGER_KEY = 2_001;
    private static final int CONFIRM_KEY = 2_003;
    private static final int WRITE_REPLAY_KEY = 2_002;
    private static final int ATOMICS_KEY = 2_004;
    private static final int SRQ_KEY = 2_010;
    private static final int CHURN_KEY = 2_012;
    private static final int PAUSE_KEY = 2_013;
    private static final int EVENTS_KEY = 2_014;
    private static final int ENDING_KEY = 2_015;
    private static final int DATAGRAM_KEY = 2_016;
    private static final int MTU_KEY = 2_101;

    int members(final Side side) {
        return side == Side.LEFT ? leftMembers : rightMembers;
    }

    /** How often marks follow one-sided requests. */
    LedgerMode ledger() {
        return LedgerMode.values()[Math.floorMod(Content.key(seed, LEDGER_KEY), LedgerMode.values().length)];
    }

    /** True where success completions wait for the peer's bond. */
    boolean confirms() {
        return isBond && confirms(seed);
    }

    static boolean confirms(final long seed) {
        return Math.floorMod(Content.key(seed, CONFIRM_KEY), 3) == 0;
    }

    /** False where a queue pair fails rather than write again what may have been written. */
    boolean mayReplayWrites() {
        return mustSurvive || mayReplayWrites(seed);
    }

    static boolean mayReplayWrites(final long seed) {
        return Math.floorMod(Content.key(seed, WRITE_REPLAY_KEY), 10) != 0;
    }

    /** Who executes atomics. */
    AtomicsMode atomics() {
        return isBond ? atomics(seed) : AtomicsMode.NATIVE;
    }

    static AtomicsMode atomics(final long seed) {
        return Math.floorMod(Content.key(seed, ATOMICS_KEY), 8) == 0 ? AtomicsMode.NATIVE : AtomicsMode.EMULATED;
    }

    /** Receives of the SRQ that all queue pairs of a side share; 0 where each has its own. */
    int sharedReceives(final Side side) {
        final int drawn = Math.floorMod(Content.key(seed, SRQ_KEY + side.ordinal()), 100);
        return drawn >= 25 ? 0 : 1 << drawn % 6;
    }

    /** True where memory is registered anew while the peer addresses it. */
    boolean changesKeys() {
        return Math.floorMod(Content.key(seed, CHURN_KEY), 3) == 0;
    }

    /** True where queue pairs are moved to SQD and back under traffic. */
    boolean pausesSends() {
        return isBond && Math.floorMod(Content.key(seed, PAUSE_KEY), 4) == 0;
    }

    /** Payload of a packet of one member; in one scenario of four they differ. */
    int mtuBytes(final Side side, final int member) {
        if (!hasMixedMtus) {
            return mtuBytes;
        }
        final long drawn = Content.key(seed, MTU_KEY + 8 * side.ordinal() + member);
        return ScenarioDraw.MTUS[Math.floorMod(drawn, ScenarioDraw.MTUS.length)];
    }

    /** The largest payload that every member takes at any time. */
    int leastMtuBytes() {
        int least = has(FaultKind.MTU_CHANGE) ? ScenarioDraw.MTUS[0] : mtuBytes(Side.LEFT, 0);
        for (final Side side : Side.BOTH) {
            for (int member = 0; member < members(side); member++) {
                least = Math.min(least, mtuBytes(side, member));
            }
        }
        return least;
    }

    static boolean hasMixedMtus(final long seed) {
        return Math.floorMod(Content.key(seed, MTU_KEY - 1), 4) == 0;
    }

    /** UD queue pairs of a side, beside its connections: none on both sides, or one or two on each. */
    int datagramQps(final Side side) {
        return hasDatagrams ? 1 + (int) (Content.key(seed, DATAGRAM_KEY) >>> 8 + side.ordinal() & 1) : 0;
    }

    static boolean hasDatagrams(final long seed) {
        return Math.floorMod(Content.key(seed, DATAGRAM_KEY), 100) < 40;
    }

    /** Sends and receives that each of them holds. */
    int datagramDepth() {
        return 2 + Math.floorMod(Content.key(seed, DATAGRAM_KEY + 1), 15);
    }

    /** What is done once all work is. */
    Ending ending() {
        final Ending drawn = Ending.of(Math.floorMod(Content.key(seed, ENDING_KEY), 100));
        return isBond || !drawn.isInRecovery() ? drawn : Ending.QUIET;
    }

    /** True where applications poll only when a completion channel wakes them. */
    boolean isEventDriven() {
        return Math.floorMod(Content.key(seed, EVENTS_KEY), 4) == 0;
    }

    /** True where every message is a solicited one, and receivers let nothing else wake them. */
    boolean isSolicited() {
        return !isSharedCq && isSolicited(seed);
    }

    static boolean isSolicited(final long seed) {
        return (Content.key(seed, EVENTS_KEY) >>> 32 & 1) == 0;
    }

    /** True where each pair of members has a network of its own, with no way from one to another. */
    boolean isSplit() {
        return isBond && (seed >>> 2 & 3) == 0;
    }

    /** True where packets pass between these members while nothing is broken. */
    boolean isRouted(final int member, final int peerMember) {
        return !isSplit() || member == peerMember;
    }

    /** The same scenario whose faults begin with the first packet that they can strike. */
    Scenario withFaultsAtOnce() {
        return withFaults(faults.stream().map(Fault::atOnce).toList());
    }

    /** The same scenario under other faults, which it must survive as it must those that were drawn. */
    Scenario withFaults(final List<Fault> others) {
        return new Scenario(
                seed, isBond, leftMembers, rightMembers, mtuBytes, latencyNs, bytesPerUs, startNs, ackTimeout, retryCnt,
                recoveryTimeoutNs, maxPollNs, isSharedCq, hasDatagrams, hasMixedMtus, mustSurvive, qps,
                List.copyOf(others));
    }

    /** Local ack timeout in ns. */
    long ackTimeoutNs() {
        return 4_096L << ackTimeout;
    }

    /** Time without an answer until RETRY_EXC, as the specification computes it. */
    long retryBudgetNs() {
        return (retryCnt + 1) * ackTimeoutNs();
    }

    /** True where a fault of that kind is among those drawn. */
    boolean has(final FaultKind kind) {
        for (final Fault fault : faults) {
            if (fault.kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /** True where that member acknowledges messages before it places them. */
    boolean acksBeforePlacing(final Side side, final int member) {
        for (final Fault fault : faults) {
            if (fault.kind() == FaultKind.ACK_BEFORE_PLACEMENT
                    && fault.side() == side.ordinal()
                    && fault.member() == member) {
                return true;
            }
        }
        return false;
    }

    /** The configuration as several lines. */
    String describe() {
        final StringBuilder text = new StringBuilder(1024);
        text.append("seed ")
                .append(seed)
                .append(isBond ? ": bond, " : ": soft RNIC alone, ")
                .append(leftMembers)
                .append('+')
                .append(rightMembers).append(" members").append(isSplit() ? " on separate networks" : "")
                .append(", MTU ").append(mtuBytes).append(hasMixedMtus ? " or others" : "")
                .append(", latency ").append(latencyNs)
                .append(" ns, ").append(bytesPerUs == 0 ? "no rate limit" : bytesPerUs + " bytes/us").append(", start ")
                .append(startNs).append(" ns\n  ack timeout ").append(ackTimeoutNs() / 1_000).append(" us, retries ")
                .append(retryCnt).append(", recovery timeout ").append(recoveryTimeoutNs / 1_000_000)
                .append(" ms, polls up to every ").append(maxPollNs).append(" ns, ")
                .append(isSharedCq ? "one CQ a side" : "CQs of their own")
                .append(", ledger ").append(ledger().text())
                .append(confirms() ? ", confirmed by the peer" : "")
                .append(", atomics ").append(atomics().text())
                .append(sharedReceives(Side.LEFT) == 0 ? "" : ", SRQ of " + sharedReceives(Side.LEFT) + " left")
                .append(sharedReceives(Side.RIGHT) == 0 ? "" : ", SRQ of " + sharedReceives(Side.RIGHT) + " right")
                .append(changesKeys() ? ", keys change" : "")
                .append(pausesSends() ? ", sends pause" : "")
                .append(datagramQps(Side.LEFT) == 0 ? ""
                        : ", datagrams " + datagramQps(Side.LEFT) + "+" + datagramQps(Side.RIGHT))
                .append(isEventDriven() ? isSolicited() ? ", woken by solicited events" : ", woken by events" : "")
                .append(", ends ").append(ending())
                .append(mayReplayWrites() ? "" : ", no WRITE in doubt is replayed")
                .append(mustSurvive ? ", must survive" : ", may fail")
                .append('\n');
        for (int i = 0; i < qps.size(); i++) {
            text.append("  qp ").append(i).append(": ").append(qps.get(i)).append('\n');
        }
        for (final Fault fault : faults) {
            text.append("  fault: ").append(fault).append('\n');
        }
        return text.toString();
    }
}
