package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Draws;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Equal sockets of one node that send to another one as fast as they may, each to a socket of its own that is read at
 * once: how equally they are served. Who tries first is drawn anew each time, as threads have no order, or is the same
 * each time, as where one thread has them all; each sends one, or as many as are taken. Two bonds without faults,
 * virtual time, one thread, everything drawn from a seed.
 */
final class RdpFairness implements AutoCloseable {
    /** Of the most served, what the least served has at least. */
    static final double LEAST_SHARE = 0.9;

    private static final int FIRST_PORT = 100;
    private static final long WARM_NS = 5 * RdpScenario.MS;
    private static final long MEASURED_NS = 20 * RdpScenario.MS;
    private static final int MOST_ROUNDS = 64;

    private final RdpMutation mutation;
    private final SplittableRandom random;
    private final SimFabric fabric = RdpSimulation.fabric();
    private final RdpHost from;
    private final RdpHost to;
    private final List<RdpSocket> senders = new ArrayList<>();
    private final List<RdpSocket> receivers = new ArrayList<>();
    private final boolean isInOrder;
    private final boolean isGreedy;
    private final int[] served;
    private final ByteBuffer datagram;
    private final ByteBuffer target = ByteBuffer.allocate(12 << 10);
    private long nowNs = 1;

    private RdpFairness(final long seed, final RdpMutation mutation) {
        this.mutation = mutation;
        random = Draws.stream(seed, 4);
        final RdpConfig drawn = RdpScenario.draw(seed).config();
        final RdpScenario scenario = new RdpScenario(
                seed, 2, 1 + random.nextInt(2), 2 + random.nextInt(7), 0, 0, -1, 0, 500 * RdpScenario.MS, drawn,
                List.of());
        datagram = ByteBuffer.allocate(1 + random.nextInt(4_000));
        final SplittableRandom manners = Draws.stream(seed, 5);
        isInOrder = manners.nextBoolean();
        isGreedy = manners.nextInt(3) == 0;
        served = new int[scenario.sockets()];
        from = new RdpHost(scenario, 0, 0, fabric, mutation, nowNs);
        to = new RdpHost(scenario, 1, 0, fabric, mutation, nowNs);
        for (int i = 0; i < scenario.sockets(); i++) {
            senders.add(from.driver().bind(FIRST_PORT + i));
            receivers.add(to.driver().bind(FIRST_PORT + i));
        }
    }

    /** What the least served socket got of what the most served did. */
    static double run(final long seed, final RdpMutation mutation) {
        try (RdpFairness fairness = new RdpFairness(seed, mutation)) {
            fairness.run(WARM_NS);
            Arrays.fill(fairness.served, 0);
            fairness.run(MEASURED_NS);
            return fairness.share();
        }
    }

    private double share() {
        final int most = Arrays.stream(served).max().orElseThrow();
        if (most == 0) {
            throw new IllegalStateException("nobody is served, though nothing is wrong");
        }
        return (double) Arrays.stream(served).min().orElseThrow() / most;
    }

    private void run(final long lengthNs) {
        final long untilNs = nowNs + lengthNs;
        while (nowNs - untilNs < 0) {
            // They send whenever they may: there is always work, and time goes on after a while.
            int rounds = 0;
            while (turn() > 0 && rounds < MOST_ROUNDS) {
                rounds++;
            }
            long next = fabric.nextDeadlineNs();
            next = RdpHost.earlier(next, from.nextDeadlineNs());
            next = RdpHost.earlier(next, to.nextDeadlineNs());
            nowNs = next != Long.MAX_VALUE && next - nowNs > 0 ? next : nowNs + 1_000;
        }
    }

    private int turn() {
        // The sockets of this class are called in each round.
        from.stir();
        to.stir();
        int work = fabric.doWork(nowNs) + from.doWork(nowNs) + to.doWork(nowNs);
        final int first = isInOrder ? 0 : random.nextInt(senders.size());
        for (int k = 0; k < senders.size(); k++) {
            final int i = (first + k) % senders.size();
            final boolean isForgotten =
                    mutation == RdpMutation.SERVED_LESS && i == 0 && 2 * served[0] > served[1];
            if (!isForgotten) {
                work += send(i);
            }
            target.clear();
            while (receivers.get(i).receive(target) != null) {
                served[i]++;
                work++;
                target.clear();
            }
        }
        return work;
    }

    /** One datagram, or as many as are taken; how many that were. */
    private int send(final int sender) {
        final InetSocketAddress destination = new InetSocketAddress(RdpHost.alias(1), FIRST_PORT + sender);
        int sent = 0;
        while ((sent == 0 || isGreedy)
                && senders.get(sender).send(datagram.clear(), destination) == SendResult.SENT) {
            sent++;
        }
        return sent;
    }

    @Override
    public void close() {
        from.close();
        to.close();
        fabric.close();
    }
}
