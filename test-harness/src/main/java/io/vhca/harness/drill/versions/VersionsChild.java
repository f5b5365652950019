package io.vhca.harness.drill.versions;

import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpState;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.member.MemberSource;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.frozen.FirstVersionMember;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One of several processes that all talk to each other over a bond each. Of two, the one with the higher number
 * connects. With {@code -Dvhca.harness.version=1} its bond speaks version 1 of the records, held against the frozen
 * codec.
 *
 * <p>Arguments: its number, which of its lives this is, and two addresses of each process. One thread, and that which
 * reads commands.
 */
public final class VersionsChild {
    private static final int PORT = 7_471;
    private static final int MEMBERS = 2;
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long END_NS = TimeUnit.SECONDS.toNanos(120);

    private final int own;
    private final List<InetAddress> addresses;
    private final List<SoftDevice> devices = new ArrayList<>();
    private final BondContext bond;
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CmId listener;
    private final Map<Integer, Flow> flows = new HashMap<>();
    private final Map<Flow, Long> tryAtNs = new HashMap<>();
    private final ConcurrentLinkedQueue<DrillLine> commands = new ConcurrentLinkedQueue<>();

    private VersionsChild(final int own, final int life, final List<InetAddress> addresses) {
        this.own = own;
        this.addresses = addresses;
        final int version = Integer.getInteger("vhca.harness.version", PrefixDescriptor.VERSION);
        final List<Context> members = new ArrayList<>();
        for (int member = 0; member < MEMBERS; member++) {
            final SoftDevice device = SoftDevice.overUdp(
                    new SoftConfig("soft" + member, addresses.get(own * MEMBERS + member), 4096));
            devices.add(device);
            members.add(version == 1 ? new FirstVersionMember(device.open(), VersionsChild::fault).context()
                    : device.open());
        }
        final Map<InetAddress, List<InetAddress>> peers = new HashMap<>();
        for (int peer = 0; peer < addresses.size() / MEMBERS; peer++) {
            peers.put(first(peer), addresses.subList(peer * MEMBERS, (peer + 1) * MEMBERS));
        }
        final BondConfig config = BondConfig.builder("bond0").members(List.of("soft0", "soft1")).peers(peers).build();
        bond = new BondContext(
                new BondDevice(config), config, members, MemberSource.SAME_DEVICE, Journal.NONE,
                (RandomGenerator) new SecureRandom(), RewindPlan::of, version);
        bond.startAgent();
        channel = bond.createEventChannel();
        pd = bond.allocPd();
        for (int peer = 0; peer < addresses.size() / MEMBERS; peer++) {
            if (peer != own) {
                flows.put(peer, new Flow(bond, pd, own, life, peer));
            }
        }
        listener = channel.createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress("0.0.0.0", PORT));
        listener.listen(16);
    }

    private InetAddress first(final int peer) {
        return addresses.get(peer * MEMBERS);
    }

    private static void fault(final String what) {
        DrillLine.of("fault", "what", what).say();
    }

    public static void main(final String[] args) {
        ChildFailure.guard(() -> {
            final List<InetAddress> addresses =
                    Arrays.stream(args[2].split(",", -1)).map(InetAddress::ofLiteral).toList();
            final VersionsChild child =
                    new VersionsChild(Integer.parseInt(args[0]), Integer.parseInt(args[1]), addresses);
            ChildFailure.obey(child.commands::add);
            child.run();
        });
    }

    private void run() {
        DrillLine.of("ready").say();
        int idle = 0;
        while (true) {
            final DrillLine command = commands.poll();
            if (command != null && command.kind().equals("stop")) {
                break;
            }
            if (command != null) {
                devices.get((int) command.number("member")).setPortUp(command.kind().equals("heal"));
            }
            int work = turn();
            for (final Flow flow : flows.values()) {
                work += flow.send();
            }
            idle = work > 0 ? 0 : idle + 1;
            Idling.pause(Math.max(idle, 1_000)); // messages are small, and the machine is others' as well
        }
        stop();
    }

    /** Events and completions. */
    private int turn() {
        int work = 0;
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            on(event);
            event.ack();
            work++;
        }
        for (final Flow flow : flows.values()) {
            work += flow.poll();
            if (flow.peer() < own && flow.id() == null && System.nanoTime() - tryAtNs.getOrDefault(flow, 0L) > 0) {
                connect(flow);
            }
        }
        return work;
    }

    private void connect(final Flow flow) {
        tryAtNs.put(flow, System.nanoTime() + AGAIN_NS);
        final CmId id = channel.createId(CmPortSpace.TCP, null);
        flow.use(id);
        id.resolveAddr(null, new InetSocketAddress(first(flow.peer()), PORT), 1_000);
    }

    private @Nullable Flow flowOf(final CmId id) {
        return flows.values().stream().filter(flow -> flow.id() == id).findFirst().orElse(null);
    }

    private void on(final CmEvent event) {
        if (event.listenId() != null) {
            requested(event);
            return;
        }
        final Flow flow = flowOf(event.id());
        if (flow == null) {
            return;
        }
        switch (event.type()) {
            case ADDR_RESOLVED -> event.id().resolveRoute(1_000);
            case ROUTE_RESOLVED -> {
                flow.equip();
                event.id().connect(ConnectParameters.of(ByteBuffer.allocate(Integer.BYTES).putInt(own).array()));
            }
            case ESTABLISHED -> flow.established();
            default -> {
                tryAtNs.put(flow, System.nanoTime() + AGAIN_NS);
                flow.end();
            }
        }
    }

    private void requested(final CmEvent event) {
        final Flow flow = flows.get(ByteBuffer.wrap(event.privateData()).getInt());
        if (flow == null) {
            event.id().reject(new byte[0]);
            event.id().close();
            return;
        }
        flow.use(event.id());
        flow.equip();
        event.id().accept(ConnectParameters.of(new byte[0]));
    }

    /** What was sent is received, what was received is counted, and everybody is told. */
    private void stop() {
        listener.close();
        final long endNs = System.nanoTime() + END_NS;
        await(endNs, flow -> flow.isQuiet() || !flow.isEstablished());
        for (final Flow flow : flows.values()) {
            final CmId id = flow.id();
            if (id != null && flow.isEstablished()) {
                id.disconnect();
            }
        }
        await(endNs, flow -> !flow.isEstablished() || flow.isEmpty());
        flows.values().forEach(Flow::sayHeard);
        flows.values().forEach(Flow::sayCompleted);
        DrillLine.of(
                "counts", "recovered", count(Counter.RECOVERED), "older", count(Counter.PEER_OLDER),
                "newer", count(Counter.PEER_NEWER), "garbage", count(Counter.CONTROL_GARBAGE),
                "unprotected", count(Counter.UNPROTECTED)).say();
        flows.values().forEach(Flow::close);
        pd.close();
        channel.close();
        bond.close();
        DrillLine.of("stopped").say();
        Runtime.getRuntime().halt(0);
    }

    private void await(final long endNs, final Predicate<Flow> isDone) {
        int idle = 0;
        while (!flows.values().stream().allMatch(isDone)) {
            if (System.nanoTime() - endNs > 0) {
                fault("it does not come to rest");
                return;
            }
            int work = 0;
            for (final Flow flow : flows.values()) {
                work += flow.poll();
            }
            idle = work > 0 ? 0 : idle + 1;
            Idling.pause(idle);
        }
    }

    private long count(final Counter counter) {
        return bond.counters().get(counter);
    }

    @Override
    public String toString() {
        return own + " " + QpState.RTS;
    }
}
