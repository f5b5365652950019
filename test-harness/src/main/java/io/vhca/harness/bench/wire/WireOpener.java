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
 * of a device; {@code exs-waits} and {@code rdp-waits} do not poll. One thread.
 *
 * @param isServer   whether this end says where it listens; the other one is told
 * @param own        address of this end
 * @param peer       address of the other end
 * @param window     most requests outstanding
 * @param size       longest message, bytes
 * @param directions says where the server listens, once for each wire that has a server
 * @param contexts   open devices by name, none at first: sockets share theirs with a wire of queue pairs
 */
public record WireOpener(
        boolean isServer, String own, String peer, int window, int size, Directions directions,
        Map<String, Context> contexts) {
    private static final int UDP_PORT = 24_791;
    private static final int KERNEL_PORT = 24_793;
    /** At a port beside that of the kernel's RDS, which listens there at all addresses. */
    private static final RdpConfig RDP = RdpConfigParser.parse(Map.of("Port", "18635"));

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
        this(isServer, own, peer, window, size, directions, new HashMap<>());
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
            case "rdp", "rdp-waits" -> datagrams(wire, RdpDriver.open(context(BOND), RDP));
            case "rdp-shared" -> datagrams(wire, SharedDriver.attach(BOND));
            default -> queuePair(wire);
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

    private static void listening(final String wire, final InetSocketAddress at) {
        DrillLine.of("listening", "device", wire, "host", at.getAddress().getHostAddress(), "port", at.getPort()).say();
    }

    private InetSocketAddress where() throws InterruptedException {
        final DrillLine where = directions.next();
        return new InetSocketAddress(where.text("host"), (int) where.number("port"));
    }

    private BenchWire datagrams(final String wire, final RdpSockets sockets) throws InterruptedException {
        final RdpSocket socket = sockets.bind(0);
        if (!isServer) {
            return new RdpWire(sockets, socket, where(), waits(wire));
        }
        listening(wire, socket.localAddress());
        return new RdpWire(sockets, socket, null, waits(wire));
    }

    private BenchWire queuePair(final String device) throws InterruptedException {
        final Context context = context(device);
        final DrillEnd end = isServer
                ? accept(context, device)
                : DrillEnd.connect(context, where(), window, 2 * window, size);
        DrillLine.of("region", "wire", device, "address", end.address(), "rkey", end.rkey()).say();
        return new VerbsWire(end);
    }

    private DrillEnd accept(final Context context, final String device) {
        final CmEventChannel channel = context.createEventChannel();
        listening(
                device,
                Objects.requireNonNull(CmSteps.listen(context, channel, CmPortSpace.TCP).localAddress()));
        return DrillEnd.accept(context, channel, window, 2 * window, size);
    }
}
