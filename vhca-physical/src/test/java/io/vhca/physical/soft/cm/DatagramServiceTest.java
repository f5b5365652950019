package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.SidrRepDescriptor;
import io.vhca.physical.soft.fabric.Verdict;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** RDMA_PS_UDP: a service id is resolved to a QP number and a Q_Key, whatever message is lost. */
class DatagramServiceTest {
    private static final long LONG_NS = 20_000_000_000L;

    private static QpInitAttributes ud(final CmWorld.Host host) {
        return new QpInitAttributes(host.cq, host.cq, null, new QpCapabilities(8, 8, 1, 1, 0), QpType.UD, false);
    }

    private static CmId resolved(final CmWorld world) {
        final CmId id = world.client.channel.createId(CmPortSpace.UDP, null);
        id.resolveAddr(null, world.server.address, 1000);
        id.resolveRoute(1000);
        id.createQp(world.client.pd, ud(world.client));
        return id;
    }

    private static CmId listen(final CmWorld world) {
        final CmId listener = world.server.channel.createId(CmPortSpace.UDP, null);
        listener.bindAddr(new InetSocketAddress(world.server.address.getAddress(), CmWorld.PORT));
        listener.listen(4);
        return listener;
    }

    @Test
    void aServiceIsResolvedThoughAnyMessageIsLost() throws Exception {
        for (int lost = -1; lost < 3; lost++) {
            final int which = lost;
            try (CmWorld world = new CmWorld()) {
                world.judge((index, type) -> index == which ? Verdict.DROP : Verdict.DELIVER);
                final CmId listener = listen(world);
                final CmId active = resolved(world);
                assertThat(Objects.requireNonNull(active.qp()).state()).isEqualTo(QpState.RTS);
                active.connect(ConnectParameters.of(new byte[] {5}));
                assertThat(world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0))
                        .isTrue();
                final CmEvent request = world.server.first(CmEventType.CONNECT_REQUEST);
                assertThat(request.privateData()).startsWith(5, 0);
                final CmId passive = request.id();
                final QueuePair service = passive.createQp(world.server.pd, ud(world.server));
                passive.accept(ConnectParameters.of(new byte[] {6}));
                assertThat(world.run(LONG_NS, () -> world.client.count(CmEventType.ESTABLISHED) > 0))
                        .as("lost %d", which)
                        .isTrue();
                final CmEvent established = world.client.first(CmEventType.ESTABLISHED);
                assertThat(established.parameters().qpNum()).isEqualTo(service.qpNum());
                assertThat(established.parameters().qkey()).isEqualTo(ConnectParameters.UDP_QKEY);
                assertThat(established.privateData()).startsWith(6, 0);
                assertThat(world.server.count(CmEventType.CONNECT_REQUEST)).isEqualTo(1);
                world.client
                        .pd
                        .createAh(AhAttributes.to(Gid.of(world.server.address.getAddress())))
                        .close();
                active.close();
                passive.close();
                listener.close();
            }
        }
    }

    @Test
    void aServiceThatIsNotThereOrSaysNoIsUnreachable() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId nobody = resolved(world);
            nobody.connect(ConnectParameters.of(new byte[0]));
            assertThat(world.run(LONG_NS, () -> world.client.count(CmEventType.UNREACHABLE) > 0))
                    .isTrue();
            assertThat(world.client.first(CmEventType.UNREACHABLE).status())
                    .isEqualTo(SidrRepDescriptor.STATUS_UNSUPPORTED);
            assertThat(Objects.requireNonNull(nobody.qp()).state())
                    .as("a datagram QP needs no connection")
                    .isEqualTo(QpState.RTS);
            nobody.close();
            final CmId listener = listen(world);
            final CmId refused = resolved(world);
            refused.connect(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0);
            world.server.first(CmEventType.CONNECT_REQUEST).id().reject(new byte[] {1});
            assertThat(world.run(LONG_NS, () -> world.client.count(CmEventType.UNREACHABLE) > 1))
                    .isTrue();
            refused.close();
            world.server.first(CmEventType.CONNECT_REQUEST).id().close();
            listener.close();
        }
    }
}
