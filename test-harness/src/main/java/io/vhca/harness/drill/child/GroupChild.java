package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.bond.BondContext;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import java.net.InetSocketAddress;

/**
 * One of two processes that have a {@link QpGroup} on {@code bond0} each: the receiver is connected to and polls, the
 * sender connects and does its work. One thread.
 */
final class GroupChild {
    private static final String BOND = "bond0";

    private GroupChild() {}

    /** What the sender does with its connected queue pairs, and the receiver's region. */
    @FunctionalInterface
    interface Sender {
        void send(ChildControl control, BondContext bond, QpGroup qps, long into, int rkey);
    }

    /** @param bytes of each side's region */
    static void run(final boolean isReceiver, final int count, final long bytes, final Sender sender) {
        try (Context context = Devices.open(BOND);
                QpGroup qps = new QpGroup(context, count, bytes, 0)) {
            final ChildControl control = new ChildControl(context);
            control.start();
            if (isReceiver) {
                receive(control, qps, count);
            } else {
                final DrillLine where = awaitGo(control);
                qps.connect(new InetSocketAddress(where.text("host"), (int) where.number("port")), count);
                control.say(DrillLine.of("connected"));
                sender.send(
                        control, (BondContext) context, qps, where.number("address"), (int) where.number("rkey"));
            }
        }
    }

    private static void receive(final ChildControl control, final QpGroup qps, final int count) {
        control.say(qps.listen());
        qps.accept(count);
        for (int idle = 0; ; ) {
            idle = qps.poll() > 0 ? 0 : idle + 1;
            Idling.pause(idle);
        }
    }

    private static DrillLine awaitGo(final ChildControl control) {
        DrillLine line = control.command();
        for (int idle = 0; line == null; idle++) {
            Idling.pause(idle);
            line = control.command();
        }
        return line;
    }
}
