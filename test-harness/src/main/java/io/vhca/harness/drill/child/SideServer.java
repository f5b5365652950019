package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The receiver's part of the side traffic. */
final class SideServer {
    private SideServer() {}

    /** Listens for one after the other, until each is connected; what must be polled is polled by a thread. */
    static void start(final ChildControl control, final Context context, final List<SideTraffic> kinds) {
        for (final SideTraffic kind : kinds) {
            switch (kind) {
                case BANK -> openBank(control, context, kind.qps());
                case SRQ -> openShared(control, context, kind.qps());
                case UD -> poll(DatagramEcho.serve(control, context)::doWork);
                case EXS -> poll(ExsStreamEcho.serve(control, context)::doWork);
                case RDP -> poll(RdpEcho.serve(control, context)::doWork);
            }
        }
    }

    private static void openBank(final ChildControl control, final Context context, final int count) {
        final QpGroup qps = new QpGroup(context, count, BankJob.BYTES, 0);
        for (int account = 0; account < BankTeller.ACCOUNTS; account++) {
            NativeMemory.putLong(qps.address() + (long) account * Long.BYTES, BankTeller.BALANCE);
        }
        listen(control, qps, count);
    }

    private static void openShared(final ChildControl control, final Context context, final int count) {
        final int slots = count * SharedSendJob.WINDOW;
        final QpGroup qps = new QpGroup(context, count, SharedSendJob.regionBytes(count), slots);
        SharedReceiver.fill(qps, slots);
        listen(control, qps, count);
        poll(new SharedReceiver(qps)::doWork);
    }

    private static void poll(final BooleanSupplier round) {
        ChildFailure.thread("drill-side", () -> {
            for (int idle = 0; ; ) {
                idle = round.getAsBoolean() ? 0 : idle + 1;
                Idling.pause(idle);
            }
        });
    }

    private static void listen(final ChildControl control, final QpGroup qps, final int count) {
        control.say(qps.listen());
        qps.accept(count);
    }
}
