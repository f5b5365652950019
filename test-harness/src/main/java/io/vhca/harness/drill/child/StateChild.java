package io.vhca.harness.drill.child;

import io.vhca.bond.BondContext;
import io.vhca.harness.drill.StateRun;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.dump.DumpFile;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Main class of the two processes of {@link StateRun}: {@code sender|receiver QUEUE_PAIRS ROUNDS ROUND_MS DUMPS}. The
 * sender keeps a WRITE in flight on every queue pair. It tells how many complete while its bond leaves the devices
 * alone, and while it asks them for the state of every queue pair each second; then dumps of the bond are written, and
 * it tells how long each of them kept the data path. One thread, and one that writes dumps.
 */
public final class StateChild {
    private static final int BYTES = 64;
    private static final List<String> OFF_AND_ON = List.of("state_interval=0", "state_interval=1s");

    private final ChildControl control;
    private final BondContext bond;
    private final QpGroup qps;
    private final long into;
    private final int rkey;
    private int idle;

    private StateChild(
            final ChildControl control, final BondContext bond, final QpGroup qps, final long into, final int rkey) {
        this.control = control;
        this.bond = bond;
        this.qps = qps;
        this.into = into;
        this.rkey = rkey;
    }

    public static void main(final String[] args) {
        final int count = Integer.parseInt(args[1]);
        final int rounds = Integer.parseInt(args[2]);
        final long roundNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[3]));
        final int dumps = Integer.parseInt(args[4]);
        ChildFailure.guard(() -> GroupChild.run(
                args[0].equals("receiver"), count, BYTES,
                (control, bond, qps, into, rkey) ->
                        new StateChild(control, bond, qps, into, rkey).send(rounds, roundNs, dumps)));
    }

    private void send(final int rounds, final long roundNs, final int dumps) {
        for (int qp = 0; qp < qps.size(); qp++) {
            write(qp);
        }
        completedIn(roundNs); // warms up
        for (int round = 0; round < rounds; round++) {
            for (int n = 0; n < OFF_AND_ON.size(); n++) {
                final int setting = (round + n) % OFF_AND_ON.size();
                bond.admin().set(List.of(OFF_AND_ON.get(setting)));
                control.say(DrillLine.of(
                        "rate", "on", setting, "round", round, "completed", completedIn(roundNs)));
            }
        }
        bond.admin().set(List.of(OFF_AND_ON.getFirst()));
        final long failovers = bond.failovers().size();
        for (int i = 0; i < dumps; i++) {
            final Thread dumping = ChildFailure.thread("dump", this::dump);
            while (dumping.isAlive()) {
                replace();
            }
        }
        completedIn(roundNs); // a peer that took the pause for a failure would have said so by then
        control.say(DrillLine.of("done", "failovers", bond.failovers().size() - failovers));
    }

    /** WRITEs that completed in that time; each is followed by another one on its queue pair. */
    private long completedIn(final long durationNs) {
        final long beganNs = System.nanoTime();
        long completed = 0;
        while (System.nanoTime() - beganNs < durationNs) {
            completed += replace();
        }
        return completed;
    }

    private int replace() {
        final int count = qps.poll();
        for (int i = 0; i < count; i++) {
            write(QpGroup.qpOf(qps.at(i).wrId()));
        }
        idle = count > 0 ? 0 : idle + 1;
        Idling.pause(idle);
        return count;
    }

    private void write(final int qp) {
        qps.write(qp, 0, qps.address(), BYTES, into, rkey);
    }

    private void dump() throws IOException {
        final Path file = Files.createTempFile("vhca-bench", ".dump");
        try {
            try (FileChannel to = FileChannel.open(file, StandardOpenOption.WRITE)) {
                BondDump.write(bond, false, to, StatusDirectory.path());
            }
            try (DumpFile dump = DumpFile.open(file)) {
                control.say(DrillLine.of(
                        "dump", "ns", number(dump.report(), "length ns"), "gates", number(dump.report(), "gates")));
            }
        } finally {
            Files.delete(file);
        }
    }

    private static long number(final Report report, final String name) {
        return report.sections().stream()
                .filter(section -> section.title().equals("pause"))
                .flatMap(section -> section.facts().stream())
                .filter(fact -> fact.name().equals(name))
                .mapToLong(fact -> Long.parseLong(fact.value()))
                .findFirst()
                .orElseThrow();
    }
}
