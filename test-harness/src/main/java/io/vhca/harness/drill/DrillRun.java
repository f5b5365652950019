package io.vhca.harness.drill;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.fabric.Cut;
import io.vhca.harness.drill.fabric.CutDriver;
import io.vhca.harness.drill.fabric.CutSchedule;
import io.vhca.harness.drill.fabric.Fabric;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.fabric.NetnsFabric;
import io.vhca.harness.drill.fabric.StarvationTide;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import io.vhca.harness.drill.protocol.DrillScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs one drill: starts the children, cuts and heals, collects what they say. One thread; children and fabric are
 * removed at the end, after a failure, and by a shutdown hook after Ctrl-C.
 */
public final class DrillRun {
    static final long STALL_NS = 60_000_000_000L;

    /** What two JVMs may need to start on a machine that has everything else to do as well. */
    private static final long START_NS = 120_000_000_000L;

    private static final long TICK_MS = 100;

    private final DrillOptions options;
    private final DrillView view;
    private final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
    private final Fabric fabric;
    private final DrillLog log;
    private final CutDriver driver;
    private final long totalBytes;
    private final List<DrillPeer> children = new ArrayList<>();

    private @Nullable DrillPeer sender;
    private @Nullable DrillPeer receiver;
    private @Nullable StarvationTide starvation;
    private boolean connected;
    private boolean finished;
    private boolean endsEarly;
    private long killedNs;
    private long limitBytes = -1;
    private long markBytes = -1;
    private long heardNs = System.nanoTime();
    private long ackedBytes;

    /** A drill on this machine. */
    public DrillRun(final DrillOptions options, final DrillView view) throws IOException {
        this(options, fabric(options), view);
    }

    /** A drill somewhere else; the fabric is closed when it ends. */
    public DrillRun(final DrillOptions options, final Fabric fabric, final DrillView view) throws IOException {
        this.options = options;
        this.fabric = fabric;
        this.view = view;
        totalBytes = Files.size(options.input());
        final int cuts = options.kill() ? 0 : options.cuts();
        driver = new CutDriver(CutSchedule.draw(options.seed(), cuts, totalBytes), totalBytes, fabric::healAfterNs);
        log = new DrillLog(options, fabric, totalBytes);
    }

    private static Fabric fabric(final DrillOptions options) {
        return options.fabric() == DrillOptions.FabricKind.NETNS
                ? new NetnsFabric()
                : new LoopbackFabric(options.scenario());
    }

    /**
     * Runs it to its end.
     *
     * @throws IOException when a child or the fabric cannot be started
     */
    public DrillResult run() throws IOException, InterruptedException {
        final Thread hook = new Thread(this::cleanUp, "drill-cleanup");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            fabric.setUp();
            startChildren();
            while (!finished) {
                final ChildProcess.Said next = said.poll(TICK_MS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    heardNs = System.nanoTime();
                    on(next);
                }
                check();
                view.tick(log);
            }
        } finally {
            cleanUp();
            forget(hook);
        }
        return log.result(driver.survived());
    }

    private static void forget(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // Ctrl-C: it is running already, and does the same.
        }
    }

    private void startChildren() throws IOException {
        final String window = String.valueOf(options.window());
        final String payload = String.valueOf(options.maxPayloadBytes());
        final String side = DrillChild.encode(options.side());
        receiver = start(true, List.of("receiver", "bond0", window, payload, side));
        sender = start(
                false,
                List.of(
                        "sender",
                        "bond0",
                        window,
                        payload,
                        side,
                        String.valueOf(options.seed()),
                        String.valueOf(options.bytesPerSecond()),
                        options.input().toAbsolutePath().toString()));
    }

    private DrillPeer start(final boolean isReceiver, final List<String> args) throws IOException {
        final String bond = "vhca.bond=bond0: mode=" + options.mode().text()
                + " members=" + String.join(",", fabric.members(isReceiver))
                + " recovery_timeout=" + options.recoveryTimeoutMs() + "ms " + fabric.bondOptions(isReceiver);
        final DrillPeer child = fabric.start(isReceiver, List.of(bond), args, said);
        synchronized (children) {
            children.add(child);
        }
        return child;
    }

    private void cleanUp() {
        synchronized (children) {
            if (starvation != null) {
                starvation.close();
                starvation = null;
            }
            children.forEach(DrillPeer::close);
            children.clear();
        }
        fabric.close();
    }

    private void on(final ChildProcess.Said next) throws InterruptedException {
        final boolean fromSender = next.child().equals("sender");
        final DrillLine line = next.line();
        switch (line.kind()) {
            case "listening" -> tellSender(DrillLine.of(
                    "go",
                    "host", line.text("host"),
                    "port", line.text("port"),
                    "address", line.values().getOrDefault("address", "0"),
                    "rkey", line.values().getOrDefault("rkey", "0"),
                    "bytes", newLimit(),
                    "mark", markBytes));
            case "connected" -> onConnected(fromSender, line);
            case "progress" -> onProgress(line);
            case "failover" -> onFailover(fromSender, line);
            case "plugged" -> log.plugged(next.child() + " " + line.text("device"), line.number("t"));
            case "verdict" -> log.verdict(line);
            case "sent" -> {
                log.sent(line);
                finished = true;
            }
            case "failed", "flushed" -> onFailure(fromSender, line);
            case "died" -> finish(next.child() + " failed: " + line.text("why") + tail(next.child()));
            case "exited" -> onExit(next.child(), line);
            default -> {
                // ready: nothing to do yet.
            }
        }
    }

    private void onConnected(final boolean fromSender, final DrillLine line) {
        if (fromSender) {
            connected = true;
            starve();
            log.connectedOver(fabric.devices(true), line.text("path"));
            log.started(System.nanoTime());
            view.connected(log);
        }
    }

    /** From now on the processes have their part of the time. */
    private void starve() {
        synchronized (children) {
            final List<ProcessHandle> starved = fabric.starved(children);
            if (starvation == null && !starved.isEmpty()) {
                starvation = new StarvationTide(options.starve(), options.soakSeconds() > 0, starved);
            }
        }
    }

    private void onProgress(final DrillLine line) throws InterruptedException {
        ackedBytes = line.number("acked");
        log.progress(line);
        if (options.kill() && killedNs == 0 && ackedBytes >= totalBytes / 2 && receiver != null) {
            killedNs = System.nanoTime();
            receiver.kill();
            log.killed(killedNs);
            view.event("kill -9 of the receiving process after " + DrillView.megabytes(ackedBytes));
        }
        switch (driver.onProgress(ackedBytes, System.nanoTime())) {
            case CUT -> tryPlug(false);
            case HEAL -> tryPlug(true);
            case NONE -> { }
        }
        sendLimit();
    }

    private void tryPlug(final boolean up) throws InterruptedException {
        try {
            plug(up);
        } catch (final IOException e) {
            finish(words().noun() + " could not be " + (up ? "undone: " : "made: ") + e.getMessage());
        }
    }

    private void plug(final boolean up) throws IOException, InterruptedException {
        if (up) {
            final DrillLog.OpenCut cut = log.healing();
            log.mark(fabric.plug(cut.atReceiver(), cut.member(), true), cut.what(), true);
            view.event(words().undone() + ": " + cut.what());
            return;
        }
        final Cut planned = driver.current();
        final String member = log.activeMember(planned.atReceiver());
        final String what = (planned.atReceiver() ? "receiver " : "sender ") + member;
        log.cutting(planned, member, System.nanoTime());
        log.mark(fabric.plug(planned.atReceiver(), member, false), what, false);
        view.event(words().noun() + " " + (planned.index() + 1) + " of " + options.cuts() + ": " + what + " after "
                + DrillView.megabytes(ackedBytes));
    }

    private DrillScenario.Words words() {
        return options.scenario().words();
    }

    private void onFailover(final boolean fromSender, final DrillLine line) {
        final FailoverRow row = log.failover(fromSender, line);
        if (fromSender) {
            // The sender's word counts for both ends: the receiver's own comes later, or after the next cut is chosen.
            log.carriedBy(fabric.devices(true), line.text("to"));
        }
        if (row != null) {
            driver.onFailover(ackedBytes);
            view.failover(row);
            sendLimit();
        }
    }

    private void onFailure(final boolean fromSender, final DrillLine line) {
        if (options.kill() && fromSender && killedNs != 0) {
            log.failure(line);
            finished = line.kind().equals("flushed");
        } else if (line.kind().equals("failed")) {
            finish((fromSender ? "the sender" : "the receiver") + " lost the connection: " + line.values());
        }
    }

    private void onExit(final String child, final DrillLine line) {
        if (child.equals("receiver") && killedNs != 0) {
            return;
        }
        finish(child + " ended with exit code " + line.text("code") + tail(child));
    }

    private String tail(final String name) {
        final DrillPeer child = name.equals("sender") ? sender : receiver;
        final String noise = child == null ? "" : child.noise();
        return noise.isEmpty() ? "" : "; it said:\n" + noise;
    }

    private void check() throws InterruptedException {
        final long nowNs = System.nanoTime();
        synchronized (children) {
            if (starvation != null) {
                starvation.onTime(nowNs - log.startNs());
            }
        }
        if (driver.onTime(nowNs) == CutDriver.Action.HEAL) {
            tryPlug(true);
            sendLimit();
        }
        if (fabric.endAfterNs() > 0
                && connected
                && !endsEarly
                && driver.isAtRest()
                && nowNs - log.startNs() > fabric.endAfterNs()) {
            endsEarly = true;
            log.endsEarly(driver.end());
            tellSender(DrillLine.of("end"));
        }
        final long boundNs = TimeUnit.MILLISECONDS.toNanos(options.recoveryTimeoutMs())
                + (connected ? options.starve() * STALL_NS : STALL_NS + START_NS);
        if (killedNs != 0 && nowNs - killedNs > boundNs) {
            finish("the sender got no error within " + boundNs / 1_000_000_000 + " s of the kill: it hangs");
        } else if (log.stalledNs(nowNs) > boundNs || nowNs - heardNs > boundNs) {
            finish("nothing moved for " + boundNs / 1_000_000_000 + " s"
                    + (connected ? "" : ": no connection")
                    + (connected && driver.isDown() ? ", the " + words().noun() + " is not survived" : "")
                    + tail("sender") + tail("receiver"));
        }
    }

    private void finish(final String failure) {
        if (!finished) {
            finished = true;
            log.broken(failure);
        }
    }

    private long newLimit() {
        limitBytes = driver.limitBytes();
        markBytes = driver.markBytes();
        return limitBytes;
    }

    private void sendLimit() {
        if (!endsEarly && (driver.limitBytes() != limitBytes || driver.markBytes() != markBytes)) {
            tellSender(DrillLine.of("limit", "bytes", newLimit(), "mark", markBytes));
        }
    }

    private void tellSender(final DrillLine line) {
        if (sender != null) {
            sender.tell(line);
        }
    }
}
