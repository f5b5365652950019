package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Draws;
import io.vhca.rdp.common.RdpConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A run, drawn from its seed.
 *
 * @param nodes      hosts, each with a bond
 * @param members    of each bond
 * @param sockets    of each host
 * @param datagrams  that each socket sends to each socket of the other hosts
 * @param pauseNs    the longest pause of a socket between two datagrams to the same other one
 * @param slowNode   the host whose first socket reads nothing until {@code slowUntilNs}, -1 for none
 * @param recoveryNs how long a bond looks for another path
 */
record RdpScenario(
        long seed, int nodes, int members, int sockets, int datagrams, long pauseNs, int slowNode, long slowUntilNs,
        long recoveryNs, RdpConfig config, List<RdpFault> faults) {
    static final long MS = 1_000_000L;

    private static final int MOST_FAULTS = 3;
    private static final int KEY_STREAM = 4;
    private static final int KEY_PERCENT = 25;
    /** Enough for all that the sockets of a host name. */
    private static final int DIRECTED_MEMORY = 1 << 20;
    private static final long FIRST_NS = MS / 2;
    private static final long BUSY_NS = 200 * MS;
    private static final long LONGEST_PAUSE_NS = 4 * MS;

    static RdpScenario draw(final long seed) {
        final SplittableRandom random = Draws.stream(seed, 1);
        final SplittableRandom inPlace = Draws.stream(seed, 2);
        final SplittableRandom directed = Draws.stream(seed, 3);
        final int nodes = 2 + random.nextInt(2);
        final int members = 1 + random.nextInt(2);
        final int sockets = 1 + random.nextInt(3);
        final long recoveryNs = (300 + random.nextInt(700)) * MS;
        final int credits = 6 + random.nextInt(11);
        final long heartbeatNs = (20 + random.nextInt(100)) * MS;
        final RdpConfig config = new RdpConfig(
                List.of(256, 1_024, 4_096), credits, 4 + random.nextInt(5), 16 + random.nextInt(48),
                (12 + random.nextInt(36)) << 10, 12 << 10, 50 + random.nextInt(40), random.nextInt(40), 64L << 20,
                heartbeatNs, 2 * recoveryNs + 10 * heartbeatNs, 2 * heartbeatNs, 2 * recoveryNs + 2_000 * MS,
                RdpConfig.DEFAULT_PORT, 8, inPlace.nextInt(6_000),
                Draws.percent(directed, 50) ? DIRECTED_MEMORY : (8 + inPlace.nextInt(64)) << 10);
        final List<RdpFault> faults = new ArrayList<>();
        for (int i = random.nextInt(MOST_FAULTS + 1); i > 0; i--) {
            faults.add(fault(random, nodes, members, recoveryNs, faults));
        }
        final boolean isSlow = Draws.percent(random, 40);
        return new RdpScenario(
                seed, nodes, members, sockets, 10 + random.nextInt(50), random.nextLong(LONGEST_PAUSE_NS),
                isSlow ? random.nextInt(nodes) : -1, (50 + random.nextInt(500)) * MS, recoveryNs, config,
                List.copyOf(faults));
    }

    private static RdpFault fault(
            final SplittableRandom random, final int nodes, final int members, final long recoveryNs,
            final List<RdpFault> before) {
        RdpFault.Kind kind = RdpFault.Kind.values()[random.nextInt(RdpFault.Kind.values().length)];
        if (before.stream().anyMatch(fault -> fault.kind() == RdpFault.Kind.PROCESS_DEATH)) {
            // A second death would need more ports than the fabric has.
            kind = kind == RdpFault.Kind.PROCESS_DEATH ? RdpFault.Kind.HOST_CUT : kind;
        }
        final long beginNs = Draws.logUniform(random, FIRST_NS, BUSY_NS);
        // Now and then longer than a bond looks for another path.
        final long lengthNs = Draws.logUniform(random, MS, 4 * recoveryNs);
        return new RdpFault(
                kind, random.nextInt(nodes), random.nextInt(members), 20 + random.nextInt(200), beginNs,
                beginNs + lengthNs);
    }

    /** Whether the bonds have a key in common, which leaves less room in their private data. */
    boolean hasKey() {
        return Draws.percent(Draws.stream(seed, KEY_STREAM), KEY_PERCENT);
    }

    /** Whether sockets name memory for some of the datagrams. */
    boolean isDirected() {
        return config.maxRegisteredMemory() == DIRECTED_MEMORY;
    }

    /** What the drivers are made with. */
    RdpConfig config(final RdpMutation mutation) {
        return mutation != RdpMutation.REOPENED_EARLY ? config : new RdpConfig(
                config.sizeClasses(), config.dataRecvBuffers(), config.ctrlRecvBuffers(), config.dataSendBuffers(),
                config.userBufferSize(), config.maxMessageBytes(), config.highMarkPercent(),
                config.lowMarkPercent(), config.maxRecvMemory(), config.heartbeatNs(), config.nodeTimeoutNs(), 0,
                config.connectTimeoutNs(), config.port(), config.maxNodes(), config.inPlaceBytes(),
                config.maxRegisteredMemory());
    }

    /** When everything is whole again. */
    long healedNs() {
        long last = slowNode < 0 ? 0 : slowUntilNs;
        for (final RdpFault fault : faults) {
            last = Math.max(last, fault.endNs());
        }
        return last;
    }

    String describe() {
        return "seed " + seed + ": " + nodes + " nodes, " + members + " members, " + sockets + " sockets, " + datagrams
                + " datagrams a pair, pauses up to " + pauseNs / 1_000
                + " us, slow " + slowNode + " until " + slowUntilNs / MS + " ms, recovery "
                + recoveryNs / MS + " ms" + (hasKey() ? ", a key" : "") + "\n  " + config + "\n  " + faults;
    }
}
