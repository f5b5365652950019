package io.vhca.harness.drill.child;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * Main class of two processes that connect many queue pairs at once: {@code server|client DEVICE}. The client does as
 * often as it is told to, and tells how long it took until all stood; then it disconnects them. One thread.
 */
public final class ConnectChild {
    private static final int RESOLVE_MS = 20_000;
    private static final long NAP_NS = 20_000_000;
    private static final QpCapabilities DEPTH = new QpCapabilities(1, 1, 1, 1, 0);

    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final ChildControl control;

    private ConnectChild(final Context context) {
        channel = context.createEventChannel();
        pd = context.allocPd();
        cq = context.createCq(1_024, null, null);
        control = new ChildControl(context);
        control.start();
    }

    public static void main(final String[] args) {
        ChildFailure.guard(() -> {
            final Context context = Devices.open(args[1]);
            final ConnectChild child = new ConnectChild(context);
            if (args[0].equals("server")) {
                child.serve(context);
            } else {
                child.run();
            }
        });
    }

    private void createQp(final CmId id) {
        id.createQp(pd, QpInitAttributes.rc(cq, cq, DEPTH));
    }

    private void serve(final Context context) {
        final CmId listener = CmSteps.listen(context, channel, CmPortSpace.TCP);
        final InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        control.say(DrillLine.of(
                "listening", "host", address.getAddress().getHostAddress(), "port", address.getPort()));
        while (true) {
            final CmEvent event = channel.getEvent(Long.MAX_VALUE);
            if (event != null) {
                event.ack();
                if (event.type() == CmEventType.CONNECT_REQUEST) {
                    createQp(event.id());
                    event.id().accept(ConnectParameters.of(new byte[0]));
                } else if (event.type() == CmEventType.DISCONNECTED) {
                    event.id().close();
                }
            }
        }
    }

    private void run() {
        control.say(DrillLine.of("up"));
        while (true) {
            final DrillLine line = control.command();
            if (line == null) {
                // Others are measured meanwhile.
                LockSupport.parkNanos(NAP_NS);
            } else {
                final InetSocketAddress to = new InetSocketAddress(line.text("host"), (int) line.number("port"));
                control.say(DrillLine.of("result", "value", connect(to, (int) line.number("count"))));
            }
        }
    }

    /** Connects so many at once and disconnects them; how long it took until all stood, in ns. */
    private long connect(final InetSocketAddress to, final int count) {
        final List<CmId> ids = new ArrayList<>();
        final long beganNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            final CmId id = channel.createId(CmPortSpace.TCP, null);
            ids.add(id);
            id.resolveAddr(null, to, RESOLVE_MS);
        }
        for (int standing = 0; standing < count; ) {
            final CmEvent event = CmSteps.next(channel, CmEventType.ESTABLISHED);
            switch (event.type()) {
                case ADDR_RESOLVED -> event.id().resolveRoute(RESOLVE_MS);
                case ROUTE_RESOLVED -> {
                    createQp(event.id());
                    event.id().connect(ConnectParameters.of(new byte[0]));
                }
                case ESTABLISHED -> standing++;
                default -> throw new IllegalStateException(event.type() + ", status " + event.status());
            }
        }
        final long tookNs = System.nanoTime() - beganNs;
        for (final CmId id : ids) {
            id.disconnect();
            id.close();
        }
        return tookNs;
    }
}
