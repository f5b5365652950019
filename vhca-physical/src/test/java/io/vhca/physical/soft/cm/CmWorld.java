package io.vhca.physical.soft.cm;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.physical.soft.fabric.Verdict;
import io.vhca.physical.soft.wire.Opcodes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Two soft devices on a fabric in virtual time, a client's and a server's, with what a test of connections needs. */
final class CmWorld implements AutoCloseable {
    static final int PORT = 7471;
    private static final int PACKET_BYTES = 1200;
    private static final long TICK_NS = 1_000_000;

    /** What becomes of the n-th CM message (counted from 0): a {@link Verdict}. */
    interface MadJudge {
        long judge(int index, ConnInput type);
    }

    final Host client;
    final Host server;
    final List<ConnInput> sent = new ArrayList<>();
    private final SimFabric fabric = new SimFabric(new FabricConfig(PACKET_BYTES, 256, 5_000, 0));
    private long nowNs = 1_000_000_000L;
    private boolean isClientLooking = true;
    private boolean isServerLooking = true;

    /** One end. */
    static final class Host {
        final SoftDevice device;
        final SoftContext context;
        final CmEventChannel channel;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final InetSocketAddress address;
        final List<CmEvent> events = new ArrayList<>();

        Host(final SimFabric on, final int last, final long startNs) throws Exception {
            final InetAddress ip = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
            address = new InetSocketAddress(ip, PORT);
            final FabricPort port = on.addPort(Gid.of(ip), PACKET_BYTES);
            device = SoftDevice.driven(
                    "dev" + last,
                    last,
                    () -> port,
                    new SoftNicConfig().seed(last),
                    CmConfig.DEFAULT,
                    new SplittableRandom(last));
            context = device.open();
            context.doWork(startNs);
            channel = context.createEventChannel();
            pd = context.allocPd();
            cq = context.createCq(64, null, null);
        }

        QpInitAttributes qp() {
            return QpInitAttributes.rc(cq, cq, new QpCapabilities(8, 8, 1, 1, 0));
        }

        long count(final CmEventType type) {
            return events.stream().filter(event -> event.type() == type).count();
        }

        CmEvent first(final CmEventType type) {
            return events.stream()
                    .filter(event -> event.type() == type)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + type + " in " + events));
        }

        private void poll() {
            for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
                event.ack();
                events.add(event);
            }
        }
    }

    CmWorld() throws Exception {
        client = new Host(fabric, 1, nowNs);
        server = new Host(fabric, 2, nowNs);
    }

    void judge(final MadJudge judge) {
        fabric.faults((from, to, trafficClass, packet, length, now) -> {
            final int opcode = NativeMemory.getByte(packet) & 0xff;
            if (opcode != Opcodes.UD_SEND_ONLY) {
                return Verdict.DELIVER;
            }
            final long mad = packet + Opcodes.headerBytes(opcode);
            final ConnInput type = ConnInput.fromAttribute(
                    Short.reverseBytes(NativeMemory.getShort(mad + MadDescriptor.ATTRIBUTE_OFFSET)) & 0xffff);
            sent.add(type);
            return judge.judge(sent.size() - 1, type);
        });
    }

    /** Whether the client's application takes its events. */
    void clientLooks(final boolean does) {
        isClientLooking = does;
    }

    /** Whether the server's does. */
    void serverLooks(final boolean does) {
        isServerLooking = does;
    }

    long nowNs() {
        return nowNs;
    }

    /** Lets the time run until the condition holds; false when it does not within that time. */
    boolean run(final long forNs, final BooleanSupplier until) {
        final long end = nowNs + forNs;
        while (nowNs - end < 0) {
            int work = 1;
            while (work > 0) {
                work = fabric.doWork(nowNs) + client.context.doWork(nowNs) + server.context.doWork(nowNs);
            }
            if (isClientLooking) {
                client.poll();
            }
            if (isServerLooking) {
                server.poll();
            }
            if (until.getAsBoolean()) {
                return true;
            }
            long next = Math.min(nowNs + TICK_NS, fabric.nextDeadlineNs());
            next = Math.min(next, Math.min(client.context.nextDeadlineNs(), server.context.nextDeadlineNs()));
            nowNs = Math.max(next, nowNs + 1);
        }
        return false;
    }

    CmId listen() {
        return listen(16);
    }

    CmId listen(final int backlog) {
        final CmId listener = server.channel.createId(CmPortSpace.TCP, null);
        listener.bindAddr(server.address);
        listener.listen(backlog);
        return listener;
    }

    /** An id that is ready to connect, with a QP. */
    CmId resolved() {
        final CmId id = client.channel.createId(CmPortSpace.TCP, null);
        id.resolveAddr(null, server.address, 1000);
        id.resolveRoute(1000);
        id.createQp(client.pd, client.qp());
        return id;
    }

    /** The id of the request that came, with a QP. */
    CmId requested() {
        final CmId id = server.first(CmEventType.CONNECT_REQUEST).id();
        id.createQp(server.pd, server.qp());
        return id;
    }

    /** Closes everything; fails if an object is still open that the test did not close. */
    @Override
    public void close() {
        for (final Host host : List.of(client, server)) {
            host.channel.close();
            host.cq.close();
            host.pd.close();
            host.context.close();
        }
        fabric.close();
    }
}
