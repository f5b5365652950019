package io.vhca.harness.bench;

import io.vhca.api.Context;
import io.vhca.api.Uninterrupted;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.FailoverReport;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Two bonds of two soft devices each, with all the threads that they have in an application, on this host's loopback
 * addresses: what a step costs is the time that it takes. One thread connects, another accepts.
 */
final class KeyedDevices implements AutoCloseable {
    private static final int PORT = 5_000;
    private static final int MTU = 1_024;
    private static final int TURN_MS = 20;
    private static final long LOOK_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(60);
    /** Until both ends have seen that a port is up again. */
    private static final long HEAL_NS = TimeUnit.MILLISECONDS.toNanos(40);

    private final InetAddress[] addresses = new InetAddress[4];
    private final List<SoftDevice> devices = new ArrayList<>();
    private final KeyedEnd asking;
    private final KeyedEnd asked;
    private final CmId listener;
    private final Thread accepting;
    private volatile boolean isOver;

    /** @param subnet tells the addresses of this pair from those of another: 127.79.SUBNET.1 to 4 */
    KeyedDevices(final int subnet, final Optional<String> keyFile) {
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = InetAddress.ofLiteral("127.79." + subnet + "." + (i + 1));
            devices.add(SoftDevice.overUdp(new SoftConfig("key" + subnet + "-" + i, addresses[i], MTU)));
        }
        asking = new KeyedEnd(bond(0, keyFile));
        asked = new KeyedEnd(bond(1, keyFile));
        listener = asked.channel().createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(addresses[2], PORT));
        listener.listen(8);
        accepting = Thread.ofPlatform().name("accepting").start(() -> {
            while (!isOver) {
                asked.next(TURN_MS);
            }
        });
        connect(1); // what bonds do once
    }

    private BondContext bond(final int side, final Optional<String> keyFile) {
        final List<SoftDevice> own = devices.subList(2 * side, 2 * side + 2);
        final BondConfig config = BondConfig.builder("bond0")
                .members(own.stream().map(SoftDevice::name).toList())
                .set(BondOption.AUTH_KEY_FILE, keyFile)
                .build();
        final List<Context> opened = new ArrayList<>();
        own.forEach(device -> opened.add(device.open()));
        final BondContext bond = new BondContext(
                new BondDevice(config), config, opened, Journal.NONE, new SplittableRandom(System.nanoTime()));
        bond.startAgent();
        return bond;
    }

    /** Makes connections one after the other; nanoseconds for each. */
    double connect(final int count) {
        final long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            final int before = asking.established();
            asking.channel()
                    .createId(CmPortSpace.TCP, null)
                    .resolveAddr(null, new InetSocketAddress(addresses[2], PORT), 1_000);
            while (asking.established() == before) {
                asking.next(TURN_MS);
                within(startNs, "a connection");
            }
        }
        return (double) (System.nanoTime() - startNs) / count;
    }

    /** Disconnects all connections but one, of this end; its peer's are its application's. */
    void keepOne() {
        asking.keepOne();
    }

    /** Lets the connection that is left fail over; nanoseconds from when it is known to when all goes on. */
    double failOver(final int count) {
        long spentNs = 0;
        for (int i = 0; i < count; i++) {
            final int before = asking.bond().failovers().size();
            final SoftDevice device = inUse();
            device.setPortUp(false);
            await(() -> asking.bond().failovers().size() > before, "a failover");
            final FailoverReport report = asking.bond().failovers().getLast();
            spentNs += report.fenceNs() + report.connectNs() + report.replayNs();
            device.setPortUp(true);
            final long healedNs = System.nanoTime();
            await(() -> System.nanoTime() - healedNs > HEAL_NS, "the time of a look at a port");
        }
        return (double) spentNs / count;
    }

    /** Where the last failover led, which on a busy machine nobody may have asked for. */
    private SoftDevice inUse() {
        final List<FailoverReport> failovers = asking.bond().failovers();
        final SoftDevice second = devices.get(1);
        return !failovers.isEmpty() && failovers.getLast().toPath().startsWith(second.name() + " ")
                ? second
                : devices.getFirst();
    }

    private static void await(final BooleanSupplier isDone, final String what) {
        final long startNs = System.nanoTime();
        while (!isDone.getAsBoolean()) {
            LockSupport.parkNanos(LOOK_NS);
            within(startNs, what);
        }
    }

    private static void within(final long startNs, final String what) {
        if (System.nanoTime() - startNs > BOUND_NS) {
            throw new IllegalStateException(what + " does not come about");
        }
    }

    @Override
    public void close() {
        isOver = true;
        Uninterrupted.await(accepting::join);
        asking.close();
        listener.close();
        asked.close();
    }
}
