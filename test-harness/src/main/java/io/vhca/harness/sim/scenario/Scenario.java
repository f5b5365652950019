package io.vhca.harness.sim.scenario;

import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.recovery.WriteReplay;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one run is made of; the run follows from it alone. {@link ScenarioDraw} draws it from a seed,
 * {@link #describe} shows all of it but the single operations, and the shrinker makes it smaller.
 *
 * @param seed           what random numbers during the run derive from
 * @param bonds          configuration of both bonds; null for one soft RNIC a side
 * @param maxPollNs      longest time between two polls of a busy application
 * @param sharedReceives receives of the SRQ that all queue pairs of a side share; 0 where each has its own
 * @param datagrams      UD queue pairs beside the connections
 * @param ending         what is done once all work is
 * @param lives          how often each connection is made and does its work, once the one before is done
 * @param qps            the connections
 */
public record Scenario(
        long seed,
        Network network,
        Transport transport,
        @Nullable PerSide<BondOptions> bonds,
        Set<Trait> traits,
        long maxPollNs,
        PerSide<Integer> sharedReceives,
        DatagramQps datagrams,
        Ending ending,
        int lives,
        List<QpScenario> qps,
        List<TimedFault> faults) {
    /** Retries of a packet before its queue pair fails, less one for a loss that the packet brings about itself. */
    private static final int SURVIVABLE_LOSSES = 5;

    public boolean isBond() {
        return bonds != null;
    }

    public int members(final Side side) {
        return network.members(side);
    }

    public boolean has(final Trait trait) {
        return traits.contains(trait);
    }

    /** True where packets may overtake others of their sender. */
    public boolean reorders() {
        return faults.stream().anyMatch(timed -> timed.fault().reorders());
    }

    /** True where a fault costs that. */
    public boolean has(final Damage damage) {
        return faults.stream().anyMatch(timed -> timed.fault().damage() == damage);
    }

    /** True where a fault has that effect. */
    public boolean has(final Effect effect) {
        return faults.stream().anyMatch(timed -> timed.fault().effects().contains(effect));
    }

    /**
     * True where nothing may make queue pairs move: strangers and short pauses do not, nor the bonds' modes, nor an
     * application that ends a connection before its peer has heard that the work is done. Who looks elsewhere for a
     * queue pair that was ended without a word takes those along that share its receives.
     */
    public boolean mustNotMove() {
        return bonds != null
                && lives == 1
                && !has(Trait.OUT_OF_BAND)
                && EarlyEnd.of(this).stream().noneMatch(this::isUnsaid)
                && Side.BOTH.stream().allMatch(side -> bonds.of(side).config().mode() == BondMode.ACTIVE_BACKUP)
                && faults.stream().allMatch(timed -> timed.fault().effects().contains(Effect.NOTHING_MAY_MOVE));
    }

    /**
     * Its peer looks elsewhere for the queue pair, and others with it. Where no connection stands by the end of one may
     * come before the word that its queue pair is gone.
     */
    private boolean isUnsaid(final EarlyEnd end) {
        final boolean isLookedFor = end.kind().isUnsaid()
                || end.kind().isForgetful() && !Side.BOTH.stream().allMatch(this::standsBy);
        return isLookedFor && sharedReceives.of(end.side().other()) > 0;
    }

    private boolean standsBy(final Side side) {
        return bonds != null && bonds.of(side).config().standsBy() && !has(Trait.oldBond(side));
    }

    /** True where that member acknowledges messages before it places them. */
    public boolean hasEarlyAcks(final Side side, final int member) {
        return faults.stream().anyMatch(timed -> timed.fault().needsEarlyAcks(side, member));
    }

    /** True where success completions wait for the peer's bond. */
    public boolean isConfirming() {
        return bonds != null && bonds.left().config().confirm() == ConfirmMode.PEER;
    }

    /** False where a queue pair fails rather than write again what may have been written. */
    public boolean mayReplayWrites() {
        return bonds == null || bonds.left().config().writeReplay() == WriteReplay.REPLAY;
    }

    /** How often marks follow one-sided requests. */
    public LedgerMode ledger() {
        return bonds == null ? LedgerMode.OFF : bonds.left().config().ledger();
    }

    /** Who executes atomics. */
    public AtomicsMode atomics() {
        return bonds == null ? AtomicsMode.NATIVE : bonds.left().config().atomics();
    }

    /** What bonds have to find a path again; nothing without one. */
    public long recoveryTimeoutNs() {
        return bonds == null
                ? 0
                : Math.max(bonds.left().config().recoveryTimeoutNs(), bonds.right().config().recoveryTimeoutNs());
    }

    /** The largest payload that every member takes at any time. */
    public int leastMtuBytes() {
        return has(Effect.SMALLEST_MTU) ? Network.LEAST_MTU : network.leastMtuBytes();
    }

    /** True where receivers let nothing but solicited messages wake them. */
    public boolean isSolicited() {
        return has(Trait.SOLICITED) && !has(Trait.ONE_CQ);
    }

    /** True where packets pass between these members while nothing is broken. */
    public boolean isRouted(final int member, final int peerMember) {
        return !has(Trait.SEPARATE_NETWORKS) || member == peerMember;
    }

    /** True where the contract says that no queue pair fails. */
    public boolean mustSurvive() {
        if (isBond() && (!mayReplayWrites() || atomics() == AtomicsMode.NATIVE && hasAtomics())) {
            return false;
        }
        int losses = 0;
        for (final TimedFault timed : faults) {
            final boolean isSurvived = switch (timed.fault().damage()) {
                case NONE, PACKETS -> true;
                case PATH -> isBond();
                case ACKNOWLEDGED_DATA -> isConfirming();
                case PROCESS -> false;
            };
            if (!isSurvived) {
                return false;
            }
            if (timed.fault().damage() == Damage.PACKETS && timed.timing() instanceof Timing.Packets packets) {
                losses += packets.count();
            }
        }
        return isBond() || losses <= SURVIVABLE_LOSSES;
    }

    /** What the queue pair of a connection has room for: where it comes to serve others, what any of them needs. */
    public QpScenario roomOf(final int index) {
        final QpScenario own = qps.get(index);
        if (!has(Trait.OUT_OF_BAND)) {
            return own;
        }
        int sendDepth = 0;
        int recvDepth = 0;
        int maxInline = 0;
        int maxSge = 0;
        for (final QpScenario one : qps) {
            sendDepth = Math.max(sendDepth, one.sendDepth());
            recvDepth = Math.max(recvDepth, one.recvDepth());
            maxInline = Math.max(maxInline, one.maxInline());
            maxSge = Math.max(maxSge, one.maxSge());
        }
        return new QpScenario(sendDepth, recvDepth, maxInline, maxSge, own.isSignalAll(), own.plans());
    }

    /** True where any of the operations is an atomic. */
    boolean hasAtomics() {
        return qps.stream().flatMap(qp -> qp.plans().stream()).anyMatch(plan -> plan.atomics().isUsed());
    }

    /** The same scenario whose faults begin with the first packet that they can strike. */
    public Scenario withFaultsAtOnce() {
        return withFaults(faults.stream().map(TimedFault::atOnce).toList());
    }

    public Scenario withFaults(final List<TimedFault> others) {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, sharedReceives, datagrams, ending, lives, qps,
                List.copyOf(others));
    }

    public Scenario withQps(final List<QpScenario> others) {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, sharedReceives, datagrams, ending, lives,
                List.copyOf(others), faults);
    }

    public Scenario withBonds(final PerSide<BondOptions> others) {
        return new Scenario(
                seed, network, transport, others, traits, maxPollNs, sharedReceives, datagrams,
                ending, lives, qps, faults);
    }

    public Scenario without(final Trait trait) {
        final Set<Trait> others = EnumSet.noneOf(Trait.class);
        others.addAll(traits);
        others.remove(trait);
        return new Scenario(
                seed, network, transport, bonds, Collections.unmodifiableSet(others), maxPollNs, sharedReceives,
                datagrams, ending, lives, qps, faults);
    }

    /** The same with receives of each queue pair's own. */
    public Scenario withoutSharedReceives() {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, PerSide.both(0), datagrams,
                ending, lives, qps, faults);
    }

    public Scenario withoutDatagrams() {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, sharedReceives, DatagramQps.NONE,
                ending, lives, qps, faults);
    }

    /** The same where each connection is made once. */
    public Scenario withOneLife() {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, sharedReceives, datagrams, ending, 1, qps, faults);
    }

    /** The same where both applications disconnect in the end. */
    public Scenario withQuietEnding() {
        return new Scenario(
                seed, network, transport, bonds, traits, maxPollNs, sharedReceives, datagrams, Ending.QUIET, lives, qps,
                faults);
    }

    /** All of it as several lines. */
    public String describe() {
        final StringBuilder text = new StringBuilder(1024);
        text.append("seed ").append(seed).append(isBond() ? ": bonds, " : ": soft RNICs alone, ")
                .append(network.members(Side.LEFT)).append('+').append(network.members(Side.RIGHT))
                .append(" members").append(mustSurvive() ? ", must survive" : ", may fail")
                .append("\n  network: ").append(network)
                .append("\n  transport: ").append(transport)
                .append("\n  applications: poll up to every ").append(maxPollNs).append(" ns, SRQs of ")
                .append(sharedReceives).append(", ").append(datagrams).append(", ").append(lives)
                .append(lives == 1 ? " life" : " lives").append(", end ").append(ending)
                .append("\n  traits: ").append(traits).append('\n');
        if (bonds != null) {
            for (final Side side : Side.BOTH) {
                text.append("  ").append(side.label()).append(" bond: ").append(bonds.of(side)).append('\n');
            }
        }
        for (int i = 0; i < qps.size(); i++) {
            text.append("  qp ").append(i).append(": ").append(qps.get(i)).append('\n');
        }
        if (has(Trait.OWN_MISTAKE)) {
            text.append("  mistake: ").append(OwnMistake.of(this)).append('\n');
        }
        for (final EarlyEnd end : EarlyEnd.of(this)) {
            text.append("  ends: ").append(end).append('\n');
        }
        for (final TimedFault fault : faults) {
            text.append("  fault: ").append(fault).append('\n');
        }
        return text.toString();
    }
}
