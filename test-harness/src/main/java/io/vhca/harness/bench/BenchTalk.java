package io.vhca.harness.bench;

import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The conversation with a benchmark's two processes, {@link BenchPeer}s by the names of "server" and "client". Owns
 * them. One thread.
 */
public final class BenchTalk implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 300;
    private static final DrillLine NOWHERE = DrillLine.of("region", "address", 0, "rkey", 0);

    private final BlockingQueue<ChildProcess.Said> said;
    private final DrillPeer server;
    private final DrillPeer client;
    /** What was said before it was asked for: that the other one is up. */
    private final List<ChildProcess.Said> early = new ArrayList<>();
    /** The memory of each process that the other may reach, by process and wire. */
    private final Map<String, DrillLine> regions = new HashMap<>();

    /** What one process does for the other while that one measures. */
    private enum Service {
        /** Takes messages. */
        TAKE("take"),
        /** Sends each message back. */
        ECHO("echo"),
        /** Writes back what is written to its memory. */
        WRITE("write");

        private final String word;

        Service(final String word) {
            this.word = word;
        }
    }

    /** @param said where both processes' lines arrive */
    public BenchTalk(
            final BlockingQueue<ChildProcess.Said> said, final DrillPeer server, final DrillPeer client) {
        this.said = said;
        this.server = server;
        this.client = client;
    }

    /** Leads the client to the server, for each wire that is a device, until all connections stand. */
    public void connect(final int devices) throws IOException, InterruptedException {
        for (int i = 0; i < devices; i++) {
            final DrillLine listening = await("server", "listening");
            client.tell(DrillLine.of("go", "host", listening.text("host"), "port", listening.text("port")));
        }
        await("server", "up");
        await("client", "up");
    }

    /** The server, which else polls for ever, stands aside. */
    public void idle(final String wire) throws IOException, InterruptedException {
        server.tell(DrillLine.of("idle", "wire", wire, "size", 0));
        await("server", "idle");
    }

    /** Bytes that SENDs carried in that time. */
    public long stream(final String wire, final int sizeBytes, final int window, final long durationNs)
            throws IOException, InterruptedException {
        serve(wire, sizeBytes, Service.TAKE);
        return ask(DrillLine.of("stream", "wire", wire, "size", sizeBytes, "window", window, "ns", durationNs));
    }

    /** SENDs that went and came back in that time. */
    public long pingPong(final String wire, final int sizeBytes, final long durationNs)
            throws IOException, InterruptedException {
        serve(wire, sizeBytes, Service.ECHO);
        return ask(DrillLine.of("pingpong", "wire", wire, "size", sizeBytes, "ns", durationNs));
    }

    /** WRITEs that were seen in the peer's memory and answered by a WRITE in that time. */
    public long pingWrites(final String wire, final int sizeBytes, final long durationNs)
            throws IOException, InterruptedException {
        serve(wire, sizeBytes, Service.WRITE);
        final DrillLine target = region("server", wire);
        return ask(DrillLine.of(
                "pingwrite",
                "wire", wire,
                "size", sizeBytes,
                "address", target.number("address"),
                "rkey", target.number("rkey"),
                "ns", durationNs));
    }

    /** The server takes what comes over the wire, and polls for it, until it is told otherwise. */
    void poll(final String wire, final int sizeBytes) throws IOException, InterruptedException {
        serve(wire, sizeBytes, Service.TAKE);
    }

    /** READs, one after the other, that completed in that time; the peer's process rests meanwhile. */
    public long reads(final String wire, final int sizeBytes, final long durationNs)
            throws IOException, InterruptedException {
        idle(wire);
        return oneSided(wire, WrOpcode.RDMA_READ, sizeBytes, 1, durationNs);
    }

    /** WRITEs, {@code window} at once, that completed in that time. */
    long writes(final String wire, final int sizeBytes, final int window, final long durationNs)
            throws IOException, InterruptedException {
        return oneSided(wire, WrOpcode.RDMA_WRITE, sizeBytes, window, durationNs);
    }

    /** One-sided operations, {@code window} at once, that completed in that time. */
    long oneSided(
            final String wire, final WrOpcode opcode, final int sizeBytes, final int window, final long durationNs)
            throws IOException, InterruptedException {
        final DrillLine target = region("server", wire);
        return ask(DrillLine.of(
                "onesided",
                "wire", wire,
                "opcode", opcode.name(),
                "size", sizeBytes,
                "window", window,
                "address", target.number("address"),
                "rkey", target.number("rkey"),
                "ns", durationNs));
    }

    /** What the compilers of both processes have worked until now, in ns; the server stands aside. */
    public long compilersNs(final String wire) throws IOException, InterruptedException {
        final DrillLine question = DrillLine.of("compiled", "wire", wire, "size", 0);
        server.tell(question);
        return await("server", "result").number("value") + ask(question);
    }

    private void serve(final String wire, final int sizeBytes, final Service service)
            throws IOException, InterruptedException {
        final DrillLine answer = service == Service.WRITE ? region("client", wire) : NOWHERE;
        server.tell(DrillLine.of(
                "serve",
                "wire", wire,
                "size", sizeBytes,
                "as", service.word,
                "address", answer.number("address"),
                "rkey", answer.number("rkey")));
        await("server", "serving");
    }

    private long ask(final DrillLine line) throws IOException, InterruptedException {
        client.tell(line);
        return await("client", "result").number("value");
    }

    private DrillLine region(final String child, final String wire) {
        return Objects.requireNonNull(regions.get(child + wire), () -> wire + " has no memory to reach");
    }

    private DrillLine await(final String child, final String kind) throws IOException, InterruptedException {
        for (final ChildProcess.Said one : early) {
            if (isThat(one, child, kind)) {
                early.remove(one);
                return one.line();
            }
        }
        while (true) {
            final ChildProcess.Said next = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException("the " + child + " said nothing for " + PATIENCE_SECONDS + " s, '" + kind
                        + "' was due\n" + server.noise() + client.noise());
            }
            final DrillLine line = next.line();
            if (line.kind().equals("region")) {
                regions.put(next.child() + line.text("wire"), line);
            }
            if (isThat(next, child, kind)) {
                return line;
            }
            if (line.kind().equals("died") || line.kind().equals("exited")) {
                throw new IOException("the " + next.child() + " of the benchmark failed: " + line.values() + "\n"
                        + server.noise() + client.noise());
            }
            if (line.kind().equals("up")) {
                // The other one was faster: it is asked for next.
                early.add(next);
            }
        }
    }

    private static boolean isThat(final ChildProcess.Said one, final String child, final String kind) {
        return one.child().equals(child) && one.line().kind().equals(kind);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
