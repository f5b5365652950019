package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who connects to a wildcard address connects to the own device, as in C. */
class WildcardPeerTest {
    private static final long PATIENCE_NS = 1_000_000_000;

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void itIsTheDeviceItself(final String wildcard) throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmWorld.Host host = world.client;
            final CmId listener = host.channel.createId(CmPortSpace.TCP, null);
            listener.bindAddr(host.address);
            listener.listen(1);
            final CmId active = host.channel.createId(CmPortSpace.TCP, null);
            active.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(wildcard), CmWorld.PORT), 1000);
            assertThat(active.peerAddress()).isEqualTo(host.address);
            active.resolveRoute(1000);
            active.createQp(host.pd, host.qp());
            active.connect(ConnectParameters.of(new byte[0]));
            assertThat(world.run(PATIENCE_NS, () -> host.count(CmEventType.CONNECT_REQUEST) == 1)).isTrue();
            final CmId passive = host.first(CmEventType.CONNECT_REQUEST).id();
            passive.createQp(host.pd, host.qp());
            passive.accept(ConnectParameters.of(new byte[0]));
            assertThat(world.run(PATIENCE_NS, () -> host.count(CmEventType.ESTABLISHED) == 2)).isTrue();
            active.close();
            passive.close();
            listener.close();
        }
    }
}
