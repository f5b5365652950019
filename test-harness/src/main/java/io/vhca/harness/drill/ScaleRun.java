package io.vhca.harness.drill;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * How the failover of many queue pairs grows with their number: between two processes with two soft ports each, on each
 * queue pair {@link #IN_FLIGHT} WRITEs in flight when the port goes that all are on. One thread.
 */
public final class ScaleRun {
    /** WRITEs in flight on each queue pair. */
    public static final int IN_FLIGHT = ScaleChild.WINDOW;

    private static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000);
    private static final int MOST_QUICKLY = 100;
    private static final int CUTS = 5;
    private static final long PATIENCE_NS = 180_000_000_000L;

    private final PrintWriter out;
    private final boolean isQuick;

    /** @param isQuick few and one cut each: to see that it works, not to quote */
    public ScaleRun(final PrintWriter out, final boolean isQuick) {
        this.out = out;
        this.isQuick = isQuick;
    }

    /**
     * Measures every number of queue pairs.
     *
     * @throws IOException when a process fails, or says nothing for three minutes
     */
    public List<ScaleResult> run() throws IOException, InterruptedException {
        final List<ScaleResult> results = new ArrayList<>();
        for (final int size : SIZES) {
            if (!isQuick || size <= MOST_QUICKLY) {
                out.printf("  %,d queue pairs%n", size);
                out.flush();
                results.add(run(size));
            }
        }
        return results;
    }

    private ScaleResult run(final int size) throws IOException, InterruptedException {
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        final List<Long> took = new ArrayList<>();
        try (ChildProcess receiver = start(true, size, said);
                ChildProcess sender = start(false, size, said)) {
            for (boolean isDone = false; !isDone; ) {
                final ChildProcess.Said next = said.poll(PATIENCE_NS, TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new IOException(size + " queue pairs: nothing was said for three minutes\n"
                            + receiver.noise() + sender.noise());
                }
                switch (next.line().kind()) {
                    case "listening" -> sender.tell(next.line());
                    case "scale" -> took.add(next.line().number("ns"));
                    case "done" -> isDone = true;
                    case "died", "exited" -> throw new IOException(size + " queue pairs: the " + next.child()
                            + " ended: " + next.line().values() + "\n" + receiver.noise() + sender.noise());
                    default -> {
                        // Nothing else matters here.
                    }
                }
            }
        }
        Collections.sort(took);
        return new ScaleResult(size, took.get(took.size() / 2), took.getLast());
    }

    private ChildProcess start(final boolean isReceiver, final int size, final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        return ChildProcess.start(
                Fabric.name(isReceiver),
                List.of(),
                List.of(
                        "vhca.soft=" + LoopbackFabric.devices(isReceiver, ""),
                        "vhca.bond=bond0: mode=active-backup members=" + String.join(",", LoopbackFabric.MEMBERS)),
                ScaleChild.class,
                List.of(Fabric.name(isReceiver), String.valueOf(size), String.valueOf(isQuick ? 1 : CUTS)),
                said);
    }
}
