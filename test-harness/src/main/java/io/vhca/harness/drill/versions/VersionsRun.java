package io.vhca.harness.drill.versions;

import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.fabric.ChildProcess.Said;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.recovery.wire.PrefixDescriptor;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The drill of a rolling upgrade: four processes of version 1 that all send to each other, of which one after another
 * is stopped and started again with the newest version, while links are cut. One thread.
 */
public final class VersionsRun implements AutoCloseable {
    private static final int PROCESSES = 4;
    private static final int MEMBERS = 2;
    /** Longer than a child waits itself: it knows what for. */
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(180);
    private static final long CUT_NS = TimeUnit.MILLISECONDS.toNanos(700);

    private final PrintWriter out;
    private final SplittableRandom random;
    private final String addresses = addresses();
    private final BlockingQueue<Said> said = new LinkedBlockingQueue<>();
    private final ChildProcess[] children = new ChildProcess[PROCESSES];
    private final int[] lives = new int[PROCESSES];
    private final boolean[] stopped = new boolean[PROCESSES];
    private final boolean[] gone = new boolean[PROCESSES];
    private final int[] connections = new int[PROCESSES];
    private final Ledger ledger = new Ledger();

    public VersionsRun(final PrintWriter out, final long seed) {
        this.out = out;
        random = new SplittableRandom(seed);
    }

    /** Loopback addresses of this process alone. */
    private static String addresses() {
        final int pid = (int) ProcessHandle.current().pid();
        final List<String> all = new ArrayList<>();
        for (int i = 0; i < PROCESSES * MEMBERS; i++) {
            all.add("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + (201 + i));
        }
        return String.join(",", all);
    }

    /** True when nothing was lost that was not in a restarted process. */
    public boolean run() throws IOException, InterruptedException {
        out.printf(Locale.ROOT, "versions: %d processes of version 1, all connected to each other%n", PROCESSES);
        for (int process = 0; process < PROCESSES; process++) {
            start(process, true);
        }
        await("all are connected", () -> connectedAll());
        cut();
        for (int process = 0; process < PROCESSES; process++) {
            stop(process);
            start(process, false);
            await("process " + process + " is connected", () -> connectedAll());
            ledger.isWhole();
            out.printf(Locale.ROOT, "process %d restarted with version %d; it and the others are connected%n", process,
                    PrefixDescriptor.VERSION);
            cut();
        }
        for (int process = 0; process < PROCESSES; process++) {
            stop(process);
        }
        final List<String> faults = ledger.judge(PROCESSES);
        faults.forEach(fault -> out.println("  " + fault));
        out.printf(
                Locale.ROOT,
                "messages received %d, failovers %d, first connections with an older bond %d, with a newer one %d%n",
                ledger.received(), ledger.recovered(), ledger.older(), ledger.newer());
        out.println("verdict: "
                + (faults.isEmpty() ? "nothing was lost that was not in a restarted process" : "BAD"));
        out.flush();
        return faults.isEmpty();
    }

    private void start(final int process, final boolean isOld) throws IOException {
        stopped[process] = false;
        gone[process] = false;
        connections[process] = 0;
        final List<String> properties = isOld ? List.of("vhca.harness.version=1") : List.of();
        children[process] = ChildProcess.start(
                String.valueOf(process), List.of(), properties, VersionsChild.class,
                List.of(String.valueOf(process), String.valueOf(lives[process]++), addresses), said);
    }

    private boolean connectedAll() {
        for (final int count : connections) {
            if (count < PROCESSES - 1) {
                return false;
            }
        }
        return true;
    }

    /** One of the links of a process dies and comes back. */
    private void cut() throws InterruptedException {
        final int process = random.nextInt(PROCESSES);
        final int member = random.nextInt(MEMBERS);
        children[process].tell(DrillLine.of("cut", "member", member));
        listen(CUT_NS);
        children[process].tell(DrillLine.of("heal", "member", member));
        listen(CUT_NS);
        out.printf(Locale.ROOT, "process %d lost link %d for a while%n", process, member);
        out.flush();
    }

    private void stop(final int process) throws InterruptedException {
        ledger.stops(process);
        children[process].tell(DrillLine.of("stop"));
        await("process " + process + " has stopped", () -> gone[process]);
        children[process].close();
    }

    private void listen(final long forNs) throws InterruptedException {
        final long endNs = System.nanoTime() + forNs;
        for (long left = forNs; left > 0; left = endNs - System.nanoTime()) {
            final Said next = said.poll(left, TimeUnit.NANOSECONDS);
            if (next != null) {
                on(next);
            }
        }
    }

    private void await(final String what, final BooleanSupplier isSo) throws InterruptedException {
        final long endNs = System.nanoTime() + STEP_NS;
        while (!isSo.getAsBoolean()) {
            final Said next = said.poll(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new IllegalStateException("not within three minutes: " + what);
            }
            on(next);
        }
    }

    private void on(final Said one) {
        final int process = Integer.parseInt(one.child());
        final DrillLine line = one.line();
        switch (line.kind()) {
            case "up" -> connections[process]++;
            case "over" -> {
                connections[process]--;
                ledger.over(process, (int) line.number("peer"));
            }
            case "stopped" -> stopped[process] = true;
            case "died" -> throw new IllegalStateException(
                    "process " + process + " died: " + line.text("why") + "\n" + children[process].noise());
            case "exited" -> {
                if (!stopped[process]) {
                    throw new IllegalStateException("process " + process + " ended: " + children[process].noise());
                }
                gone[process] = true;
            }
            default -> ledger.on(process, lives[process] - 1, line);
        }
    }

    @Override
    public void close() {
        for (final ChildProcess child : children) {
            if (child != null) {
                child.close();
            }
        }
    }
}
