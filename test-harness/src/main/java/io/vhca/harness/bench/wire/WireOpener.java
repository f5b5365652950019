package io.vhca.harness.bench.wire;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.shared.SharedDriver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Opens the wires of one process, each with one connection to the process at the other end: {@code udp},
 * {@code trains}, {@code exs}, {@code rdp}, {@code rdp-shared}, {@code kernel-udp}, {@code kernel-rds}, or the name
 * of a device; {@code told} writes with immediate data over a queue pair; {@code exs-waits} and {@code rdp-waits} do
 * not poll; {@code rdp-beside} is over the driver of {@code rdp}, beside a socket that sends to one whose owner does
 * not read. One thread.
 *
 * @param isServer   whether this end says where it listens; the other one is told
 * @param own        address of this end
 * @param peer       address of the other end
 * @param window     most requests outstanding
 * @param size       longest message, bytes
 * @param directions says where the server listens, once for each wire that has a server
 * @param contexts   open devices by name, none at first: sockets share theirs with a wire of queue pairs
 * @param drivers    of datagrams in this process by device, none at first
 */
public record WireOpener(
        boolean isServer, String own, String peer, int window, int size, Directions directions,
        Map<String, Context> contexts, Map<String, RdpSockets> drivers) {
    private static final int UDP_PORT = 24_791;
    private static final int KERNEL_PORT = 24_793;
    /** At a port beside that of the kernel's RDS, which listens there at all addresses. */
    private static final RdpConfig RDP = RdpConfigParser.parse(Map.of("Port", "18635"));

    /** The longest WRITE with immediate data. */
    private static final int TOLD_BYTES = 1 << 16;

    /** What sockets are over. */
    private static final String BOND = "bond0";

    /** Waits to be told where the server is. */
    public interface Directions {
        DrillLine next() throws InterruptedException;
    }

    /** With no device open. */
    public WireOpener(
            final boolean isServer, final String own, final String peer, final int window, final int size,
            final Directions directions) {
        this(isServer, own, peer, window, size, directions, new HashMap<>(), new HashMap<>());
    }

    /** Opens one. */
    public BenchWire open(final String wire) throws IOException, InterruptedException {
        return switch (wire) {
            case "udp" ->
                new DatagramWire(new ChannelDatagrams(
                        new InetSocketAddress(own, UDP_PORT), new InetSocketAddress(peer, UDP_PORT)));
            case "trains" -> new DatagramWire(new TrainDatagrams(third(own), third(peer)));
            case "kernel-udp", "kernel-rds" ->
                new KernelWire(
                        wire.equals("kernel-rds"), new InetSocketAddress(own, KERNEL_PORT),
                        new InetSocketAddress(peer, KERNEL_PORT));
            case "exs", "exs-waits" ->
                isServer
                        ? ExsWire.accept(context(BOND), at -> listening(wire, at), size, waits(wire))
                        : ExsWire.connect(context(BOND), where(), size, waits(wire));
            case "rdp", "rdp-waits" -> datagrams(wire, driver(BOND));
            case "rdp-beside" -> beside(wire, driver(BOND));
            case "rdp-shared" -> datagrams(wire, SharedDriver.attach(BOND));
            case "told" -> new ToldWire(queuePair(wire, BOND, ToldWire.DEPTH, Math.min(size, TOLD_BYTES)));
            default -> new VerbsWire(queuePair(wire, wire, 2 * window, size));
        };
    }

    private static boolean waits(final String wire) {
        return wire.endsWith("-waits");
    }

    /** Trains need the soft device's port, and so an address that no soft device has. */
    private static InetAddress third(final String first) throws UnknownHostException {
        return InetAddress.getByName(first.replaceFirst("\\.1$", ".3"));
    }

    private Context context(final String device) {
        return contexts.computeIfAbsent(device, Devices::open);
    }

    private RdpSockets driver(final String device) {
        return drivers.computeIfAbsent(device, name -> RdpDriver.open(context(name), RDP));
    }

    private static void listening(final String wire, final InetSocketAddress at) {
        DrillLine.of("listening", "device", wire, "host", at.getAddress().getHostAddress(), "port", at.getPort()).say();
    }

    private InetSocketAddress where() throws InterruptedException {
        final DrillLine where = directions.next();
        return new InetSocketAddress(where.text("host"), (int) where.number("port"));
    }

    private BenchWire datagrams(final String wire, final RdpSockets sockets) throws InterruptedException {
        return datagrams(wire, sockets, () -> {});
    }

    private BenchWire datagrams(final String wire, final RdpSockets sockets, final Runnable beside)
            throws InterruptedException {
        final RdpSocket socket = sockets.bind(0);
        if (!isServer) {
            return new RdpWire(sockets, socket, where(), waits(wire), beside);
        }
        listening(wire, socket.localAddress());
        return new RdpWire(sockets, socket, null, waits(wire), beside);
    }

    /** The server says of two sockets where they are; the first one is never read. */
    private BenchWire beside(final String wire, final RdpSockets sockets) throws InterruptedException {
        final RdpSocket other = sockets.bind(0);
        if (!isServer) {
            return datagrams(wire, sockets, new StalledSender(sockets, other, where()));
        }
        listening(wire, other.localAddress());
        return datagrams(wire, sockets);
    }

    private DrillEnd queuePair(final String wire, final String device, final int receives, final int longest)
            throws InterruptedException {
        final Context context = context(device);
        final DrillEnd end = isServer
                ? accept(context, wire, receives, longest)
                : DrillEnd.connect(context, where(), window, receives, longest);
        DrillLine.of("region", "wire", wire, "address", end.address(), "rkey", end.rkey()).say();
        return end;
    }

    private DrillEnd accept(final Context context, final String wire, final int receives, final int longest) {
        final CmEventChannel channel = context.createEventChannel();
        listening(
                wire,
                Objects.requireNonNull(CmSteps.listen(context, channel, CmPortSpace.TCP).localAddress()));
        return DrillEnd.accept(context, channel, window, receives, longest);
    }
}
