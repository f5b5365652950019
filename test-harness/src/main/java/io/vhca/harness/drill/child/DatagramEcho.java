package io.vhca.harness.drill.child;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.GrhHeader;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The other end of {@link DatagramJob}: sends each datagram back to whom its header names. One thread. */
final class DatagramEcho {
    private final Context context;
    private final DatagramPort port;
    private final BitSet seen = new BitSet();
    private final Map<Gid, AddressHandle> handles = new HashMap<>();

    private DatagramEcho(final Context context, final DatagramPort port) {
        this.context = context;
        this.port = port;
    }

    /** Tells the controller where the service is, and waits until it is asked for; closes nothing. */
    static DatagramEcho serve(final ChildControl control, final Context context) {
        final CmEventChannel channel = context.createEventChannel();
        final CmId listener = CmSteps.listen(context, channel, CmPortSpace.UDP);
        final InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        control.say(DrillLine.of(
                "listening", "host", address.getAddress().getHostAddress(), "port", address.getPort()));
        final CmId asked = CmSteps.await(channel, CmEventType.CONNECT_REQUEST).id();
        final DatagramPort port = new DatagramPort(context, asked);
        asked.accept(ConnectParameters.of(new byte[0]));
        return new DatagramEcho(context, port);
    }

    /** One round; true when anything came. */
    boolean doWork() {
        return port.poll(this::onDatagram);
    }

    private void onDatagram(final long number, final long header, final int srcQp) {
        if (seen.get((int) number)) {
            throw new IllegalStateException("datagram " + number + " came twice");
        }
        seen.set((int) number);
        // Where the queue is full it is lost, as datagrams may be.
        port.send(handles.computeIfAbsent(GrhHeader.source(header), this::handleOf), srcQp, number);
    }

    private AddressHandle handleOf(final Gid source) {
        return port.pd().createAh(new AhAttributes(source, context.ipGidIndex(1), 0, 0, 1));
    }
}
