package io.vhca.harness.drill.attack.child;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.BondContext;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.Idling;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Main class of the two ends that are attacked: {@code sender|receiver SEED FILE}. The sender sends the file over and
 * over until it is asked whether all arrived. One thread.
 */
public final class AttackedChild {
    private static final String BOND = "bond0";
    private static final int MOST_PAYLOAD = 1 << 16;
    private static final int SLOT_BYTES = MOST_PAYLOAD + DrillMessage.HEADER_BYTES;
    private static final int WINDOW = 64;
    private static final int FEW = 4;

    private final ChildControl control;
    private final Measures measures;

    /** What both ends do in their turns. */
    interface End {
        /** One turn; false where there was nothing to do. */
        boolean work() throws IOException;

        /** Connections that it has refused. */
        long refused();

        /** A command that is none of all children's. */
        void on(DrillLine command) throws IOException;
    }

    private AttackedChild(final ChildControl control, final Measures measures) {
        this.control = control;
        this.measures = measures;
    }

    public static void main(final String[] args) {
        ChildFailure.guard(() -> run(args[0].equals("sender"), Long.parseLong(args[1]), Path.of(args[2])));
    }

    private static void run(final boolean isSender, final long seed, final Path file) throws Exception {
        try (Context context = Devices.open(BOND);
                Measures measures = new Measures((BondContext) context)) {
            final ChildControl control = new ChildControl(context);
            control.start();
            final AttackedChild child = new AttackedChild(control, measures);
            final End end = isSender ? child.connect(context, seed, file) : child.accept(context);
            child.loop(end);
        }
    }

    private End connect(final Context context, final long seed, final Path file) throws Exception {
        DrillLine where = control.command();
        for (int idle = 1; where == null; idle++) {
            Idling.pause(idle);
            where = control.command();
        }
        final DrillEnd end = DrillEnd.connect(
                context,
                new InetSocketAddress(where.text("host"), (int) where.number("port")),
                WINDOW,
                FEW,
                SLOT_BYTES);
        control.say(DrillLine.of("connected"));
        return new FileSender(control, end, file, seed, MOST_PAYLOAD);
    }

    private End accept(final Context context) throws Exception {
        final CmEventChannel channel = context.createEventChannel();
        final CmId listener = CmSteps.listen(context, channel, CmPortSpace.TCP);
        final InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        control.say(DrillLine.of(
                "listening", "host", address.getAddress().getHostAddress(), "port", address.getPort()));
        final DrillEnd end = DrillEnd.accept(context, channel, FEW, 2 * WINDOW, SLOT_BYTES);
        return new FileReceiver(control, channel, end);
    }

    private void loop(final End end) throws IOException {
        for (int idle = 0; ; ) {
            idle = end.work() ? 0 : idle + 1;
            Idling.pause(idle);
            for (DrillLine line = control.command(); line != null; line = control.command()) {
                switch (line.kind()) {
                    case "measure" -> control.say(measures.line(end.refused()));
                    case "listen" -> {
                        TappedProvider.listen(line.text("up").equals("true"));
                        control.say(DrillLine.of("listens"));
                    }
                    case "tell" -> {
                        TappedProvider.seen().stream().map(Sighting::line).forEach(control::say);
                        control.say(DrillLine.of("told"));
                    }
                    default -> end.on(line);
                }
            }
        }
    }
}
