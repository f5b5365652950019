package io.vhca.harness.bench;

import io.vhca.api.WrOpcode;
import io.vhca.harness.bench.wire.BenchWire;
import io.vhca.harness.bench.wire.WireOpener;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Main class of the benchmark's two processes: {@code server|client OWN_ADDRESS PEER_ADDRESS WINDOW SIZE WIRES}. Both
 * open the same wires, as {@link WireOpener} has them, and keep one connection over each; commands say which is
 * measured.
 */
public final class BenchPeer {
    private final Map<String, BenchWire> wires = new LinkedHashMap<>();
    private final LinkedBlockingQueue<DrillLine> commands = new LinkedBlockingQueue<>();

    private BenchPeer() {}

    public static void main(final String[] args) {
        ChildFailure.guard(() -> new BenchPeer().run(args));
    }

    private void run(final String[] args) throws IOException, InterruptedException {
        ChildFailure.obey(commands::add);
        final WireOpener opener = new WireOpener(
                args[0].equals("server"), args[1], args[2], Integer.parseInt(args[3]), Integer.parseInt(args[4]),
                commands::take);
        for (final String wire : args[5].split(",")) {
            wires.put(wire, opener.open(wire));
        }
        DrillLine.of("up").say();
        for (DrillLine line = commands.take(); ; line = commands.take()) {
            on(line);
        }
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
            case "compiled" -> result(
                    TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getCompilationMXBean().getTotalCompilationTime()));
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
