package io.vhca.harness.rdp;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.member.MemberSource;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.OpenDevice;
import io.vhca.harness.sim.host.KeyOfScenario;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.rdp.RdpDriver;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** One life of a simulated host: devices on the fabric, a bond over them, a driver over that. */
final class RdpHost {
    static final int MTU = 1024;
    static final int HEADER_ROOM = 96;
    private static final int MOST_NODES = 3;
    private static final int ALIAS = 9;
    private static final List<InetAddress> ALIASES =
            IntStream.range(0, MOST_NODES).mapToObj(node -> address(node, ALIAS)).toList();

    private final List<FabricPort> ports = new ArrayList<>();
    private final List<SoftContext> contexts = new ArrayList<>();
    private final BondContext bond;
    private final RdpScenario scenario;
    private final RdpMutation mutation;
    private final SplittableRandom random;
    private RdpDriver driver;
    private int life;
    private boolean isDriverClosed;
    private boolean isDead;
    private boolean isStirred = true;
    /** When bond and driver want their next turn by themselves; stands while nothing stirs them. */
    private long ownDeadlineNs = Long.MAX_VALUE;

    RdpHost(
            final RdpScenario scenario, final int node, final int life, final SimFabric fabric,
            final RdpMutation mutation, final long nowNs) {
        this.scenario = scenario;
        this.mutation = mutation;
        this.life = life;
        random = Draws.stream(scenario.seed(), 10 + 8 * life + node);
        final List<String> names = new ArrayList<>();
        for (int member = 0; member < scenario.members(); member++) {
            final FabricPort port = fabric.addPort(Gid.of(address(node, member)), MTU + HEADER_ROOM);
            final String name = "n" + node + "m" + member;
            final SoftContext context = SoftDevice.driven(
                            name, node * 16L + member + 1, () -> port,
                            new SoftNicConfig().seed(random.nextLong()).portCheckIntervalNs(0), CmConfig.DEFAULT,
                            random.split())
                    .open();
            context.doWork(nowNs);
            ports.add(port);
            contexts.add(context);
            names.add(name);
        }
        final Map<InetAddress, List<InetAddress>> peers = new HashMap<>();
        for (int other = 0; other < scenario.nodes(); other++) {
            final List<InetAddress> members = new ArrayList<>();
            for (int member = 0; member < scenario.members(); member++) {
                members.add(address(other, member));
            }
            if (other != node) {
                peers.put(alias(other), members);
            }
        }
        try (KeyOfScenario key = new KeyOfScenario(scenario.seed(), scenario.hasKey())) {
            final BondConfig config = BondConfig.builder("bond0")
                    .members(names)
                    .alias(alias(node))
                    .peers(peers)
                    .ackTimeout(10)
                    .retryCnt(2)
                    .recoveryTimeoutNs(scenario.recoveryNs())
                    .set(BondOption.AUTH_KEY_FILE, key.file())
                    .build();
            bond = new BondContext(
                    OpenDevice.bond(node), config, List.copyOf(contexts), new NoMoreDevices(), Journal.NONE,
                    random.split(), RewindPlan::of);
        }
        driver = open(nowNs);
    }

    private RdpDriver open(final long nowNs) {
        return RdpDriver.driven(TamperedDevice.of(bond, mutation), scenario.config(mutation), random.split(), nowNs);
    }

    /** The driver ends, with its sockets; the bond stays. */
    void closeDriver() {
        driver.close();
        isDriverClosed = true;
    }

    /** Another driver on the same bond. */
    void reopenDriver(final int nextLife, final long nowNs) {
        life = nextLife;
        driver = open(nowNs);
        isDriverClosed = false;
    }

    boolean isDriverClosed() {
        return isDriverClosed;
    }

    static InetAddress alias(final int node) {
        return ALIASES.get(node);
    }

    static InetAddress address(final int node, final int member) {
        return InetAddress.ofLiteral("10." + member + ".0." + (node + 1));
    }

    int life() {
        return life;
    }

    RdpDriver driver() {
        return driver;
    }

    List<FabricPort> ports() {
        return ports;
    }

    boolean isDead() {
        return isDead;
    }

    /** The process is gone: nothing of it is heard any more. */
    void die() {
        isDead = true;
        ports.forEach(FabricPort::kill);
    }

    /** Something happened that bond and driver may have to look at: a call of the application, a fault. */
    void stir() {
        isStirred = true;
    }

    /** Bond and driver sleep until something happens on their host or their time has come, as they do in a process. */
    int doWork(final long nowNs) {
        int work = 0;
        for (final SoftContext context : contexts) {
            work += context.doWork(nowNs);
        }
        if (work == 0 && !isStirred && (ownDeadlineNs == Long.MAX_VALUE || ownDeadlineNs - nowNs > 0)) {
            return 0;
        }
        final int own = bond.doWork(nowNs) + (isDriverClosed ? 0 : driver.doWork(nowNs));
        isStirred = own > 0;
        ownDeadlineNs = lookWhenDue();
        return work + own;
    }

    private long lookWhenDue() {
        final long ofBondNs = bond.nextDeadlineNs();
        return isDriverClosed ? ofBondNs : earlier(ofBondNs, driver.nextDeadlineNs());
    }

    long nextDeadlineNs() {
        long next = isStirred ? lookWhenDue() : ownDeadlineNs;
        for (final SoftContext context : contexts) {
            next = earlier(next, context.nextDeadlineNs());
        }
        return next;
    }

    static long earlier(final long a, final long b) {
        return a == Long.MAX_VALUE || b != Long.MAX_VALUE && b - a < 0 ? b : a;
    }

    /** Closes all; what the device still knows then is a leak, and an error. */
    void close() {
        driver.close();
        bond.close();
    }

    private record NoMoreDevices() implements MemberSource {
        @Override
        public Context open(final Device lost, final Set<String> siblings) {
            return open(lost.name());
        }

        @Override
        public Context open(final String name) {
            throw new VerbsException("openDevice", Errno.ENODEV, name, "it is not there");
        }
    }
}
