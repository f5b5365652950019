package io.vhca.harness.drill.child;

import io.vhca.bond.BondContext;
import io.vhca.harness.drill.ShareRun;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import java.util.List;
import java.util.Objects;

/**
 * Main class of the two processes of {@link ShareRun}: {@code sender|receiver}. The sender keeps every queue pair busy
 * with WRITEs and tells every so often what each member has carried. One thread.
 */
public final class ShareChild {
    private static final int QPS = 8;
    private static final int WINDOW = 8;
    private static final int BYTES = 4096;
    private static final long REPORT_NS = 20_000_000;

    private final ChildControl control;
    private final QpGroup qps;
    private final BondContext bond;
    private final List<String> members;
    private final long[] carried;
    /** Index of the member on which each queue pair lives, as of the last report. */
    private final int[] homes = new int[QPS];

    private ShareChild(final ChildControl control, final QpGroup qps, final BondContext bond) {
        this.control = control;
        this.qps = qps;
        this.bond = bond;
        members = bond.admin().members().stream().map(member -> member.name()).toList();
        carried = new long[members.size()];
    }

    public static void main(final String[] args) {
        ChildFailure.guard(() -> GroupChild.run(
                args[0].equals("receiver"), QPS, BYTES,
                (control, bond, qps, into, rkey) -> new ShareChild(control, qps, bond).send(into, rkey)));
    }

    private void send(final long into, final int rkey) {
        for (int qp = 0; qp < QPS; qp++) {
            for (int i = 0; i < WINDOW; i++) {
                qps.write(qp, i, qps.address(), BYTES, into, rkey);
            }
        }
        long reportedNs = System.nanoTime();
        report(reportedNs);
        for (int idle = 0; ; ) {
            final int count = qps.poll();
            for (int i = 0; i < count; i++) {
                final int qp = QpGroup.qpOf(qps.at(i).wrId());
                carried[homes[qp]] += BYTES;
                qps.write(qp, 0, qps.address(), BYTES, into, rkey);
            }
            final long nowNs = System.nanoTime();
            if (nowNs - reportedNs >= REPORT_NS) {
                reportedNs = nowNs;
                report(nowNs);
            }
            idle = count > 0 ? 0 : idle + 1;
            Idling.pause(idle);
        }
    }

    private void report(final long nowNs) {
        for (int qp = 0; qp < QPS; qp++) {
            final String member = Objects.requireNonNull(bond.admin().path(qps.qp(qp))).split(" ", -1)[0];
            homes[qp] = Math.max(0, members.indexOf(member));
        }
        control.say(DrillLine.of("share", "t", nowNs, "first", carried[0], "second", carried[1]));
    }
}
