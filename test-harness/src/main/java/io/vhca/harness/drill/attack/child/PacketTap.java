package io.vhca.harness.drill.attack.child;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.Wire;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A carrier that keeps what a listener on the path would: the first and the latest management datagrams, and the latest
 * packets of connections, of both directions. The engine's owner, and any thread that asks.
 */
final class PacketTap extends ForwardingCarrier {
    private static final int FIRST = 40;
    private static final int LATEST = 40;
    private static final int DATA = 32;
    /** Of a connection's packets every so many are kept: copies cost the attacked throughput. */
    private static final int DATA_STRIDE = 64;

    private final Map<Integer, Gid> destinations = new HashMap<>();
    private final List<Sighting> first = new ArrayList<>();
    private final Deque<Sighting> latest = new ArrayDeque<>();
    private final Deque<Sighting> data = new ArrayDeque<>();
    private int packets;
    private volatile boolean isListening = true;

    PacketTap(final Carrier carrier) {
        super(carrier);
    }

    /** While the attack runs its own packets would be seen. */
    void listen(final boolean yes) {
        isListening = yes;
    }

    /** All that is kept, the oldest first. */
    synchronized List<Sighting> seen() {
        final List<Sighting> all = new ArrayList<>(first);
        all.addAll(latest);
        all.addAll(data);
        return all;
    }

    private void see(final Gid from, final Gid to, final long address, final int lengthBytes) {
        if (!isListening || lengthBytes < BthDescriptor.SIZE + Wire.ICRC_BYTES) {
            return;
        }
        final boolean isManagement = BthDescriptor.destQp(address) == Wire.GSI_QPN;
        if (!isManagement && ++packets % DATA_STRIDE != 0) {
            return;
        }
        final Sighting one = new Sighting(
                from,
                to,
                NativeMemory.segment(address, lengthBytes - Wire.ICRC_BYTES).toArray(ValueLayout.JAVA_BYTE));
        synchronized (this) {
            if (isManagement && first.size() < FIRST) {
                first.add(one);
            } else if (isManagement) {
                keep(latest, one, LATEST);
            } else {
                keep(data, one, DATA);
            }
        }
    }

    private static void keep(final Deque<Sighting> queue, final Sighting one, final int most) {
        queue.add(one);
        if (queue.size() > most) {
            queue.removeFirst();
        }
    }

    @Override
    public int route(final Destination destination) {
        final int token = super.route(destination);
        if (token >= 0) {
            destinations.put(token, destination.gid());
        }
        return token;
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        final Gid to = destinations.get(route);
        if (to != null) {
            see(address(), to, packetAddress, lengthBytes);
        }
        return super.send(route, packetAddress, lengthBytes);
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        return super.receive(
                (high, low, port, trafficClass, address, lengthBytes) -> {
                    see(new Gid(high, low), address(), address, lengthBytes);
                    handler.onPacket(high, low, port, trafficClass, address, lengthBytes);
                },
                limit);
    }
}
