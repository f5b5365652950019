package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmId;
import io.vhca.harness.sim.proxy.StandIns;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/** A request that names a queue pair of a peer's ends the connection that has it, before anybody has judged it. */
final class LeftoverDroppedUnjudged implements Defect {
    @Override
    public Context member(final Context device) {
        return new HastyMember(device).context();
    }

    private static final class HastyMember extends StandIns {
        private final Map<PeerQp, CmId> established = new HashMap<>();

        private record PeerQp(InetAddress peer, int qpNum) {}

        HastyMember(final Context device) {
            super(device);
        }

        @Override
        protected CmEvent shown(final CmEvent event) {
            final InetSocketAddress from = event.id().peerAddress();
            if (from == null) {
                return event;
            }
            final PeerQp key = new PeerQp(from.getAddress(), event.parameters().qpNum());
            switch (event.type()) {
                case ESTABLISHED -> established.put(key, event.id());
                case DISCONNECTED -> established.values().remove(event.id());
                case CONNECT_REQUEST -> {
                    final CmId leftover = established.remove(key);
                    if (leftover != null) {
                        leftover.disconnect();
                    }
                }
                default -> {
                    // Nothing else tells of queue pairs.
                }
            }
            return event;
        }
    }
}
