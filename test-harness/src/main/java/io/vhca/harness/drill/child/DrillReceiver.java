package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.WorkCompletion;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.Idling;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;

/** The receiving process: checks every sequence number, digests every byte, answers with what it saw. One thread. */
final class DrillReceiver {
    private static final long REPORT_NS = 20_000_000;
    private static final int SEND_SLOTS = 4;

    private final ChildControl control;
    private final DrillEnd end;
    private final ReceivedFile file = new ReceivedFile();

    private DrillReceiver(final ChildControl control, final DrillEnd end) throws NoSuchAlgorithmException {
        this.control = control;
        this.end = end;
    }

    static void run(final String device, final DrillTraffic traffic) throws NoSuchAlgorithmException {
        try (Context context = Devices.open(device)) {
            final ChildControl control = new ChildControl(context);
            control.start();
            final CmEventChannel channel = context.createEventChannel();
            final CmId listener = CmSteps.listen(context, channel, CmPortSpace.TCP);
            final InetSocketAddress address = listener.localAddress();
            if (address == null) {
                throw new IllegalStateException("a bound id has an address");
            }
            control.say(DrillLine.of(
                    "listening", "host", address.getAddress().getHostAddress(), "port", address.getPort()));
            final DrillEnd end =
                    DrillEnd.accept(context, channel, SEND_SLOTS, 2 * traffic.window(), traffic.slotBytes());
            SideServer.start(control, context, traffic.side());
            control.say(DrillLine.of("connected", "qp", end.qpNum()));
            new DrillReceiver(control, end).loop();
        }
    }

    private void loop() {
        long reportNs = System.nanoTime();
        for (int idle = 0; ; ) {
            final int count = end.poll();
            for (int i = 0; i < count; i++) {
                on(end.wc().at(i));
            }
            idle = count == 0 ? idle + 1 : 0;
            Idling.pause(idle);
            final long nowNs = System.nanoTime();
            if (nowNs - reportNs >= REPORT_NS) {
                reportNs = nowNs;
                control.sayFailovers(end.qpNum());
                final DrillLine command = control.command();
                if (command != null && command.kind().equals("quit")) {
                    Runtime.getRuntime().halt(0);
                }
            }
        }
    }

    private void on(final WorkCompletion wc) {
        if (wc.status() != 0) {
            control.say(DrillLine.of(
                    "failed",
                    "status", wc.statusName(),
                    "vendor", wc.vendorErr(),
                    "wr", wc.wrId(),
                    "why", control.why(end.qpNum())));
            throw new IllegalStateException("a work request completed with " + wc.statusName());
        }
        final long sent = file.on(end, wc);
        if (sent != ReceivedFile.GOES_ON) {
            answer(sent);
        }
    }

    private void answer(final long sent) {
        file.over();
        final ArrivalCheck arrivals = file.arrivals();
        arrivals.end(sent);
        final DrillLine verdict = DrillLine.of(
                "verdict",
                "messages", arrivals.arrived(),
                "lost", arrivals.lost(),
                "doubled", arrivals.doubled(),
                "foreign", file.foreign(),
                "bytes", file.bytes(),
                "sha256", file.digestAndRestart());
        end.postSend(0, DrillMessage.writeLine(end.sendSlot(0), verdict));
    }
}
