package io.vhca.harness.bench;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Main class of the benchmark's two processes: {@code server|client OWN_ADDRESS PEER_ADDRESS WINDOW SIZE WIRES}. Both
 * open the same wires, {@code udp}, {@code trains} or the name of a device, and keep one connection over each; commands
 * say which is measured.
 */
public final class BenchPeer {
    private static final int UDP_PORT = 24_791;

    private final Map<String, BenchWire> wires = new LinkedHashMap<>();
    private final LinkedBlockingQueue<DrillLine> commands = new LinkedBlockingQueue<>();

    private BenchPeer() {}

    public static void main(final String[] args) {
        ChildFailure.guard(() -> new BenchPeer().run(args));
    }

    private void run(final String[] args) throws IOException, InterruptedException {
        ChildFailure.obey(commands::add);
        final boolean isServer = args[0].equals("server");
        final int window = Integer.parseInt(args[3]);
        final int size = Integer.parseInt(args[4]);
        for (final String device : args[5].split(",")) {
            if (device.equals("udp")) {
                final InetSocketAddress own = new InetSocketAddress(args[1], UDP_PORT);
                wires.put(
                        device,
                        new DatagramWire(new ChannelDatagrams(own, new InetSocketAddress(args[2], UDP_PORT))));
                continue;
            }
            if (device.equals("trains")) {
                wires.put(device, new DatagramWire(new TrainDatagrams(third(args[1]), third(args[2]))));
                continue;
            }
            final Context context = Devices.open(device);
            final DrillEnd end =
                    isServer ? accept(context, device, window, size) : connect(context, window, size);
            DrillLine.of("region", "wire", device, "address", end.address(), "rkey", end.rkey()).say();
            wires.put(device, new VerbsWire(end));
        }
        DrillLine.of("up").say();
        for (DrillLine line = commands.take(); ; line = commands.take()) {
            on(line);
        }
    }

    /** Trains need the soft device's port, and so an address that no soft device has. */
    private static InetAddress third(final String first) throws UnknownHostException {
        return InetAddress.getByName(first.replaceFirst("\\.1$", ".3"));
    }

    private static DrillEnd accept(final Context context, final String device, final int window, final int size) {
        final CmEventChannel channel = context.createEventChannel();
        final InetSocketAddress address =
                Objects.requireNonNull(CmSteps.listen(context, channel, CmPortSpace.TCP).localAddress());
        DrillLine.of(
                "listening",
                "device", device,
                "host", address.getAddress().getHostAddress(),
                "port", address.getPort()).say();
        return DrillEnd.accept(context, channel, window, 2 * window, size);
    }

    private DrillEnd connect(final Context context, final int window, final int size) throws InterruptedException {
        final DrillLine where = commands.take();
        return DrillEnd.connect(
                context,
                new InetSocketAddress(where.text("host"), (int) where.number("port")),
                window,
                2 * window,
                size);
    }

    private void on(final DrillLine line) {
        final BenchWire wire = Objects.requireNonNull(wires.get(line.text("wire")));
        final int size = (int) line.number("size");
        switch (line.kind()) {
            case "serve" -> {
                // Before the far end may send: what it sends then is not what was left over.
                wire.drain();
                DrillLine.of("serving").say();
                if (line.text("as").equals("write")) {
                    wire.serveWrites(size, target(line), () -> !commands.isEmpty());
                } else {
                    wire.serve(size, line.text("as").equals("echo"), () -> !commands.isEmpty());
                }
            }
            // A server leaves its serving loop, which polls, and waits.
            case "idle" -> DrillLine.of("idle").say();
            case "stream" -> result(wire.stream(size, (int) line.number("window"), line.number("ns")));
            case "onesided" -> result(wire.oneSided(
                    WrOpcode.valueOf(line.text("opcode")),
                    size,
                    (int) line.number("window"),
                    target(line),
                    line.number("ns")));
            case "pingwrite" -> result(wire.pingWrites(size, target(line), line.number("ns")));
            case "pingpong" -> result(wire.pingPong(size, line.number("ns")));
            default -> throw new IllegalArgumentException("no such command: " + line.kind());
        }
    }

    private static BenchWire.Target target(final DrillLine line) {
        return new BenchWire.Target(line.number("address"), (int) line.number("rkey"));
    }

    private static void result(final long value) {
        DrillLine.of("result", "value", value).say();
    }
}
