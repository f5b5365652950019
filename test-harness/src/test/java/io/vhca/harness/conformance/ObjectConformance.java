package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttrMask;
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
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Objects: limits, parents and children, the states of a QP, and bring-up by modify alone. */
abstract class ObjectConformance {
    private final DevicePair devices;

    ObjectConformance(final DevicePair devices) {
        this.devices = devices;
    }

    private static void expectErrno(final Runnable call, final int errno) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno)));
    }

    @Test
    void whatIsClosedIsNoPartOfSomethingNew() {
        try (Context context = devices.openClient();
                ProtectionDomain pd = context.allocPd();
                CompletionQueue cq = context.createCq(16, null, null)) {
            final CompletionChannel channel = context.createCompChannel();
            channel.close();
            expectErrno(() -> context.createCq(16, null, channel), Errno.EINVAL);
            final CompletionQueue closed = context.createCq(16, null, null);
            closed.close();
            expectErrno(() -> pd.createQp(QpInitAttributes.rc(cq, closed, Peer.CAPABILITIES)), Errno.EINVAL);
            if (devices.traits().contains(DevicePair.Trait.SHARED_RECEIVES)) {
                final SharedReceiveQueue srq = pd.createSrq(new SrqAttributes(4, 1, 0));
                srq.close();
                expectErrno(
                        () -> pd.createQp(new QpInitAttributes(cq, cq, srq, Peer.CAPABILITIES, QpType.RC, false)),
                        Errno.EINVAL);
            }
        }
    }

    @Test
    void aLimitThatNoQueueReachesIsRefusedAndNothingIsLeft() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.SHARED_RECEIVES));
        try (Context context = devices.openClient();
                ProtectionDomain pd = context.allocPd()) {
            expectErrno(() -> pd.createSrq(new SrqAttributes(4, 1, 1_000_000)), Errno.EINVAL);
        }
    }

    @Test
    void aDeviceDescribesItself() {
        try (Context context = devices.openClient()) {
            final DeviceAttributes attributes = context.queryDevice();
            assertThat(attributes.physPortCount()).isPositive();
            assertThat(attributes.nodeGuid()).isEqualTo(context.device().nodeGuid()).isNotZero();
            assertThat(attributes.maxQp()).isGreaterThanOrEqualTo(64);
            final PortAttributes port = context.queryPort(1);
            assertThat(port.state()).isEqualTo(PortState.ACTIVE);
            assertThat(port.gidTblLen()).isPositive();
            assertThat(port.activeMtu().bytes()).isGreaterThanOrEqualTo(256);
            assertThat(context.queryGid(1, 0).isZero()).isFalse();
            assertThat(context.queryPkey(1, 0) & 0xffff).isEqualTo(0xffff);
            expectErrno(() -> context.queryPort(0), Errno.EINVAL);
            expectErrno(() -> context.queryPort(attributes.physPortCount() + 1), Errno.EINVAL);
            expectErrno(() -> context.queryGid(1, port.gidTblLen()), Errno.EINVAL);
            assertThat(context.getAsyncEvent(0)).isNull();
        }
    }

    @Test
    void channelsThatNothingUsesGoWithTheContextAndWhoWaitsThereIsTold() throws Exception {
        final Context context = devices.openClient();
        final CompletionChannel completions = context.createCompChannel();
        final CmEventChannel events = context.createEventChannel();
        final FutureTask<@Nullable CompletionQueue> one =
                new FutureTask<>(() -> completions.getCqEvent(Long.MAX_VALUE));
        final FutureTask<@Nullable CmEvent> two = new FutureTask<>(() -> events.getEvent(Long.MAX_VALUE));
        Thread.ofPlatform().daemon().start(one);
        Thread.ofPlatform().daemon().start(two);
        context.close();
        assertThat(one.get()).isNull();
        assertThat(two.get()).isNull();
        expectErrno(() -> context.allocateMemory(8), Errno.EINVAL);
    }

    @Test
    void aCloseThatIsRefusedLeavesChannelsOpen() {
        try (Context context = devices.openClient();
                CmEventChannel events = context.createEventChannel()) {
            try (ProtectionDomain pd = context.allocPd()) {
                assertThat(pd.context()).isSameAs(context);
                expectErrno(context::close, Errno.EBUSY);
            }
            try (CmId id = events.createId(CmPortSpace.TCP, null)) {
                expectErrno(context::close, Errno.EBUSY);
                assertThat(id.channel()).isSameAs(events);
            }
        }
    }

    @Test
    void parentsWaitForTheirChildren() {
        final Peer peer = new Peer(devices.openClient());
        final QueuePair qp = peer.pd.createQp(peer.qpAttributes(false));
        expectErrno(peer.pd::close, Errno.EBUSY);
        expectErrno(peer.sendCq::close, Errno.EBUSY);
        expectErrno(peer.recvCq::close, Errno.EBUSY);
        expectErrno(peer.context::close, Errno.EBUSY);
        qp.close();
        qp.close();
        expectErrno(peer.pd::close, Errno.EBUSY);
        peer.close();
        peer.pd.close();
        peer.context.close();
    }

    @Test
    void sizesBeyondTheDeviceAreRefused() {
        try (Peer peer = new Peer(devices.openClient())) {
            final DeviceAttributes limits = peer.context.queryDevice();
            expectErrno(() -> peer.context.createCq(0, null, null), Errno.EINVAL);
            expectErrno(() -> peer.context.createCq(limits.maxCqe() + 1, null, null), Errno.EINVAL);
            final QpCapabilities tooDeep = new QpCapabilities(limits.maxQpWr() + 1, 1, 1, 1, 0);
            expectErrno(
                    () -> peer.pd.createQp(QpInitAttributes.rc(peer.sendCq, peer.recvCq, tooDeep)), Errno.EINVAL);
            final QpCapabilities tooWide = new QpCapabilities(1, 1, limits.maxSge() + 1, 1, 0);
            expectErrno(
                    () -> peer.pd.createQp(QpInitAttributes.rc(peer.sendCq, peer.recvCq, tooWide)), Errno.EINVAL);
            final QpCapabilities tooInline = new QpCapabilities(1, 1, 1, 1, limits.maxInlineData() + 1);
            expectErrno(
                    () -> peer.pd.createQp(QpInitAttributes.rc(peer.sendCq, peer.recvCq, tooInline)), Errno.EINVAL);
        }
    }

    @Test
    void capabilitiesAreAtLeastThoseAskedFor() {
        try (Peer peer = new Peer(devices.openClient());
                QueuePair qp = peer.pd.createQp(peer.qpAttributes(false))) {
            final QpCapabilities granted = qp.capabilities();
            assertThat(granted.maxSendWr()).isGreaterThanOrEqualTo(Peer.CAPABILITIES.maxSendWr());
            assertThat(granted.maxRecvWr()).isGreaterThanOrEqualTo(Peer.CAPABILITIES.maxRecvWr());
            assertThat(granted.maxInlineData()).isGreaterThanOrEqualTo(Peer.CAPABILITIES.maxInlineData());
            assertThat(qp.pd()).isSameAs(peer.pd);
            assertThat(qp.sendCq()).isSameAs(peer.sendCq);
            assertThat(qp.qpType()).isEqualTo(QpType.RC);
            assertThat(qp.state()).isEqualTo(QpState.RESET);
        }
    }

    @Test
    void memoryIsRegisteredWithCare() {
        try (Peer peer = new Peer(devices.openClient())) {
            expectErrno(() -> peer.pd.regMr(MemorySegment.ofArray(new byte[8]), 0), Errno.EINVAL);
            expectErrno(() -> peer.pd.regMr(peer.memory, AccessFlags.REMOTE_WRITE), Errno.EINVAL);
            expectErrno(() -> peer.pd.regMr(peer.memory, AccessFlags.REMOTE_ATOMIC), Errno.EINVAL);
            final MemorySegment gone;
            try (Arena arena = Arena.ofConfined()) {
                gone = arena.allocate(8);
            }
            expectErrno(() -> peer.pd.regMr(gone, AccessFlags.LOCAL_WRITE), Errno.EFAULT);
            final MemorySegment readOnly = peer.memory.asReadOnly();
            expectErrno(() -> peer.pd.regMr(readOnly, AccessFlags.LOCAL_WRITE), Errno.EFAULT);
            peer.pd.regMr(readOnly, AccessFlags.REMOTE_READ).close();
            final MemorySegment own = peer.context.allocateMemory(10_000);
            assertThat(own.address() % 4096).isZero();
            try (MemoryRegion region = peer.pd.regMr(own, AccessFlags.LOCAL_WRITE)) {
                assertThat(region.addr()).isEqualTo(own.address());
                assertThat(region.lengthBytes()).isEqualTo(10_000);
                assertThat(region.pd()).isSameAs(peer.pd);
            }
        }
    }

    @Test
    void objectsOfAnotherContextAreRefused() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer())) {
            expectErrno(
                    () -> client.pd.createQp(
                            QpInitAttributes.rc(server.sendCq, client.recvCq, Peer.CAPABILITIES)),
                    Errno.EINVAL);
        }
    }

    @Test
    void anIdTakesNoQueuePairOfAnotherContextsDomain() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                CmId listener = Link.listen(server);
                CmId id = client.channel.createId(CmPortSpace.TCP, null)) {
            id.resolveAddr(null, Link.addressOf(listener), 2000);
            client.event(CmEventType.ADDR_RESOLVED);
            expectErrno(() -> id.createQp(server.pd, server.qpAttributes(false)), Errno.EINVAL);
            assertThat(id.qp()).isNull();
            id.createQp(client.pd, client.qpAttributes(false));
            id.destroyQp();
        }
    }

    @Test
    void postingInTheWrongStateIsRefused() {
        try (Peer peer = new Peer(devices.openClient());
                QueuePair qp = peer.pd.createQp(peer.qpAttributes(false))) {
            assertThat(peer.postRecv(qp, 1, 0, 8)).isEqualTo(-Errno.EINVAL);
            assertThat(qp.postSend(peer.request(WrOpcode.SEND, 0, 1, 0, 8))).isEqualTo(-Errno.EINVAL);
            toInit(qp);
            assertThat(peer.postRecv(qp, 1, 0, 8)).isEqualTo(1);
            assertThat(qp.postSend(peer.request(WrOpcode.SEND, 0, 1, 0, 8))).isEqualTo(-Errno.EINVAL);
            assertThat(qp.state()).isEqualTo(QpState.INIT);
        }
    }

    @Test
    void illegalMovesChangeNothing() {
        try (Peer peer = new Peer(devices.openClient());
                QueuePair qp = peer.pd.createQp(peer.qpAttributes(false))) {
            expectErrno(() -> qp.modify(new QpAttributes().qpState(QpState.RTS)), Errno.EINVAL);
            expectErrno(() -> qp.modify(new QpAttributes().qpState(QpState.INIT)), Errno.EINVAL);
            assertThat(qp.state()).isEqualTo(QpState.RESET);
            toInit(qp);
            expectErrno(() -> qp.modify(new QpAttributes().qpState(QpState.RTR)), Errno.EINVAL);
            assertThat(qp.state()).isEqualTo(QpState.INIT);
            qp.modify(new QpAttributes().qpState(QpState.RESET));
            assertThat(qp.state()).isEqualTo(QpState.RESET);
        }
    }

    @Test
    void anAddressVectorThatNoPacketHoldsIsRefused() {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                QueuePair qp = client.pd.createQp(client.qpAttributes(false))) {
            toInit(qp);
            final Gid to = server.context.ipGid(1);
            final int from = client.context.ipGidIndex(1);
            for (final AhAttributes wrong : List.of(
                    new AhAttributes(to, from, 0, -72, 1),
                    new AhAttributes(to, from, 0, 256, 1),
                    new AhAttributes(to, from, -1, 0, 1),
                    new AhAttributes(to, from, 256, 0, 1),
                    new AhAttributes(to, from, 0, 0, 1, 16))) {
                expectErrno(() -> client.pd.createAh(wrong), Errno.EINVAL);
                expectErrno(() -> qp.modify(toRtr(client, wrong, 17, 0)), Errno.EINVAL);
                assertThat(qp.state()).isEqualTo(QpState.INIT);
            }
        }
    }

    private static void toInit(final QueuePair qp) {
        qp.modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(1)
                .accessFlags(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE));
    }

    private static QpAttributes toRtr(
            final Peer other, final AhAttributes ah, final int otherQpNum, final int psn) {
        return new QpAttributes()
                .qpState(QpState.RTR)
                .ah(ah)
                .pathMtu(other.context.queryPort(1).activeMtu())
                .destQpNum(otherQpNum)
                .rqPsn(psn)
                .maxDestRdAtomic(1)
                .minRnrTimer(12);
    }

    private static void toRts(final QueuePair qp, final Peer other, final QueuePair otherQp, final int psn) {
        final AhAttributes ah = new AhAttributes(other.context.ipGid(1), other.context.ipGidIndex(1), 0, 0, 1);
        qp.modify(toRtr(other, ah, otherQp.qpNum(), psn));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(7)
                .sqPsn(psn)
                .maxRdAtomic(1));
    }

    @Test
    void aQueuePairComesUpByModifyAlone() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.OUT_OF_BAND));
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer());
                QueuePair clientQp = client.pd.createQp(client.qpAttributes(false));
                QueuePair serverQp = server.pd.createQp(server.qpAttributes(false))) {
            final int almostWrapped = 0xff_fffe;
            toInit(clientQp);
            toInit(serverQp);
            for (int i = 0; i < 8; i++) {
                server.postRecv(serverQp, i, 0, 64);
            }
            toRts(serverQp, client, clientQp, almostWrapped);
            toRts(clientQp, server, serverQp, almostWrapped);
            assertThat(clientQp.query().destQpNum()).isEqualTo(serverQp.qpNum());
            assertThat(clientQp.query().has(QpAttrMask.STATE)).isTrue();
            for (int i = 0; i < 8; i++) {
                clientQp.postSend(client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, 0, 64));
            }
            for (int i = 0; i < 8; i++) {
                assertThat(Completion.await(client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(Completion.await(server.recvCq).wrId()).isEqualTo(i);
            }
        }
    }

    @Test
    void aSharedReceiveQueueServesItsQueuePairsOrIsRefused() {
        try (Peer peer = new Peer(devices.openServer())) {
            if (peer.context.queryDevice().maxSrq() == 0) {
                expectErrno(() -> peer.pd.createSrq(new SrqAttributes(8, 1, 0)), Errno.EOPNOTSUPP);
                return;
            }
            try (SharedReceiveQueue srq = peer.pd.createSrq(new SrqAttributes(8, 1, 0));
                    QueuePair qp = peer.pd.createQp(new QpInitAttributes(
                            peer.sendCq, peer.recvCq, srq, new QpCapabilities(8, 0, 1, 0, 0), QpType.RC, false))) {
                assertThat(qp.srq()).isSameAs(srq);
                assertThat(srq.postRecv(peer.recv.next(0).wrId(1).sge(peer.address(0), 8, peer.region.lkey())))
                        .isEqualTo(1);
                assertThat(peer.postRecv(qp, 1, 0, 8)).isEqualTo(-Errno.EINVAL);
                expectErrno(srq::close, Errno.EBUSY);
                assertThat(srq.query().maxWr()).isGreaterThanOrEqualTo(8);
            }
        }
    }

    @Test
    void aResizedCompletionQueueKeepsWhatItHolds() {
        try (Link link = new Link(devices);
                CompletionQueue other = link.client.context.createCq(4, "mine", null)) {
            assertThat(other.cqContext()).isEqualTo("mine");
            assertThat(other.channel()).isNull();
            for (int i = 0; i < 3; i++) {
                link.server.postRecv(link.serverQp, i, 0, 8);
                link.clientQp.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, i, 0, 8));
            }
            for (int i = 0; i < 3; i++) {
                assertThat(Completion.await(link.server.recvCq).wrId()).isEqualTo(i);
            }
            link.client.sendCq.resize(8192);
            assertThat(link.client.sendCq.cqe()).isGreaterThanOrEqualTo(8192);
            for (int i = 0; i < 3; i++) {
                assertThat(Completion.await(link.client.sendCq).wrId()).isEqualTo(i);
            }
        }
    }
}
