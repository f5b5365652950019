package io.vhca.harness.drill.attack.child;

import io.vhca.api.Gid;
import io.vhca.harness.drill.attack.kind.AttackKind;
import io.vhca.harness.drill.attack.kind.AttackScene;
import io.vhca.harness.drill.attack.kind.AttackTable;
import io.vhca.harness.drill.attack.kind.ShotSource;
import io.vhca.harness.drill.attack.packet.Knowledge;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Main class of the process that attacks: {@code SERVER,... CLIENT,... FIRST_OWN_ADDRESS}. It makes the attacks that it
 * is told by {@code attack} lines, each after what it has been told to have {@code seen}. One thread.
 */
public final class AttackerChild {
    private static final long NS_PER_MS = 1_000_000;
    private static final long BATCH_NS = NS_PER_MS;

    private final List<Gid> server;
    private final List<Gid> client;
    private final Gid strangers;
    private final List<Sighting> seen = new ArrayList<>();
    private final BlockingQueue<DrillLine> lines = new LinkedBlockingQueue<>();

    private AttackerChild(final List<Gid> server, final List<Gid> client, final Gid strangers) {
        this.server = server;
        this.client = client;
        this.strangers = strangers;
    }

    public static void main(final String[] args) {
        ChildFailure.guard(() -> new AttackerChild(gids(args[0]), gids(args[1]), Sighting.gid(args[2])).run());
    }

    private static List<Gid> gids(final String addresses) {
        return Arrays.stream(addresses.split(",", -1)).map(Sighting::gid).toList();
    }

    private void run() throws IOException, InterruptedException {
        ChildFailure.obey(lines::add);
        DrillLine.of("ready").say();
        while (true) {
            final DrillLine line = lines.take();
            if (Sighting.isIn(line)) {
                seen.add(Sighting.of(line));
            } else if (line.kind().equals("attack")) {
                attack(line);
                seen.clear();
            }
        }
    }

    private void attack(final DrillLine line) throws IOException {
        final AttackKind kind = AttackTable.byLabel(line.text("label"));
        final SplittableRandom random = new SplittableRandom(line.number("seed"));
        final ShotSource source = kind.source()
                .apply(new AttackScene(
                        kind.attacker(), server, client, strangers, Knowledge.of(seen, random),
                        (int) line.number("app"), (int) line.number("bond"), random, new PacketForge()));
        // The first one takes the classes' loading, which is no part of the attack's time.
        source.next();
        final long spanNs = line.number("ms") * NS_PER_MS;
        final long bytesPerSecond = line.number("rate");
        try (Sockets sockets = new Sockets()) {
            fire(kind, source, sockets, spanNs, bytesPerSecond);
        }
    }

    /**
     * Sends in small batches, each as large as the pace allows by then; a rate of 0 is no limit. A flood ends with its
     * time. A few packets are sent all the same, however late a host without a processor for them is.
     */
    private static void fire(
            final AttackKind kind,
            final ShotSource source,
            final Sockets sockets,
            final long spanNs,
            final long bytesPerSecond) {
        final int shots = kind.volley().shots();
        final boolean isFlood = kind.volley().isFlood();
        final long startNs = System.nanoTime();
        long sent = 0;
        long bytes = 0;
        long refused = 0;
        String why = "";
        for (long pastNs = 0;
                (!isFlood || pastNs < spanNs) && sent + refused < shots;
                pastNs = System.nanoTime() - startNs) {
            final boolean isDue = isFlood
                    ? bytesPerSecond == 0 || bytes <= (double) bytesPerSecond * pastNs / 1e9
                    : sent + refused <= (double) shots * pastNs / spanNs;
            if (!isDue) {
                LockSupport.parkNanos(BATCH_NS);
                continue;
            }
            try {
                bytes += sockets.send(source.next());
                sent++;
            } catch (final IOException e) {
                refused++;
                why = String.valueOf(e.getMessage());
            }
        }
        DrillLine.of(
                        "attacked",
                        "sent", sent,
                        "bytes", bytes,
                        "refused", refused,
                        "why", why,
                        "ns", System.nanoTime() - startNs)
                .say();
    }
}
