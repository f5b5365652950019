package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What the ids of a bond's connections show, through failovers. Virtual time. */
class ConnectionAddressTest {
    private static final int CONNECTIONS = 6;

    private static List<InetSocketAddress> owns(final BondPair.Host host) {
        return host.ids().stream().map(CmId::localAddress).map(Objects::requireNonNull).toList();
    }

    private static List<InetSocketAddress> peers(final BondPair.Host host) {
        return host.ids().stream().map(CmId::peerAddress).map(Objects::requireNonNull).toList();
    }

    @Test
    void addressesStayThroughFailoversAndConnectionsThatComeLaterHaveOthers() {
        try (BondPair pair = new BondPair(config -> config)) {
            for (int i = 1; i < CONNECTIONS; i++) {
                pair.connect();
            }
            final List<InetSocketAddress> owns = owns(pair.left);
            final List<InetSocketAddress> peers = peers(pair.right);
            assertThat(owns).doesNotHaveDuplicates().allMatch(own -> own.getAddress().equals(pair.address(0, 9)));
            assertThat(peers).doesNotHaveDuplicates().allMatch(peer -> peer.getAddress().equals(pair.address(0, 0)));
            assertThat(peers.stream().map(InetSocketAddress::getPort))
                    .containsExactlyElementsOf(owns.stream().map(InetSocketAddress::getPort).toList());

            pair.left.ports[0].up(false);
            pair.left.send();
            assertThat(pair.runUntil(() -> !pair.left.sends.isEmpty(), 5_000 * BondPair.MS)).isTrue();
            assertThat(pair.left.sends).containsExactly(WcStatus.SUCCESS);
            pair.left.ports[0].up(true);
            pair.runFor(1_000 * BondPair.MS);
            assertThat(pair.left.failovers()).isNotEmpty();
            pair.connect();
            assertThat(owns(pair.left)).startsWith(owns.toArray(InetSocketAddress[]::new)).doesNotHaveDuplicates();
            assertThat(peers(pair.right)).startsWith(peers.toArray(InetSocketAddress[]::new)).doesNotHaveDuplicates();
        }
    }
}
