package io.vhca.harness.drill.attack;

import io.vhca.harness.drill.attack.child.AttackedChild;
import io.vhca.harness.drill.attack.child.AttackerChild;
import io.vhca.harness.drill.attack.child.TappedProvider;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.harness.drill.fabric.AttackFabric;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.fabric.Fabric;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The three processes of an attack drill, and what they say. Two of them are started again after an attack that ended
 * the transfer. One thread; {@link #close} from any.
 */
final class AttackedPair implements AutoCloseable {
    /** Nothing that is waited for takes longer, not even a start on a machine with much else to do. */
    private static final long PATIENCE_NS = 90_000_000_000L;

    private static final String RECEIVER = Fabric.name(true);
    private static final String SENDER = Fabric.name(false);

    private final AttackFabric fabric;
    private final AttackOptions options;
    private BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
    private @Nullable ChildProcess sender;
    private @Nullable ChildProcess receiver;
    private @Nullable ChildProcess attacker;
    private String broken = "";
    private int port;
    private long ackedBytes;
    private long ackedNs;
    private boolean isClosed;

    AttackedPair(final AttackFabric fabric, final AttackOptions options) {
        this.fabric = fabric;
        this.options = options;
    }

    /** Why the transfer ended; empty while it goes on. */
    String broken() {
        return broken;
    }

    /** Where the receiver's application listens. */
    int port() {
        return port;
    }

    /** Bytes of the file that were acknowledged, and when that was said. */
    record Progress(long bytes, long atNs) {
        /** MB/s since an earlier one. */
        double since(final Progress before) {
            return atNs == before.atNs ? 0 : (bytes - before.bytes) * 1e3 / (atNs - before.atNs);
        }
    }

    Progress progress() {
        return new Progress(ackedBytes, ackedNs);
    }

    /** Starts both ends anew, and the attacker where there is none. */
    void start() throws IOException, InterruptedException {
        stopEnds();
        broken = "";
        ackedBytes = 0;
        said = new LinkedBlockingQueue<>();
        stop(attacker);
        startAll();
        final DrillLine listening = await(RECEIVER, "listening");
        if (listening == null) {
            throw new IOException("the ends do not start: " + broken + noise());
        }
        port = (int) listening.number("port");
        tell(false, listening);
        if (await(SENDER, "connected") == null) {
            throw new IOException("the ends do not connect: " + broken + noise());
        }
    }

    private synchronized void startAll() throws IOException {
        if (isClosed) {
            throw new IOException("the drill is over");
        }
        attacker = fabric.startAttacker(AttackerChild.class, said);
        receiver = startEnd(true);
        sender = startEnd(false);
    }

    private ChildProcess startEnd(final boolean isReceiver) throws IOException {
        return fabric.startEnd(
                isReceiver,
                AttackedChild.class,
                TappedProvider.PROPERTY,
                options.portOptions(),
                "mode=active-backup recovery_timeout=10000ms " + options.bond(),
                List.of(String.valueOf(options.seed()), options.input().toAbsolutePath().toString()),
                said);
    }

    void tell(final boolean isReceiver, final DrillLine line) {
        final ChildProcess child = isReceiver ? receiver : sender;
        if (child != null) {
            child.tell(line);
        }
    }

    /** What that process says next of that kind; null when the transfer ended, or it never says it. */
    @Nullable DrillLine await(final String from, final String kind) throws InterruptedException {
        final long startNs = System.nanoTime();
        while (broken.isEmpty()) {
            final ChildProcess.Said next = said.poll(100, TimeUnit.MILLISECONDS);
            if (next != null && on(next) && next.child().equals(from) && next.line().kind().equals(kind)) {
                return next.line();
            }
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                broken = "the " + from + " has not said '" + kind + "' within " + PATIENCE_NS / 1_000_000_000 + " s";
            }
        }
        return null;
    }

    /** Takes what is said for so long. */
    void listen(final long forMs) throws InterruptedException {
        final long startNs = System.nanoTime();
        for (long leftNs = forMs * 1_000_000; leftNs > 0 && broken.isEmpty();
                leftNs = forMs * 1_000_000 - (System.nanoTime() - startNs)) {
            final ChildProcess.Said next = said.poll(leftNs, TimeUnit.NANOSECONDS);
            if (next != null) {
                on(next);
            }
        }
    }

    /** @return false for what nobody waits for */
    private boolean on(final ChildProcess.Said next) {
        switch (next.line().kind()) {
            case "progress" -> {
                ackedBytes = next.line().number("acked");
                ackedNs = next.line().number("t");
                return false;
            }
            case "died", "exited" -> {
                if (broken.isEmpty()) {
                    broken = "the " + next.child() + " ended: " + next.line().values();
                }
                return false;
            }
            default -> {
                return true;
            }
        }
    }

    /** What an end counts and holds; null when the transfer ended. */
    @Nullable DrillLine measure(final boolean isReceiver) throws InterruptedException {
        tell(isReceiver, DrillLine.of("measure"));
        return await(Fabric.name(isReceiver), "measured");
    }

    /** True when all that was sent since the last call arrived. */
    boolean isExact() throws InterruptedException {
        tell(false, DrillLine.of("check"));
        final DrillLine checked = await(SENDER, "checked");
        return checked != null && checked.text("exact").equals("true");
    }

    /** Whether the receiver's devices keep what passes: while an attack runs that would be its own packets. */
    void listening(final boolean yes) throws InterruptedException {
        tell(true, DrillLine.of("listen", "up", yes));
        await(RECEIVER, "listens");
    }

    /** Hands the attacker what the receiver's devices have seen. */
    void showAttacker() throws InterruptedException {
        tell(true, DrillLine.of("tell"));
        final List<DrillLine> seen = new ArrayList<>();
        final long startNs = System.nanoTime();
        boolean isTold = false;
        while (!isTold && broken.isEmpty() && System.nanoTime() - startNs < PATIENCE_NS) {
            final ChildProcess.Said next = said.poll(100, TimeUnit.MILLISECONDS);
            if (next != null && on(next)) {
                isTold = next.line().kind().equals("told");
                if (Sighting.isIn(next.line())) {
                    seen.add(next.line());
                }
            }
        }
        seen.forEach(this::attackerHears);
    }

    private void attackerHears(final DrillLine line) {
        final ChildProcess child = attacker;
        if (child != null) {
            child.tell(line);
        }
    }

    /** Lets the attacker attack; what it says of it, null when the transfer ended first. */
    @Nullable DrillLine attack(final DrillLine line) throws InterruptedException {
        attackerHears(line);
        return await(AttackFabric.ATTACKER, "attacked");
    }

    String noise() {
        final StringBuilder text = new StringBuilder();
        for (final ChildProcess child : new ChildProcess[] {receiver, sender, attacker}) {
            if (child != null && !child.noise().isEmpty()) {
                text.append('\n').append(child.noise());
            }
        }
        return text.toString();
    }

    private void stopEnds() {
        stop(sender);
        stop(receiver);
    }

    private static void stop(final @Nullable ChildProcess child) {
        if (child != null) {
            child.close();
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        stopEnds();
        stop(attacker);
    }
}
