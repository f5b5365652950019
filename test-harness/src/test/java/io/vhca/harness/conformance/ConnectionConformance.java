package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The connection manager: handshakes, private data, refusals, and what a wrong call answers. */
abstract class ConnectionConformance {
    private static final int REJ_NO_LISTENER = 8;
    private static final int REJ_CONSUMER = 28;

    private final DevicePair devices;

    ConnectionConformance(final DevicePair devices) {
        this.devices = devices;
    }

    private static byte[] pattern(final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    private static void expectErrno(final Runnable call, final int errno, final String... words) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(VerbsException.class, e -> {
            assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno));
            for (final String word : words) {
                assertThat(e).hasMessageContaining(word);
            }
        });
    }

    /** How many bytes the application may put into a connect: 56, or less where a bond takes its share. */
    private static int room(final CmEvent request) {
        return request.privateData().length;
    }

    @Test
    void privateDataGoesBothWaysPaddedWithZeros() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server)) {
            try (CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
                active.connect(ConnectParameters.of(pattern(32)));
                final CmEvent request = server.event(CmEventType.CONNECT_REQUEST);
                assertThat(request.listenId()).isSameAs(listener);
                assertThat(request.privateData()).isEqualTo(Arrays.copyOf(pattern(32), room(request)));
                assertThat(request.parameters().initiatorDepth()).isPositive();
                assertThat(request.parameters().qpNum()).isEqualTo(Peer.qp(active).qpNum());
                try (CmId passive = request.id()) {
                    passive.createQp(server.pd, server.qpAttributes(false));
                    passive.accept(ConnectParameters.of(pattern(40)));
                    final CmEvent established = client.event(CmEventType.ESTABLISHED);
                    assertThat(established.id()).isSameAs(active);
                    assertThat(established.parameters().qpNum()).isEqualTo(Peer.qp(passive).qpNum());
                    assertThat(established.privateData())
                            .isEqualTo(Arrays.copyOf(pattern(40), established.privateData().length))
                            .hasSizeGreaterThanOrEqualTo(40);
                    assertThat(server.event(CmEventType.ESTABLISHED).parameters())
                            .as("as the request said them")
                            .usingRecursiveComparison()
                            .isEqualTo(request.parameters());
                    assertThat(Peer.qp(active).state()).isEqualTo(QpState.RTS);
                    assertThat(Peer.qp(passive).state()).isEqualTo(QpState.RTS);
                }
            }
        }
    }

    @Test
    void privateDataIsWhatItWasWhenTheCallWasMade() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
            final byte[] mine = pattern(32);
            active.connect(ConnectParameters.of(mine));
            Arrays.fill(mine, (byte) -1);
            final CmEvent request = server.event(CmEventType.CONNECT_REQUEST);
            assertThat(request.privateData()).isEqualTo(Arrays.copyOf(pattern(32), room(request)));
            try (CmId passive = request.id()) {
                passive.createQp(server.pd, server.qpAttributes(false));
                final byte[] theirs = pattern(40);
                passive.accept(ConnectParameters.of(theirs));
                Arrays.fill(theirs, (byte) -1);
                final byte[] told = client.event(CmEventType.ESTABLISHED).privateData();
                assertThat(told).isEqualTo(Arrays.copyOf(pattern(40), told.length));
            }
        }
    }

    @Test
    void privateDataThatIsTooLongIsRefusedAndTheCallCanBeRepeated() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server)) {
            try (CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
                expectErrno(() -> active.connect(ConnectParameters.of(pattern(57))), Errno.EINVAL, "57", "connect");
                active.connect(ConnectParameters.of(pattern(8)));
                try (CmId passive = server.event(CmEventType.CONNECT_REQUEST).id()) {
                    expectErrno(() -> passive.accept(ConnectParameters.of(pattern(197))), Errno.EINVAL, "197");
                    expectErrno(() -> passive.reject(pattern(149)), Errno.EINVAL, "149");
                    passive.createQp(server.pd, server.qpAttributes(false));
                    passive.accept(ConnectParameters.of(pattern(8)));
                    client.event(CmEventType.ESTABLISHED);
                }
            }
        }
    }

    @Test
    void aRejectionCarriesItsReasonAndPrivateData() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server)) {
            try (CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
                active.connect(ConnectParameters.of(new byte[0]));
                try (CmId passive = server.event(CmEventType.CONNECT_REQUEST).id()) {
                    passive.reject(pattern(20));
                }
                final CmEvent rejected = client.event(CmEventType.REJECTED);
                assertThat(rejected.status()).isEqualTo(REJ_CONSUMER);
                assertThat(rejected.privateData())
                        .isEqualTo(Arrays.copyOf(pattern(20), rejected.privateData().length));
            }
        }
    }

    @Test
    void aConnectWithoutListenerIsRejected() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer())) {
            final InetSocketAddress nowhere =
                    new InetSocketAddress(server.context.ipGid(1).address(), 9);
            try (CmId active = Link.resolve(client, nowhere, Link.Options.DEFAULT)) {
                active.connect(ConnectParameters.of(new byte[0]));
                assertThat(client.event(CmEventType.REJECTED).status()).isEqualTo(REJ_NO_LISTENER);
            }
        }
    }

    @Test
    void aConnectToNobodyIsUnreachable() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.UNREACHABLE_SOON));
        try (Peer client = new Peer(devices.openClient());
                CmId active = Link.resolve(
                        client, new InetSocketAddress(devices.nobody(), 7471), Link.Options.DEFAULT)) {
            active.connect(ConnectParameters.of(new byte[0]));
            assertThat(client.event(CmEventType.UNREACHABLE).status()).isEqualTo(-Errno.ETIMEDOUT);
        }
    }

    @Test
    void disconnectEndsBothSides() {
        for (final boolean byClient : new boolean[] {true, false}) {
            try (Link link = new Link(devices)) {
                link.client.postRecv(link.clientQp, 1, 0, 8);
                link.server.postRecv(link.serverQp, 1, 0, 8);
                (byClient ? link.clientId : link.serverId).disconnect();
                (byClient ? link.server : link.client).event(CmEventType.DISCONNECTED);
                // Only now the other end answers, and the first one hears of it.
                (byClient ? link.serverId : link.clientId).disconnect();
                (byClient ? link.client : link.server).event(CmEventType.DISCONNECTED);
                assertThat(Completion.await(link.client.recvCq).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                assertThat(Completion.await(link.server.recvCq).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                assertThat(link.clientQp.state()).isEqualTo(QpState.ERR);
                assertThat(link.serverQp.state()).isEqualTo(QpState.ERR);
            }
        }
    }

    /** What a connection ends with, whether or not it was said to stand before. */
    private static CmEventType endOf(final Peer peer) {
        CmEventType type;
        do {
            type = Objects.requireNonNull(peer.channel.getEvent(Patience.NS), "no end in time").type();
        } while (type == CmEventType.ESTABLISHED);
        return type;
    }

    /** Where it cannot be said before the connection stands, it is said then. */
    @Test
    void anAcceptThatIsDisconnectedAtOnceEndsAtBothEnds() throws Exception {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
            active.connect(ConnectParameters.of(new byte[0]));
            try (CmId passive = server.event(CmEventType.CONNECT_REQUEST).id()) {
                passive.createQp(server.pd, server.qpAttributes(false));
                passive.accept(ConnectParameters.of(new byte[0]));
                passive.disconnect();
                final FutureTask<CmEventType> end = new FutureTask<>(() -> endOf(server));
                Thread.ofPlatform().daemon().start(end);
                final CmEventType told = endOf(client);
                assertThat(told).isIn(CmEventType.DISCONNECTED, CmEventType.REJECTED);
                if (told == CmEventType.DISCONNECTED) {
                    active.disconnect();
                }
                assertThat(end.get()).isEqualTo(CmEventType.DISCONNECTED);
                assertThat(Peer.qp(passive).state()).isEqualTo(QpState.ERR);
            }
        }
    }

    @Test
    void aConnectUnderWayIsNotDisconnectedAndGoesOn() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT)) {
            active.connect(ConnectParameters.of(new byte[0]));
            expectErrno(active::disconnect, Errno.EINVAL);
            assertThat(Peer.qp(active).state()).isNotEqualTo(QpState.ERR);
            try (CmId passive = server.event(CmEventType.CONNECT_REQUEST).id()) {
                passive.createQp(server.pd, server.qpAttributes(false));
                passive.accept(ConnectParameters.of(new byte[0]));
                client.event(CmEventType.ESTABLISHED);
                server.event(CmEventType.ESTABLISHED);
                assertThat(Peer.qp(active).state()).isEqualTo(QpState.RTS);
            }
        }
    }

    @Test
    void closingAnIdDisconnectsItsPeer() {
        try (Link link = new Link(devices)) {
            link.clientId.close();
            assertThat(link.server.event(CmEventType.DISCONNECTED).id()).isSameAs(link.serverId);
        }
    }

    @Test
    void closingAnIdThatConnectsCancelsIt() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.WITHDRAWAL_TOLD));
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server)) {
            final CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT);
            active.connect(ConnectParameters.of(new byte[0]));
            final CmId passive = server.event(CmEventType.CONNECT_REQUEST).id();
            active.close();
            assertThat(server.event(CmEventType.REJECTED).id()).isSameAs(passive);
            passive.close();
        }
    }

    @Test
    void anApplicationCanConnectAgain() {
        try (Link link = new Link(devices)) {
            for (int i = 0; i < 5; i++) {
                final CmId[] ends = link.connect();
                ends[0].close();
                assertThat(link.server.event(CmEventType.DISCONNECTED).id()).isSameAs(ends[1]);
                ends[1].close();
            }
        }
    }

    /** The packets of both directions have the class that the active side asked for. */
    @Test
    void theQueuePairsOfAConnectionHaveTheClassOfItsRequest() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId active = client.channel.createId(CmPortSpace.TCP, null)) {
            active.tos(0x6a);
            active.resolveAddr(null, Link.addressOf(listener), 2000);
            client.event(CmEventType.ADDR_RESOLVED);
            active.resolveRoute(2000);
            client.event(CmEventType.ROUTE_RESOLVED);
            active.createQp(client.pd, client.qpAttributes(false));
            active.connect(ConnectParameters.of(new byte[0]));
            try (CmId passive = server.event(CmEventType.CONNECT_REQUEST).id()) {
                assertThat(passive.serviceClass().trafficClass()).as("asked at once").isEqualTo(0x6a);
                passive.createQp(server.pd, server.qpAttributes(false));
                assertThat(passive.serviceClass().trafficClass()).as("asked before it").isEqualTo(0x6a);
                passive.accept(ConnectParameters.of(new byte[0]));
                client.event(CmEventType.ESTABLISHED);
                server.event(CmEventType.ESTABLISHED);
                for (final CmId end : new CmId[] {active, passive}) {
                    assertThat(Objects.requireNonNull(Peer.qp(end).query().ah()).trafficClass()).isEqualTo(0x6a);
                }
                assertThat(active.serviceClass().trafficClass()).isEqualTo(0x6a);
                assertThat(passive.serviceClass().trafficClass()).as("asked after it").isEqualTo(0x6a);
            }
        }
    }

    /** Programs key their maps by these. */
    @Test
    void connectionsAreToldApartByTheirAddressesOnBothSides() {
        try (Link link = new Link(devices)) {
            final Set<InetSocketAddress> owns = new HashSet<>();
            final Set<InetSocketAddress> peers = new HashSet<>();
            CmId[] ends = {link.clientId, link.serverId};
            for (int i = 1; i <= 6; i++) {
                final InetSocketAddress own = Link.addressOf(ends[0]);
                final InetSocketAddress peer = Objects.requireNonNull(ends[1].peerAddress());
                assertThat(peer.getPort()).isPositive().isEqualTo(own.getPort());
                assertThat(ends[0].peerAddress()).isEqualTo(Link.addressOf(link.listener));
                assertThat(Link.addressOf(ends[1])).isEqualTo(Link.addressOf(link.listener));
                owns.add(own);
                peers.add(peer);
                assertThat(owns).hasSize(i);
                assertThat(peers).hasSize(i);
                ends = link.connect();
            }
        }
    }

    @Test
    void portsAndAddressesAreChecked() {
        try (Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId other = server.channel.createId(CmPortSpace.TCP, null)) {
            assertThat(Link.addressOf(listener).getPort()).isPositive();
            expectErrno(() -> other.bindAddr(Link.addressOf(listener)), Errno.EADDRINUSE);
            final InetAddress foreign = InetAddress.ofLiteral("192.0.2.77");
            expectErrno(() -> other.bindAddr(new InetSocketAddress(foreign, 0)), Errno.EADDRNOTAVAIL);
            other.bindAddr(new InetSocketAddress(0));
            assertThat(other.localAddress()).isNotNull();
            final InetSocketAddress noPort = new InetSocketAddress(Link.addressOf(listener).getAddress(), 0);
            expectErrno(() -> other.resolveAddr(null, noPort, 2000), Errno.EINVAL);
        }
    }

    @Test
    void aClosedListenerFreesItsPort() {
        try (Peer server = new Peer(devices.openServer())) {
            final CmId first = Link.listen(server);
            final InetSocketAddress address = Link.addressOf(first);
            first.close();
            first.close();
            try (CmId second = server.channel.createId(CmPortSpace.TCP, null)) {
                second.bindAddr(address);
                second.listen(1);
            }
        }
    }

    /** What was taken, and waits for its accept, has left the backlog. */
    @Test
    void whoTakesRequestsBeforeItAcceptsThemNeedsNoLargerBacklog() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = server.channel.createId(CmPortSpace.TCP, null)) {
            listener.bindAddr(new InetSocketAddress(server.context.ipGid(1).address(), 0));
            listener.listen(1);
            final List<CmId> ids = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                final CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT);
                active.connect(ConnectParameters.of(new byte[0]));
                ids.add(active);
                ids.addFirst(server.event(CmEventType.CONNECT_REQUEST).id());
            }
            for (final CmId passive : ids.subList(0, 3)) {
                passive.createQp(server.pd, server.qpAttributes(false));
                passive.accept(ConnectParameters.of(new byte[0]));
                client.event(CmEventType.ESTABLISHED);
                server.event(CmEventType.ESTABLISHED);
            }
            ids.forEach(CmId::close);
        }
    }

    @Test
    void callsInTheWrongStateAreRefused() {
        try (Peer client = new Peer(devices.openClient());
                CmId id = client.channel.createId(CmPortSpace.TCP, "context")) {
            assertThat(id.idContext()).isEqualTo("context");
            assertThat(id.portSpace()).isEqualTo(CmPortSpace.TCP);
            expectErrno(() -> id.listen(1), Errno.EINVAL);
            expectErrno(() -> id.resolveRoute(100), Errno.EINVAL);
            expectErrno(() -> id.connect(ConnectParameters.of(new byte[0])), Errno.EINVAL);
            expectErrno(() -> id.accept(ConnectParameters.of(new byte[0])), Errno.EINVAL);
            expectErrno(() -> id.reject(new byte[0]), Errno.EINVAL);
            expectErrno(id::disconnect, Errno.EINVAL);
            expectErrno(() -> id.createQp(client.pd, client.qpAttributes(false)), Errno.EINVAL);
            assertThat(client.channel.getEvent(0)).isNull();
        }
    }

    @Test
    void aChannelWithIdsIsBusy() {
        try (Peer client = new Peer(devices.openClient());
                CmId id = client.channel.createId(CmPortSpace.TCP, null)) {
            assertThat(id.channel()).isSameAs(client.channel);
            expectErrno(client.channel::close, Errno.EBUSY);
        }
    }
}
