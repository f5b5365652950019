package io.vhca.harness.bond;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.FailoverReport;
import io.vhca.harness.sim.core.OpenDevice;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Two bonds of two soft RNICs each on a simulated fabric, one connection between them, on virtual time that jumps from
 * event to event; where a test wants, a third bond without a connection. One thread.
 */
final class BondPair implements AutoCloseable {
    static final long MS = 1_000_000L;
    static final int DEPTH = 16;

    private static final int MEMBERS = 2;
    private static final List<String> SIDES = List.of("left", "right", "third");
    private static final int MTU = 1024;
    private static final int HEADER_ROOM = 96;
    static final int PORT = 5_000;
    static final int MESSAGE_BYTES = 64;
    private static final int MOST_ROUNDS = 10_000;

    final SimFabric fabric = new SimFabric(new FabricConfig(MTU + HEADER_ROOM, 1_024, 1_000, 0));
    final Host left;
    final Host right;
    long nowNs = 1;

    private final Arena arena = Arena.ofShared();
    private final boolean isNarrow;
    private final int rateMbps;
    private final UnaryOperator<BondConfig.Builder> tune;
    private final List<Host> hosts = new ArrayList<>();
    private boolean isApart;
    private @Nullable CmId listener;

    /** Stands between a bond and a device of its, for faults that no soft RNIC brings about. */
    interface Wrapper {
        Context wrap(Context device);
    }

    BondPair(final UnaryOperator<BondConfig.Builder> tune) {
        this(tune, device -> device);
    }

    BondPair(final UnaryOperator<BondConfig.Builder> tune, final Wrapper leftMembers) {
        this(tune, leftMembers, false, 0);
    }

    /** Every port sends so many megabits a second at most. */
    static BondPair atRate(final UnaryOperator<BondConfig.Builder> tune, final int mbps) {
        return new BondPair(tune, device -> device, false, mbps);
    }

    /**
     * Two separate networks, member by member, with no way from one to the other.
     *
     * @param isNarrow the networks are four addresses each and next to each other; else they differ in an octet
     */
    static BondPair onTwoNetworks(final UnaryOperator<BondConfig.Builder> tune, final boolean isNarrow) {
        final BondPair pair = new BondPair(tune, device -> device, isNarrow, 0);
        pair.isApart = true;
        pair.separate(pair.left, pair.right);
        return pair;
    }

    private void separate(final Host one, final Host other) {
        for (int member = 0; member < MEMBERS; member++) {
            fabric.block(one.ports[member].index(), other.ports[1 - member].index(), true);
            fabric.block(other.ports[member].index(), one.ports[1 - member].index(), true);
        }
    }

    private BondPair(
            final UnaryOperator<BondConfig.Builder> tune,
            final Wrapper leftMembers,
            final boolean isNarrow,
            final int rateMbps) {
        this.isNarrow = isNarrow;
        this.rateMbps = rateMbps;
        this.tune = tune;
        left = new Host(0, leftMembers);
        right = new Host(1, device -> device);
        hosts.add(left);
        hosts.add(right);
        final CmId listening = right.channel.createId(CmPortSpace.TCP, null);
        listening.bindAddr(new InetSocketAddress(address(1, 9), PORT));
        listening.listen(8);
        listener = listening;
        connect();
    }

    /** One more machine, with no connection; the pair's. On two networks as the others are. */
    Host addThird() {
        final Host third = new Host(2, device -> device);
        if (isApart) {
            hosts.forEach(host -> separate(host, third));
        }
        hosts.add(third);
        return third;
    }

    Host third() {
        return hosts.get(2);
    }

    /** By which name an application knows the others, and where they are. */
    private Map<InetAddress, List<InetAddress>> others(final int side) {
        final Map<InetAddress, List<InetAddress>> others = new HashMap<>();
        for (int other = 0; other < SIDES.size(); other++) {
            if (other != side) {
                others.put(address(other, 9), List.of(address(other, 0), address(other, 1)));
            }
        }
        return others;
    }

    /** One machine: a bond, and an application with one connection. */
    final class Host {
        final FabricPort[] ports = new FabricPort[MEMBERS];
        final SoftDevice[] devices = new SoftDevice[MEMBERS];
        final SoftContext[] contexts = new SoftContext[MEMBERS];
        final Map<String, SoftDevice> spares = new HashMap<>();
        private final Map<Integer, FabricPort> sparePorts = new HashMap<>();
        final BondContext bond;
        final CmEventChannel channel;
        final ProtectionDomain pd;
        final CompletionChannel wake;
        final CompletionQueue cq;
        final MemoryRegion region;
        final List<CmEventType> events = new ArrayList<>();
        final List<WcStatus> sends = new ArrayList<>();
        int received;
        /** Where the next connection completes to, other than what is polled; closed with the host. */
        @Nullable CompletionQueue cqOfNext;
        /** The connection made last. */
        @Nullable CmId id;

        private final int side;
        final List<SoftContext> spareContexts = new ArrayList<>();
        private final List<CmId> ids = new ArrayList<>();
        boolean polls = true;
        boolean takesEvents = true;
        private boolean isDead;
        private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
        private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
        private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);

        private Host(final int side, final Wrapper wrapper) {
            this.side = side;
            final SplittableRandom random = new SplittableRandom(side + 1);
            final List<Context> members = new ArrayList<>();
            final List<String> names = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                final FabricPort port = fabric.addPort(Gid.of(address(side, i)), MTU + HEADER_ROOM);
                ports[i] = port;
                final String name = SIDES.get(side) + i;
                names.add(name);
                devices[i] = device(name, side * 16 + i + 1, port, random);
                contexts[i] = devices[i].open();
                contexts[i].doWork(nowNs);
                members.add(wrapper.wrap(contexts[i]));
            }
            final BondConfig config = tune.apply(BondConfig.builder("bond0")
                            .members(names)
                            .alias(address(side, 9))
                            .peers(others(side))
                            .ackTimeout(10)
                            .retryCnt(2))
                    .build();
            bond = new BondContext(
                    OpenDevice.bond(0), config, members, new HostSource(this, () -> nowNs), Journal.NONE,
                    random.split(), RewindPlan::of);
            channel = bond.createEventChannel();
            pd = bond.allocPd();
            wake = bond.createCompChannel();
            cq = bond.createCq(8 * DEPTH, null, null);
            region = pd.regMr(arena.allocate(MESSAGE_BYTES, 64), AccessFlags.LOCAL_WRITE);
        }

        private SoftDevice device(
                final String name, final long guid, final FabricPort port, final SplittableRandom random) {
            return SoftDevice.driven(
                    name,
                    guid,
                    () -> {
                        port.revive();
                        return port;
                    },
                    new SoftNicConfig()
                            .seed(random.nextLong())
                            .rateMbps(rateMbps)
                            .portCheckIntervalNs(0)
                            .forgetsPostsInError(true),
                    CmConfig.DEFAULT,
                    random.split());
        }

        /** A device that is no member yet, at {@link #address} of that index, in place of who was there; its name. */
        String plugInSpare(final int index, final int number) {
            final FabricPort port = sparePorts.computeIfAbsent(
                    index, key -> fabric.addPort(Gid.of(address(side, key)), MTU + HEADER_ROOM));
            final String name = SIDES.get(side) + number;
            spares.put(name, device(name, side * 64 + number + 1, port, new SplittableRandom(number)));
            return name;
        }

        /** What was pulled out is plugged in, and has another name now. */
        void plugInAgain(final int member) {
            final SoftDevice old = devices[member];
            devices[member] =
                    device(old.name() + "new", old.nodeGuid(), ports[member], new SplittableRandom(old.nodeGuid()));
        }

        QueuePair qp() {
            return Objects.requireNonNull(Objects.requireNonNull(id).qp());
        }

        /** Of all connections, in their order. */
        List<CmId> ids() {
            return ids;
        }

        private void createQp(final CmId of) {
            id = of;
            ids.add(of);
            final CompletionQueue to = cqOfNext != null ? cqOfNext : cq;
            of.createQp(pd, QpInitAttributes.rc(to, to, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
            for (int i = 0; i < DEPTH; i++) {
                receive();
            }
        }

        private void receive() {
            qp().postRecv(recv.wrId(0).sge(region.addr(), MESSAGE_BYTES, region.lkey()));
        }

        void send() {
            send(SendFlags.SIGNALED);
        }

        void send(final int flags) {
            final int posted = qp().postSend(send.wrId(1)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(flags)
                    .sge(region.addr(), MESSAGE_BYTES, region.lkey()));
            if (posted != 1) {
                throw new AssertionError("post answered " + posted);
            }
        }

        /** A signaled WRITE of a message to the peer's memory. */
        void write(final long remoteAddr, final int rkey) {
            rdma(WrOpcode.RDMA_WRITE, remoteAddr, rkey);
        }

        void rdma(final WrOpcode opcode, final long remoteAddr, final int rkey) {
            final int posted = qp().postSend(send.wrId(2)
                    .opcode(opcode)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(region.addr(), MESSAGE_BYTES, region.lkey())
                    .rdma(remoteAddr, rkey));
            if (posted != 1) {
                throw new AssertionError("post answered " + posted);
            }
        }

        /** What the application's own recoveries were, the bond's own connections left out. */
        List<FailoverReport> failovers() {
            return bond.failovers();
        }

        void die() {
            isDead = true;
            for (final FabricPort port : ports) {
                port.kill();
            }
        }

        private int doWork() {
            if (isDead) {
                return 0;
            }
            int work = bond.doWork(nowNs);
            for (final SoftContext context : contexts) {
                work += context.doWork(nowNs);
            }
            for (final SoftContext context : spareContexts) {
                work += context.doWork(nowNs);
            }
            CmEvent event;
            while (takesEvents && (event = channel.getEvent(0)) != null) {
                work++;
                onEvent(event);
                event.ack();
            }
            while (polls && cq.poll(wc) == 1) {
                work++;
                if (wc.statusName() == WcStatus.SUCCESS && wc.opcode() == WcOpcode.RECV.code()) {
                    received++;
                    receive();
                } else if (wc.opcode() != WcOpcode.RECV.code()) {
                    sends.add(wc.statusName());
                }
            }
            return work;
        }

        private void onEvent(final CmEvent event) {
            events.add(event.type());
            switch (event.type()) {
                case ADDR_RESOLVED -> event.id().resolveRoute(1_000);
                case ROUTE_RESOLVED -> {
                    createQp(event.id());
                    event.id().connect(ConnectParameters.of(new byte[0]));
                }
                case CONNECT_REQUEST -> {
                    createQp(event.id());
                    event.id().accept(ConnectParameters.of(new byte[0]));
                }
                default -> {
                    // Kept for the test to look at.
                }
            }
        }

        private long nextDeadlineNs() {
            long next = Long.MAX_VALUE;
            if (!isDead) {
                next = earlier(next, bond.nextDeadlineNs());
                for (final SoftContext context : contexts) {
                    next = earlier(next, context.nextDeadlineNs());
                }
                for (final SoftContext context : spareContexts) {
                    next = earlier(next, context.nextDeadlineNs());
                }
            }
            return next;
        }

        private void close() {
            ids.forEach(CmId::close);
            if (this == right && listener != null) {
                listener.close();
            }
            region.close();
            channel.close();
            cq.close();
            if (cqOfNext != null) {
                cqOfNext.close();
            }
            wake.close();
            pd.close();
            bond.close();
        }
    }

    InetAddress address(final int side, final int member) {
        return InetAddress.ofLiteral(
                isNarrow ? "10.0.0." + (4 * member + side + 1) : "10." + member + ".0." + (side + 1));
    }

    /** Connects the left application to the right one, once more each time. */
    void connect() {
        connectTo(address(1, 9));
    }

    /** The left application asks for a connection; what comes of it is among its events. */
    void beginConnect(final InetAddress destination) {
        left.events.clear();
        right.events.clear();
        left.channel.createId(CmPortSpace.TCP, null).resolveAddr(null, new InetSocketAddress(destination, PORT), 1_000);
    }

    void connectTo(final InetAddress destination) {
        beginConnect(destination);
        if (!runUntil(
                () -> left.events.contains(CmEventType.ESTABLISHED) && right.events.contains(CmEventType.ESTABLISHED),
                1_000 * MS)) {
            throw new AssertionError("no connection: " + left.events + " " + right.events);
        }
        runFor(10 * MS);
    }

    /** Loses all packets of one member's pair of ports, in one direction or both, and tells nobody. */
    void block(final int member, final boolean toRight, final boolean toLeft, final boolean isBlocked) {
        for (int other = 0; other < MEMBERS; other++) {
            if (toRight) {
                fabric.block(left.ports[member].index(), right.ports[other].index(), isBlocked);
                fabric.block(left.ports[other].index(), right.ports[member].index(), isBlocked);
            }
            if (toLeft) {
                fabric.block(right.ports[member].index(), left.ports[other].index(), isBlocked);
                fabric.block(right.ports[other].index(), left.ports[member].index(), isBlocked);
            }
        }
    }

    void runFor(final long durationNs) {
        runUntil(() -> false, durationNs);
    }

    /** True when it came to be within the bound. */
    boolean runUntil(final BooleanSupplier isDone, final long boundNs) {
        final long endNs = nowNs + boundNs;
        while (true) {
            for (int rounds = 0; doWork() > 0; rounds++) {
                if (rounds > MOST_ROUNDS) {
                    throw new AssertionError("work without end");
                }
            }
            if (isDone.getAsBoolean()) {
                return true;
            }
            final long nextNs = nextDeadlineNs();
            if (nextNs == Long.MAX_VALUE || nextNs - endNs > 0) {
                nowNs = endNs;
                return false;
            }
            nowNs = nextNs - nowNs > 0 ? nextNs : nowNs + 1;
        }
    }

    private int doWork() {
        int work = fabric.doWork(nowNs);
        for (final Host host : hosts) {
            work += host.doWork();
        }
        return work;
    }

    private long nextDeadlineNs() {
        long next = fabric.nextDeadlineNs();
        for (final Host host : hosts) {
            next = earlier(next, host.nextDeadlineNs());
        }
        return next;
    }

    private static long earlier(final long a, final long b) {
        return a == Long.MAX_VALUE || b != Long.MAX_VALUE && b - a < 0 ? b : a;
    }

    @Override
    public void close() {
        hosts.forEach(Host::close);
        fabric.close();
        arena.close();
    }
}
