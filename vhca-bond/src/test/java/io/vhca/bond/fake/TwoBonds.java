package io.vhca.bond.fake;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.member.MemberSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Two bonds of two members each, on two networks that do not meet where nothing else is said, and the time that they
 * run by.
 *
 * <pre>
 *   bond a                            bond b
 *     a0 10.1.0.1  --- network 1 ---  b0 10.1.0.2
 *     a1 10.2.0.1  --- network 2 ---  b1 10.2.0.2
 * </pre>
 *
 * The clock begins a second before it wraps; no deadline falls on {@link Long#MAX_VALUE} itself, which means never.
 */
public final class TwoBonds implements AutoCloseable {
    public static final long MS = 1_000_000;
    public static final int LISTEN_PORT = 7_471;
    private static final int MOST_TURNS = 10_000;

    public final FakeFabric fabric = new FakeFabric();
    public final HandBond a;
    public final HandBond b;
    /** Devices that a bond has given back. */
    public final List<String> released = new ArrayList<>();
    /** The devices that members have since they came back. */
    public final List<String> cameBack = new ArrayList<>();
    /** The siblings of lost devices, as bonds named them. */
    public final Set<String> siblingsNamed = new TreeSet<>();

    private final List<FakeDevice> spare = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private @Nullable Runnable meanwhile;
    private long nowNs = Long.MAX_VALUE - 1_012_345_678;

    public TwoBonds() {
        this(config -> config);
    }

    /** @param options changes the configuration of both bonds */
    public TwoBonds(final UnaryOperator<BondConfig.Builder> options) {
        this(options, options);
    }

    /** Each bond with options of its own. */
    public TwoBonds(
            final UnaryOperator<BondConfig.Builder> ofA, final UnaryOperator<BondConfig.Builder> ofB) {
        this(ofA, ofB, "10.1.0.1", "10.2.0.1", "10.1.0.2", "10.2.0.2");
    }

    private TwoBonds(
            final UnaryOperator<BondConfig.Builder> ofA, final UnaryOperator<BondConfig.Builder> ofB,
            final String a0, final String a1, final String b0, final String b1) {
        a = bond("bonda", 1, ofA, fabric.device("a0", a0), fabric.device("a1", a1));
        b = bond("bondb", 2, ofB, fabric.device("b0", b0), fabric.device("b1", b1));
    }

    /** All members on one network, each as near to the peer's as the other: 10.1.0.1, .2 and 10.1.128.1, .2. */
    public static TwoBonds onOneNetwork(final UnaryOperator<BondConfig.Builder> options) {
        return new TwoBonds(options, options, "10.1.0.1", "10.1.0.2", "10.1.128.1", "10.1.128.2");
    }

    /** The second member of b has that for an address. */
    public static TwoBonds withB1At(final String address) {
        return withBAt("10.1.0.2", address);
    }

    /** The members of b have those for addresses. */
    public static TwoBonds withBAt(final String b0, final String b1) {
        return new TwoBonds(options -> options, options -> options, "10.1.0.1", "10.2.0.1", b0, b1);
    }

    private HandBond bond(
            final String name,
            final long seed,
            final UnaryOperator<BondConfig.Builder> options,
            final FakeDevice... devices) {
        final List<FakeDevice> list = List.of(devices);
        final BondConfig config = options.apply(BondConfig.builder(name)
                        .members(list.stream().map(FakeDevice::name).toList()))
                .build();
        return new HandBond(config, seed, list, new MemberSource() {
            @Override
            public Context open(final Device lost, final Set<String> siblings) {
                siblingsNamed.addAll(siblings);
                return lost.open();
            }

            @Override
            public Context open(final String device) {
                final Context opened = spare.stream()
                        .filter(one -> one.name().equals(device))
                        .findFirst()
                        .orElseThrow(() -> new VerbsException("openDevice", 19, device, "there is none"))
                        .open();
                final Runnable other = meanwhile;
                meanwhile = null;
                if (other != null) {
                    other.run();
                }
                return opened;
            }

            @Override
            public void cameBack(final Device lost, final Device now) {
                cameBack.add(now.name());
            }

            @Override
            public void released(final Device device) {
                released.add(device.name());
            }
        });
    }

    /** A device that may be added to a bond. */
    public FakeDevice spare(final String name, final String address) {
        final FakeDevice device = fabric.device(name, address);
        spare.add(device);
        return device;
    }

    /** What another thread does, once, while a spare device is being opened. */
    public void meanwhile(final Runnable other) {
        meanwhile = other;
    }

    // ---- time -------------------------------------------------------------------------------------------------------

    public long nowNs() {
        return nowNs;
    }

    /** Gives both bonds and the fabric turns until nothing happens any more; time stands. */
    public void settle() {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            if (a.context().doWork(nowNs) + b.context().doWork(nowNs) + fabric.run() == 0) {
                return;
            }
        }
        throw new AssertionError("the bonds do not come to rest\n" + a.journal() + b.journal());
    }

    /** Lets time pass, with a turn at each deadline. */
    public void advance(final long ns) {
        final long end = nowNs + ns;
        settle();
        while (true) {
            final long next = new EarliestDeadline()
                    .add(a.context().nextDeadlineNs())
                    .add(b.context().nextDeadlineNs())
                    .atNs();
            if (next == Long.MAX_VALUE || next - end >= 0) {
                nowNs = end;
                settle();
                return;
            }
            nowNs = next - nowNs > 0 ? next : nowNs + 1_000;
            settle();
        }
    }

    /** Time passes in which nobody has a turn: both processes were stopped. */
    public void pause(final long ns) {
        nowNs += ns;
    }

    /** All that an end has completed, when everybody has had turns in between: what a poll finds out takes one. */
    public List<String> polled(final AppEnd end) {
        final List<String> all = new ArrayList<>(end.polled());
        settle();
        all.addAll(end.polled());
        settle();
        all.addAll(end.polled());
        return all;
    }

    // ---- connections ------------------------------------------------------------------------------------------------

    /** A connection from a, over the given ends. */
    public record Connection(AppEnd active, AppEnd passive) {}

    /** Connects a queue pair of a with one of b, over network 1. */
    public Connection connect() {
        return connect(null);
    }

    /** The same; the passive end receives from a shared queue where one is given. */
    public Connection connect(final @Nullable SharedReceiveQueue srq) {
        return connect(new AppEnd(a), new AppEnd(b, srq));
    }

    /** The same over ends that have no queue pair yet. */
    public Connection connect(final AppEnd active, final AppEnd passive) {
        return connect(active, passive, "10.1.0.2");
    }

    /** The same to one of the addresses of b, over the network of that. */
    public Connection connect(final AppEnd active, final AppEnd passive, final String address) {
        final CmId listener = listen();
        active.on(routed(address));
        active.id().connect(ConnectParameters.of(new byte[0]));
        settle();
        final CmEvent request = next(b, CmEventType.CONNECT_REQUEST);
        passive.on(request.id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        settle();
        next(a, CmEventType.ESTABLISHED);
        next(b, CmEventType.ESTABLISHED);
        listener.close();
        opened.add(active);
        opened.add(passive);
        return new Connection(active, passive);
    }

    /** A listener of b. */
    public CmId listen() {
        final CmId listener = b.channel().createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), LISTEN_PORT));
        listener.listen(8);
        return listener;
    }

    /** An id of a that is ready to connect to a listener of b's. */
    public CmId routed(final String address) {
        final CmId id = a.channel().createId(CmPortSpace.TCP, null);
        id.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(address), LISTEN_PORT), 1_000);
        next(a, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(1_000);
        next(a, CmEventType.ROUTE_RESOLVED);
        return id;
    }

    /** The next CM event of a bond's application, which must be of that type. */
    public static CmEvent next(final HandBond bond, final CmEventType type) {
        final CmEvent event = bond.channel().getEvent(0);
        if (event == null || event.type() != type) {
            throw new AssertionError("not " + type + " but " + event + "\n" + bond.journal());
        }
        return Objects.requireNonNull(event);
    }

    /** Closed with the bonds. */
    public <T extends AutoCloseable> T closing(final T object) {
        opened.add(object);
        return object;
    }

    @Override
    public void close() {
        for (final AutoCloseable one : opened.reversed()) {
            try {
                one.close();
            } catch (final Exception e) {
                throw new IllegalStateException(one + " could not be closed", e);
            }
        }
        settle();
        a.close();
        b.close();
        requireClosed();
    }

    /** Whatever a bond made on its members is gone with it. */
    private void requireClosed() {
        for (final HandBond bond : List.of(a, b)) {
            for (int member = 0; member < 2; member++) {
                if (bond.device(member).context() != null) {
                    throw new AssertionError(bond.device(member) + " is still open");
                }
            }
        }
    }
}
