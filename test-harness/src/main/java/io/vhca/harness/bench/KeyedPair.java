package io.vhca.harness.bench;

import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.Journal;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Two bonds of two soft RNICs each on a simulated fabric, in one thread: what a step costs is processor time alone, of
 * both ends, devices included. Virtual time.
 */
final class KeyedPair implements AutoCloseable {
    private static final long MS = 1_000_000;
    private static final int MTU = 1_024;
    private static final int HEADER_ROOM = 96;
    private static final int MEMBERS = 2;
    private static final int PORT = 5_000;
    private static final long BOUND_NS = 10_000 * MS;

    private final SimFabric fabric = new SimFabric(new FabricConfig(MTU + HEADER_ROOM, 1_024, 1_000, 0));
    private final List<SoftContext> devices = new ArrayList<>();
    private final FabricPort[] ports = new FabricPort[MEMBERS];
    private final KeyedEnd asking;
    private final KeyedEnd asked;
    private final CmId listener;
    private long nowNs = 1;

    KeyedPair(final Optional<String> keyFile) {
        asking = new KeyedEnd(bond(0, keyFile));
        asked = new KeyedEnd(bond(1, keyFile));
        listener = asked.channel().createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(address(1, 0), PORT));
        listener.listen(8);
        connect(1); // what bonds do once
    }

    private BondContext bond(final int side, final Optional<String> keyFile) {
        final SplittableRandom random = new SplittableRandom(side + 1);
        final List<Context> members = new ArrayList<>();
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            final FabricPort port = fabric.addPort(Gid.of(address(side, i)), MTU + HEADER_ROOM);
            if (side == 0) {
                ports[i] = port;
            }
            names.add((side == 0 ? "left" : "right") + i);
            final SoftContext context = SoftDevice.driven(
                            names.getLast(), side * 16 + i + 1, () -> port,
                            new SoftNicConfig().seed(random.nextLong()).portCheckIntervalNs(0), CmConfig.DEFAULT,
                            random.split())
                    .open();
            context.doWork(nowNs);
            devices.add(context);
            members.add(context);
        }
        final BondConfig config = BondConfig.builder("bond0")
                .members(names)
                .ackTimeout(10)
                .retryCnt(2)
                .set(BondOption.AUTH_KEY_FILE, keyFile)
                .build();
        return new BondContext(new BondDevice(config), config, members, Journal.NONE, random.split());
    }

    private static InetAddress address(final int side, final int member) {
        return InetAddress.ofLiteral("10." + member + ".0." + (side + 1));
    }

    private int established() {
        return asking.established() + asked.established();
    }

    /** Makes connections one after the other; nanoseconds of the processor for each. */
    double connect(final int count) {
        final long startNs = processorNs();
        for (int i = 0; i < count; i++) {
            final int before = established();
            asking.channel()
                    .createId(CmPortSpace.TCP, null)
                    .resolveAddr(null, new InetSocketAddress(address(1, 0), PORT), 1_000);
            runUntil(() -> established() == before + 2, "a connection");
        }
        return (double) (processorNs() - startNs) / count;
    }

    /** Disconnects all connections but one. */
    void keepOne() {
        for (final KeyedEnd end : List.of(asking, asked)) {
            end.keepOne();
        }
        runFor(50 * MS);
    }

    /** Lets the connection that is left fail over; nanoseconds of the processor for each time. */
    double failOver(final int count) {
        long spentNs = 0;
        for (int i = 0; i < count; i++) {
            final int member = i % MEMBERS;
            final int before = asking.bond().failovers().size();
            final long startNs = processorNs();
            ports[member].up(false);
            runUntil(() -> asking.bond().failovers().size() > before, "a failover");
            spentNs += processorNs() - startNs;
            ports[member].up(true);
            runFor(200 * MS);
        }
        return (double) spentNs / count;
    }

    /** Of this thread, which does all: what others do on the machine does not count. */
    private static long processorNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void runFor(final long durationNs) {
        final long endNs = nowNs + durationNs;
        while (nowNs - endNs < 0) {
            turn();
            nowNs = Math.min(endNs, next());
        }
        turn();
    }

    private void runUntil(final BooleanSupplier isDone, final String what) {
        final long endNs = nowNs + BOUND_NS;
        turn();
        while (!isDone.getAsBoolean()) {
            nowNs = next();
            if (nowNs - endNs > 0) {
                throw new IllegalStateException(what + " does not come about");
            }
            turn();
        }
    }

    private void turn() {
        int work;
        do {
            work = fabric.doWork(nowNs) + asking.doWork(nowNs) + asked.doWork(nowNs);
            for (final SoftContext device : devices) {
                work += device.doWork(nowNs);
            }
        } while (work > 0);
    }

    private long next() {
        long next = Math.min(
                fabric.nextDeadlineNs(), Math.min(asking.bond().nextDeadlineNs(), asked.bond().nextDeadlineNs()));
        for (final SoftContext device : devices) {
            next = Math.min(next, device.nextDeadlineNs());
        }
        return Math.max(nowNs + 1, next);
    }

    @Override
    public void close() {
        asking.close();
        listener.close();
        asked.close();
        fabric.close();
    }
}
