package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WcFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.drill.protocol.GrhHeader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Unreliable datagrams and shared receive queues. */
abstract class DatagramConformance {
    private static final int QKEY = 0x1234_5678;
    private static final int GRH = GrhHeader.SIZE;

    private final DevicePair devices;

    DatagramConformance(final DevicePair devices) {
        this.devices = devices;
    }

    private static QpInitAttributes datagrams(final Peer peer) {
        return new QpInitAttributes(peer.sendCq, peer.recvCq, null, Peer.CAPABILITIES, QpType.UD, false);
    }

    private static QueuePair datagramQp(final Peer peer) {
        final QueuePair qp = peer.pd.createQp(datagrams(peer));
        qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
        qp.modify(new QpAttributes().qpState(QpState.RTR));
        qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
        return qp;
    }

    /** Two peers with a queue pair each, and the client's address handle to the server. */
    private static final class DatagramLink implements AutoCloseable {
        final Peer client;
        final Peer server;
        final QueuePair from;
        final QueuePair to;
        final AddressHandle ah;

        DatagramLink(final DevicePair devices) {
            client = new Peer(devices.openClient());
            server = new Peer(devices.openServer());
            from = datagramQp(client);
            to = datagramQp(server);
            ah = client.pd.createAh(new AhAttributes(server.context.ipGid(1), client.context.ipGidIndex(1), 0, 0, 1));
        }

        @Override
        public void close() {
            ah.close();
            to.close();
            from.close();
            server.close();
            client.close();
        }
    }

    @Test
    void datagramsOfEverySizeArriveBehindTheirHeader() {
        try (DatagramLink link = new DatagramLink(devices)) {
            final int mtu = link.client.context.queryPort(1).activeMtu().bytes();
            for (final int length : new int[] {0, 1, 3, 64, mtu - 1, mtu}) {
                link.server.postRecv(link.to, length, 0, GRH + mtu);
                link.client.fill(0, length, length);
                final boolean hasImmediate = length % 2 == 1;
                assertThat(link.from.postSend(link.client.request(
                                        hasImmediate ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND,
                                        SendFlags.SIGNALED,
                                        length,
                                        0,
                                        length)
                                .immData(0xabc0_0000 | length)
                                .ud(link.ah.handle(), link.to.qpNum(), QKEY)))
                        .isEqualTo(1);
                assertThat(Completion.await(link.client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
                final Completion received = Completion.await(link.server.recvCq);
                assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(received.wrId()).isEqualTo(length);
                assertThat(received.byteLen()).isEqualTo(GRH + length);
                assertThat(received.srcQp()).isEqualTo(link.from.qpNum());
                assertThat(received.flags() & WcFlags.GRH).isNotZero();
                assertThat((received.flags() & WcFlags.WITH_IMM) != 0).isEqualTo(hasImmediate);
                if (hasImmediate) {
                    assertThat(received.immData()).isEqualTo(0xabc0_0000 | length);
                }
                assertThat(link.server.holds(GRH, length, length)).as("%d bytes", length).isTrue();
            }
        }
    }

    @Test
    void whoIsHeardCanBeAnsweredByWhatTheHeaderSays() {
        try (DatagramLink link = new DatagramLink(devices)) {
            link.server.postRecv(link.to, 1, 0, GRH + 8);
            link.client.postRecv(link.from, 2, 64, GRH + 8);
            link.from.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, 3, 0, 8)
                    .ud(link.ah.handle(), link.to.qpNum(), QKEY));
            final Completion heard = Completion.await(link.server.recvCq);
            final Gid source = GrhHeader.source(link.server.address(0));
            assertThat(source).isEqualTo(link.client.context.ipGid(1));
            try (AddressHandle back =
                    link.server.pd.createAh(new AhAttributes(source, link.server.context.ipGidIndex(1), 0, 0, 1))) {
                link.to.postSend(link.server.request(WrOpcode.SEND, SendFlags.SIGNALED, 4, 128, 8)
                        .ud(back.handle(), heard.srcQp(), QKEY));
                assertThat(Completion.await(link.client.recvCq).srcQp()).isEqualTo(link.to.qpNum());
            }
        }
    }

    @Test
    void aDatagramForAnotherKeyIsLostAndNobodyIsTold() {
        try (DatagramLink link = new DatagramLink(devices)) {
            link.server.postRecv(link.to, 1, 0, 256);
            final int[] keys = {QKEY + 1, QKEY};
            for (int i = 0; i < keys.length; i++) {
                link.client.fill(0, 64, i);
                link.from.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, 0, 64)
                        .ud(link.ah.handle(), link.to.qpNum(), keys[i]));
                assertThat(Completion.await(link.client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
            }
            assertThat(Completion.await(link.server.recvCq).wrId()).isEqualTo(1);
            assertThat(link.server.holds(GRH, 64, 1)).as("the second one").isTrue();
            assertThat(Completion.poll(link.server.recvCq)).isNull();
        }
    }

    /** A Q_Key may be changed in RTS. */
    @Test
    void aKeyThatIsChangedUnderTrafficHoldsAtOnce() {
        try (DatagramLink link = new DatagramLink(devices)) {
            link.to.modify(new QpAttributes().qkey(QKEY + 1));
            link.server.postRecv(link.to, 1, 0, 256);
            final int[] keys = {QKEY, QKEY + 1};
            for (int i = 0; i < keys.length; i++) {
                link.client.fill(0, 64, i);
                link.from.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, 0, 64)
                        .ud(link.ah.handle(), link.to.qpNum(), keys[i]));
                assertThat(Completion.await(link.client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
            }
            Completion.await(link.server.recvCq);
            assertThat(link.server.holds(GRH, 64, 1)).as("the second one").isTrue();
        }
    }

    @Test
    void opcodesThatDatagramsDoNotHaveAreRefusedAtThePost() {
        try (Peer client = new Peer(devices.openClient());
                QueuePair from = datagramQp(client)) {
            for (final WrOpcode opcode :
                    List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD)) {
                assertThat(from.postSend(client.request(opcode, SendFlags.SIGNALED, 1, 0, 8)))
                        .as("%s", opcode)
                        .isNegative();
            }
        }
    }

    @Test
    void aServiceIsFoundByItsPortAndHearsWhoSends() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server, CmPortSpace.UDP);
                CmId active = asking(client, Link.addressOf(listener), 5)) {
            final QueuePair from = Peer.qp(active);
            assertThat(from.state()).isEqualTo(QpState.RTS);
            refusesDisconnect(active);
            final CmEvent request = server.event(CmEventType.CONNECT_REQUEST);
            assertThat(request.privateData()).startsWith(5);
            try (CmId passive = request.id()) {
                final QueuePair to = passive.createQp(server.pd, datagrams(server));
                server.postRecv(to, 7, 0, GRH + 64);
                refusesTooMuchData(passive);
                passive.accept(ConnectParameters.of(new byte[] {6}));
                refusesDisconnect(passive);
                final CmEvent found = client.event(CmEventType.ESTABLISHED);
                assertThat(found.privateData()).startsWith(6);
                assertThat(found.parameters().qpNum()).isEqualTo(to.qpNum());
                assertThat(found.parameters().qkey()).isEqualTo(ConnectParameters.UDP_QKEY);
                try (AddressHandle ah = client.pd.createAh(Objects.requireNonNull(found.ahAttributes()))) {
                    client.fill(0, 64, 9);
                    from.postSend(client.request(WrOpcode.SEND, SendFlags.SIGNALED, 1, 0, 64)
                            .ud(ah.handle(), to.qpNum(), ConnectParameters.UDP_QKEY));
                    assertThat(Completion.await(client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
                    final Completion received = Completion.await(server.recvCq);
                    assertThat(received.wrId()).isEqualTo(7);
                    assertThat(received.srcQp()).isEqualTo(from.qpNum());
                    assertThat(server.holds(GRH, 64, 9)).isTrue();
                }
            }
        }
    }

    /** Before anything has happened to the queue pair or the request. */
    private static void refusesTooMuchData(final CmId passive) {
        final byte[] tooMuch = new byte[ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA + 1];
        assertThatThrownBy(() -> passive.accept(ConnectParameters.of(tooMuch)))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatThrownBy(() -> passive.reject(tooMuch))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(Peer.qp(passive).state()).isEqualTo(QpState.RTS);
    }

    /** There is no connection to end, and nothing happens to the queue pair. */
    private static void refusesDisconnect(final CmId id) {
        assertThatThrownBy(id::disconnect)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(Peer.qp(id).state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aServiceThatSaysNoOrIsNotThereIsUnreachable() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer())) {
            final InetSocketAddress service;
            try (CmId listener = Link.listen(server, CmPortSpace.UDP)) {
                service = Link.addressOf(listener);
                try (CmId active = asking(client, service, 0);
                        CmId asked = server.event(CmEventType.CONNECT_REQUEST).id()) {
                    asked.reject(new byte[] {3});
                    assertThat(client.event(CmEventType.UNREACHABLE).status()).isPositive();
                    assertThat(active.portSpace()).isEqualTo(CmPortSpace.UDP);
                }
            }
            try (CmId active = asking(client, service, 0)) {
                final CmEvent event = client.event(CmEventType.UNREACHABLE);
                assertThat(event.status()).isPositive();
                assertThat(event.id()).isSameAs(active);
            }
        }
    }

    /** An id that has asked a service for its queue pair, with one byte for it to read. */
    private static CmId asking(final Peer client, final InetSocketAddress service, final int word) {
        final CmId active = client.channel.createId(CmPortSpace.UDP, null);
        active.resolveAddr(null, service, 2000);
        client.event(CmEventType.ADDR_RESOLVED);
        active.resolveRoute(2000);
        client.event(CmEventType.ROUTE_RESOLVED);
        active.createQp(client.pd, datagrams(client));
        active.connect(ConnectParameters.of(new byte[] {(byte) word}));
        return active;
    }

    @Test
    void aSharedReceiveQueueFeedsAllItsQueuePairsEachReceiveOnce() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.SHARED_RECEIVES));
        final int messages = 24;
        final int connections = 3;
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                SharedReceiveQueue srq = server.pd.createSrq(new SrqAttributes(messages, 1, 0));
                CmId listener = Link.listen(server)) {
            for (int i = 0; i < messages; i++) {
                assertThat(srq.postRecv(
                                server.recv.next(0).wrId(i).sge(server.address(i * 64), 64, server.region.lkey())))
                        .isEqualTo(1);
            }
            srq.armLimit(messages / 2);
            final List<CmId> ids = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                final CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT);
                active.connect(Link.Options.DEFAULT.parameters());
                final CmId passive = server.event(CmEventType.CONNECT_REQUEST).id();
                passive.createQp(server.pd, new QpInitAttributes(
                        server.sendCq, server.recvCq, srq, new QpCapabilities(8, 0, 1, 0, 0), QpType.RC, false));
                passive.accept(Link.Options.DEFAULT.parameters());
                client.event(CmEventType.ESTABLISHED);
                server.event(CmEventType.ESTABLISHED);
                ids.add(active);
                ids.add(passive);
            }
            final Set<Long> receives = new HashSet<>();
            for (int i = 0; i < messages; i++) {
                final int connection = i % connections;
                client.fill(0, 64, i);
                Peer.qp(ids.get(2 * connection))
                        .postSend(client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, 0, 64));
                assertThat(Completion.await(client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
                final Completion received = Completion.await(server.recvCq);
                assertThat(received.qpNum()).isEqualTo(Peer.qp(ids.get(2 * connection + 1)).qpNum());
                assertThat(receives.add(received.wrId())).as("receive %d again", received.wrId()).isTrue();
                assertThat(server.holds((int) received.wrId() * 64, 64, i)).isTrue();
            }
            assertThat(nextEvent(server).type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
            ids.forEach(CmId::close);
        }
    }

    /** The next event that is not about a connection being made. */
    private static AsyncEvent nextEvent(final Peer peer) {
        AsyncEvent event = Objects.requireNonNull(peer.context.getAsyncEvent(Patience.NS), "no event in time");
        while (event.type() == AsyncEventType.COMM_EST) {
            peer.context.ackAsyncEvent(event);
            event = Objects.requireNonNull(peer.context.getAsyncEvent(Patience.NS), "no event in time");
        }
        peer.context.ackAsyncEvent(event);
        return event;
    }
}
