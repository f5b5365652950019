package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchPeer;
import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.bench.BenchTalk;
import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * perftest's C programs on rxe0, our Java programs on rxe0 and on bond0, in the same two machines, one after another.
 * Each round measures all of them, and ratios are taken within a round, so that what disturbs this machine disturbs all
 * alike. One thread.
 */
public final class LabBench {
    private static final String DEVICE = "rxe0";
    private static final String BOND = "bond0";
    /** What sockets and queue pairs are compared on. */
    static final String BOND_OF_TWO = BOND + ": mode=active-backup members=rxe0,rxe1 path_timeout=5s";

    private static final int PING_BYTES = 64;
    private static final int STREAM_BYTES = 65_536;
    private static final int WINDOW = 32;
    private static final double LATENCY_GOAL = 1.10;
    private static final double BANDWIDTH_GOAL = 0.95;
    private static final double BOND_LATENCY_GOAL = 1.02;
    private static final double BOND_BANDWIDTH_GOAL = 0.98;

    /** Makes the words that start a JVM, of its properties, its main class and the arguments of that. */
    @FunctionalInterface
    interface Jvm {
        List<String> words(List<String> properties, String main, List<String> args);
    }

    private final Lab lab;
    private final int rounds;
    private final long roundNs;
    private final int pings;
    private final int streams;
    private final PrintWriter out;
    private final LabFigures figures = new LabFigures();

    public LabBench(final Lab lab, final boolean isQuick, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        rounds = isQuick ? 2 : 7;
        roundNs = TimeUnit.MILLISECONDS.toNanos(isQuick ? 1_000 : 4_000);
        pings = isQuick ? 1_000 : 4_000;
        streams = isQuick ? 100 : 400;
    }

    /** Runs all rounds. */
    public List<BenchRow> run() throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        lab.measureClocks();
        final List<String> wires = List.of(DEVICE, BOND);
        try (BenchTalk talk = open(lab, BOND_OF_TWO, WINDOW, STREAM_BYTES, wires, wires.size())) {
            for (final String device : List.of(DEVICE, BOND)) {
                measure(talk, device);
            }
            figures.clear();
            for (int round = 0; round < rounds; round++) {
                out.printf(Locale.ROOT, "  round %d of %d%n", round + 1, rounds);
                out.flush();
                // The server polls while it serves: it must stand aside while C runs.
                talk.idle(DEVICE);
                perftest();
                for (final String device : round % 2 == 0 ? List.of(DEVICE, BOND) : List.of(BOND, DEVICE)) {
                    measure(talk, device);
                }
            }
        }
        return rows();
    }

    /** As the other one, with both of the JVM's compilers: code that runs long enough is compiled best. */
    static BenchTalk open(
            final Lab lab, final String bond, final int window, final int sizeBytes, final List<String> wires,
            final int served)
            throws IOException, InterruptedException {
        return open(lab, bond, window, sizeBytes, wires, served, ChildProcess::command);
    }

    /**
     * Starts both ends of a benchmark, the client in machine 1, the server in machine 2, and returns what they are told
     * by when all wires are connected.
     *
     * @param served how many of the wires have a server
     * @param jvm    makes the words that start a JVM
     */
    static BenchTalk open(
            final Lab lab, final String bond, final int window, final int sizeBytes, final List<String> wires,
            final int served, final Jvm jvm)
            throws IOException, InterruptedException {
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        final List<LabPeer> toClose = new ArrayList<>();
        try {
            for (int machine = Lab.MACHINES; machine > 0; machine--) {
                final String role = machine == 1 ? "client" : "server";
                final List<String> words = jvm.words(
                        List.of("vhca.bond=" + bond),
                        BenchPeer.class.getName(),
                        List.of(
                                role,
                                "10.77.0." + machine,
                                "10.77.0." + Lab.peer(machine),
                                String.valueOf(window),
                                String.valueOf(sizeBytes),
                                String.join(",", wires)));
                toClose.add(LabPeer.start(lab, machine, role, false, words, said));
            }
            final BenchTalk talk = new BenchTalk(said, toClose.getFirst(), toClose.getLast());
            talk.connect(served);
            toClose.clear();
            return talk;
        } finally {
            toClose.forEach(LabPeer::close);
        }
    }

    private void perftest() throws IOException, InterruptedException {
        final Perftest perftest = new Perftest(lab, DEVICE);
        figures.add("C send", perftest.latencyUs("ib_send_lat", PING_BYTES, pings));
        figures.add("C write", perftest.latencyUs("ib_write_lat", PING_BYTES, pings));
        figures.add("C read", perftest.latencyUs("ib_read_lat", PING_BYTES, pings));
        figures.add("C bandwidth", perftest.megabytesPerSecond("ib_send_bw", STREAM_BYTES, streams));
    }

    /** The same as perftest's programs do: half a round trip of messages and of WRITEs, a whole one of a READ. */
    private void measure(final BenchTalk talk, final String device) throws IOException, InterruptedException {
        figures.add(device + " send", roundNs / 2e3 / Math.max(1, talk.pingPong(device, PING_BYTES, roundNs)));
        figures.add(device + " write", roundNs / 2e3 / Math.max(1, talk.pingWrites(device, PING_BYTES, roundNs)));
        figures.add(device + " read", roundNs / 1e3 / Math.max(1, talk.reads(device, PING_BYTES, roundNs)));
        figures.add(device + " bandwidth", talk.stream(device, STREAM_BYTES, WINDOW, roundNs) * 1e3 / roundNs);
    }

    private List<BenchRow> rows() {
        final List<BenchRow> rows = new ArrayList<>();
        for (final String verb : List.of("send", "write", "read")) {
            final String program = "ib_" + verb + "_lat";
            final String name = verb.toUpperCase(Locale.ROOT);
            rows.add(figures.figure(program + ", 64 bytes", "C " + verb, "us"));
            rows.add(figures.figure("Java on rxe0, " + name + ", 64 bytes", DEVICE + ' ' + verb, "us"));
            rows.add(figures.figure("Java on bond0, " + name + ", 64 bytes", BOND + ' ' + verb, "us"));
            rows.add(figures.ratio(
                    "Java on rxe0 / " + program, DEVICE + ' ' + verb, "C " + verb, LATENCY_GOAL, true));
            rows.add(figures.ratio(
                    "bond0 / rxe0, latency of " + name, BOND + ' ' + verb, DEVICE + ' ' + verb, BOND_LATENCY_GOAL,
                    true));
        }
        rows.add(figures.figure("ib_send_bw, 64 KiB", "C bandwidth", "MB/s"));
        rows.add(figures.figure("Java on rxe0, SEND, 64 KiB", DEVICE + " bandwidth", "MB/s"));
        rows.add(figures.figure("Java on bond0, SEND, 64 KiB", BOND + " bandwidth", "MB/s"));
        rows.add(figures.ratio(
                "Java on rxe0 / ib_send_bw", DEVICE + " bandwidth", "C bandwidth", BANDWIDTH_GOAL, false));
        rows.add(figures.ratio(
                "bond0 / rxe0, bandwidth", BOND + " bandwidth", DEVICE + " bandwidth", BOND_BANDWIDTH_GOAL, false));
        return rows;
    }
}
