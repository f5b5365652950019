package io.vhca.harness.drill.child;

import io.vhca.api.Devices;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.harness.drill.ScaleCut;
import io.vhca.harness.drill.ScaleRun;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import io.vhca.physical.soft.SoftDevice;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the two processes of {@link ScaleRun}: {@code sender|receiver QUEUE_PAIRS CUTS}. The sender keeps
 * WRITEs in flight on every queue pair, unplugs the port that all are on, and tells how long it took until all that was
 * in flight had completed and every queue pair was on another port. One thread.
 */
public final class ScaleChild {
    /** In flight on each queue pair. */
    public static final int WINDOW = 16;

    private static final int BYTES = 64;
    /** Of each queue pair before a cut, at least; and of all together. */
    private static final int WARM = 2 * WINDOW;
    private static final int WARM_ALL = 20_000;

    private final ChildControl control;
    private final BondContext bond;
    private final QpGroup qps;
    private final long into;
    private final int rkey;

    private ScaleChild(
            final ChildControl control, final BondContext bond, final QpGroup qps, final long into, final int rkey) {
        this.control = control;
        this.bond = bond;
        this.qps = qps;
        this.into = into;
        this.rkey = rkey;
    }

    public static void main(final String[] args) {
        final int count = Integer.parseInt(args[1]);
        final int cuts = Integer.parseInt(args[2]);
        ChildFailure.guard(() -> GroupChild.run(
                args[0].equals("receiver"), count, BYTES,
                (control, bond, qps, into, rkey) -> new ScaleChild(control, bond, qps, into, rkey).send(cuts)));
    }

    private void send(final int cuts) {
        for (int cut = 0; cut < cuts; ) {
            final ScaleCut made = cut();
            if (made != null) {
                control.say(made.line());
                cut++;
            }
        }
        control.say(DrillLine.of("done"));
    }

    /** Null where a busy host had moved all from the port before it went. */
    private @Nullable ScaleCut cut() {
        awaitStandbys();
        for (int qp = 0; qp < qps.size(); qp++) {
            for (int i = 0; i < WINDOW; i++) {
                write(qp);
            }
        }
        complete(Math.max(WARM_ALL, WARM * qps.size()), true);
        final String active = used();
        final SoftDevice port = (SoftDevice) Devices.byName(active);
        // What has completed and waits to be polled is not in flight.
        while (replace(true) > 0) {
            Thread.onSpinWait();
        }
        final long taken = bond.counters().get(Counter.STANDBY_TAKEN);
        final long cutNs = System.nanoTime();
        port.setPortUp(false);
        complete(WINDOW * qps.size(), false);
        awaitMoved(active);
        final long tookNs = System.nanoTime() - cutNs;
        port.setPortUp(true);
        for (int idle = 0; !bond.admin().members().stream().allMatch(MemberStatus::up); idle++) {
            Idling.pause(idle);
        }
        final List<FailoverReport> caused = bond.failovers().stream()
                .filter(recovery -> recovery.startedNs() - cutNs >= 0)
                .toList();
        return caused.isEmpty()
                ? null
                : ScaleCut.of(cutNs, tookNs, caused, bond.counters().get(Counter.STANDBY_TAKEN) - taken);
    }

    /** The member that most queue pairs are on: a busy host may have moved some from the active one. */
    private String used() {
        Map<String, Integer> counts = onMembers();
        for (int idle = 0; counts.isEmpty(); idle++) {
            // It may be moving all of them just now.
            Idling.pause(idle);
            counts = onMembers();
        }
        return Collections.max(counts.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    /** How many queue pairs are on each member; one that moves is on none. */
    private Map<String, Integer> onMembers() {
        final Map<String, Integer> counts = new HashMap<>();
        for (int qp = 0; qp < qps.size(); qp++) {
            final String path = bond.admin().path(qps.qp(qp));
            if (path != null && !path.isEmpty()) {
                counts.merge(path.substring(0, path.indexOf(' ')), 1, Integer::sum);
            }
        }
        return counts;
    }

    /** Where the bond keeps such. */
    private void awaitStandbys() {
        final boolean isWarm = bond.admin().config().get(BondOption.STANDBY) == Standby.WARM;
        for (int qp = 0; isWarm && qp < qps.size(); qp++) {
            for (int idle = 0; bond.admin().standby(qps.qp(qp)).isEmpty(); idle++) {
                Idling.pause(idle);
            }
        }
    }

    /** Polls until that many requests have completed. */
    private void complete(final int wanted, final boolean isReplaced) {
        int idle = 0;
        for (int completed = 0; completed < wanted; ) {
            final int count = replace(isReplaced);
            completed += count;
            idle = count > 0 ? 0 : idle + 1;
            Idling.pause(idle);
        }
    }

    /** Polls once; posts one for each that completed where asked for. */
    private int replace(final boolean isReplaced) {
        final int count = qps.poll();
        for (int i = 0; i < count; i++) {
            final int qp = QpGroup.qpOf(qps.at(i).wrId());
            if (isReplaced) {
                write(qp);
            }
        }
        return count;
    }

    private void awaitMoved(final String from) {
        for (int qp = 0; qp < qps.size(); qp++) {
            for (int idle = 0; !isOnAnother(qp, from); idle++) {
                Idling.pause(idle);
            }
        }
    }

    private boolean isOnAnother(final int qp, final String from) {
        final String path = bond.admin().path(qps.qp(qp));
        return path != null && !path.isEmpty() && !path.startsWith(from + " ");
    }

    private void write(final int qp) {
        qps.write(qp, 0, qps.address(), BYTES, into, rkey);
    }
}
