package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What goes wrong gets the status that hardware gives it, on each side, and the rest is flushed in order. */
abstract class ErrorConformance {
    private static final int WRONG_KEY = 0x7fff_fff0;

    private final DevicePair devices;

    ErrorConformance(final DevicePair devices) {
        this.devices = devices;
    }

    private static void send(final Link link, final long wrId, final int length) {
        assertThat(link.clientQp.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, wrId, 0, length)))
                .isEqualTo(1);
    }

    private static void expect(final Completion completion, final long wrId, final WcStatus status) {
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(completion.status()).isEqualTo(status);
    }

    /** An error of the local end, told by its own status where the device does so. */
    private void expectLocal(final Completion completion, final long wrId, final WcStatus status) {
        final boolean exact = devices.traits().contains(DevicePair.Trait.EXACT_LOCAL_STATUS);
        expect(completion, wrId, exact ? status : WcStatus.LOC_QP_OP_ERR);
    }

    /** After an error the QP is in ERR. The change may be on its way while the completion is here already. */
    private static void expectErr(final QueuePair qp) {
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aReceiveThatIsTooSmall() {
        try (Link link = new Link(devices)) {
            link.server.postRecv(link.serverQp, 1, 0, 99);
            link.server.postRecv(link.serverQp, 2, 0, 99);
            send(link, 3, 100);
            send(link, 4, 1);
            expectLocal(Completion.await(link.server.recvCq), 1, WcStatus.LOC_LEN_ERR);
            expect(Completion.await(link.server.recvCq), 2, WcStatus.WR_FLUSH_ERR);
            final boolean exact = devices.traits().contains(DevicePair.Trait.EXACT_LOCAL_STATUS);
            expect(
                    Completion.await(link.client.sendCq),
                    3,
                    exact ? WcStatus.REM_INV_REQ_ERR : WcStatus.REM_OP_ERR);
            expect(Completion.await(link.client.sendCq), 4, WcStatus.WR_FLUSH_ERR);
            expectErr(link.clientQp);
            expectErr(link.serverQp);
        }
    }

    private void remoteAccess(final WrOpcode opcode, final long offset, final int length, final boolean wrongKey) {
        try (Link link = new Link(devices)) {
            link.server.postRecv(link.serverQp, 1, 0, 8);
            final int rkey = link.server.region.rkey();
            link.clientQp.postSend(link.client
                    .request(opcode, SendFlags.SIGNALED, 2, 0, length)
                    .rdma(link.server.address(0) + offset, wrongKey ? WRONG_KEY : rkey));
            expect(Completion.await(link.client.sendCq), 2, WcStatus.REM_ACCESS_ERR);
            expect(Completion.await(link.server.recvCq), 1, WcStatus.WR_FLUSH_ERR);
            expectErr(link.clientQp);
        }
    }

    @Test
    void remoteMemoryOutOfReach() {
        for (final WrOpcode opcode : List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ)) {
            remoteAccess(opcode, 0, 8, true);
            remoteAccess(opcode, Peer.MEMORY_BYTES - 7L, 8, false);
            remoteAccess(opcode, -1, 8, false);
        }
    }

    @Test
    void remoteMemoryWithoutTheRight() {
        for (final WrOpcode opcode : List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ)) {
            try (Link link = new Link(devices);
                    MemoryRegion bare = link.server.pd.regMr(link.server.memory, AccessFlags.LOCAL_WRITE)) {
                link.clientQp.postSend(link.client
                        .request(opcode, SendFlags.SIGNALED, 2, 0, 8)
                        .rdma(bare.addr(), bare.rkey()));
                expect(Completion.await(link.client.sendCq), 2, WcStatus.REM_ACCESS_ERR);
            }
        }
    }

    @Test
    void aKeyOfAnotherProtectionDomainOpensNothing() {
        try (Link link = new Link(devices);
                ProtectionDomain otherPd = link.server.context.allocPd();
                MemoryRegion other = otherPd.regMr(
                        link.server.memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE)) {
            link.clientQp.postSend(link.client
                    .request(WrOpcode.RDMA_WRITE, SendFlags.SIGNALED, 2, 0, 8)
                    .rdma(other.addr(), other.rkey()));
            expect(Completion.await(link.client.sendCq), 2, WcStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void aDeregisteredRegionIsDeadAtOnce() {
        try (Link link = new Link(devices)) {
            final MemoryRegion region = link.server.pd.regMr(
                    link.server.memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            region.close();
            region.close();
            link.clientQp.postSend(link.client
                    .request(WrOpcode.RDMA_WRITE, SendFlags.SIGNALED, 2, 0, 8)
                    .rdma(link.server.address(0), region.rkey()));
            expect(Completion.await(link.client.sendCq), 2, WcStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void localMemoryOutOfReach() {
        try (Link link = new Link(devices)) {
            link.server.postRecv(link.serverQp, 1, 0, 8);
            final SendWorkRequest wr = link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, 2, 0, 8);
            link.clientQp.postSend(wr.sge(link.client.address(0), 8, WRONG_KEY));
            send(link, 3, 8);
            expectLocal(Completion.await(link.client.sendCq), 2, WcStatus.LOC_PROT_ERR);
            expect(Completion.await(link.client.sendCq), 3, WcStatus.WR_FLUSH_ERR);
            expectErr(link.clientQp);
        }
    }

    @Test
    void aLocalKeyOfAnotherProtectionDomainOpensNothing() {
        try (Link link = new Link(devices);
                ProtectionDomain otherPd = link.client.context.allocPd();
                MemoryRegion other = otherPd.regMr(link.client.memory, AccessFlags.LOCAL_WRITE)) {
            link.server.postRecv(link.serverQp, 1, 0, 8);
            link.clientQp.postSend(
                    link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, 2, 0, 8).sge(other.addr(), 8, other.lkey()));
            expectLocal(Completion.await(link.client.sendCq), 2, WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    void aReceiveBufferOutOfReach() {
        try (Link link = new Link(devices)) {
            link.serverQp.postRecv(link.server.recv.next(0).wrId(1).sge(link.server.address(0), 8, WRONG_KEY));
            send(link, 2, 8);
            expectLocal(Completion.await(link.server.recvCq), 1, WcStatus.LOC_PROT_ERR);
            expect(Completion.await(link.client.sendCq), 2, WcStatus.REM_OP_ERR);
        }
    }

    @Test
    void aReceiverThatIsNeverReady() {
        try (Link link = new Link(devices, Link.Options.retries(14, 3, 1))) {
            send(link, 1, 8);
            send(link, 2, 8);
            expect(Completion.await(link.client.sendCq), 1, WcStatus.RNR_RETRY_EXC_ERR);
            expect(Completion.await(link.client.sendCq), 2, WcStatus.WR_FLUSH_ERR);
            expectErr(link.clientQp);
        }
    }

    @Test
    void aReceiverThatIsNeverReadyForASenderThatCountsItself() {
        try (Link link = new Link(devices, Link.Options.ownRnrRetry(1))) {
            send(link, 1, 8);
            expect(Completion.await(link.client.sendCq), 1, WcStatus.RNR_RETRY_EXC_ERR);
            expectErr(link.clientQp);
        }
    }

    @Test
    void howOftenToTryAgainIsAtMostSeven() {
        try (Link link = new Link(devices)) {
            for (final int wrong : new int[] {-1, 8}) {
                assertThatExceptionOfType(VerbsException.class)
                        .isThrownBy(() -> link.clientId.rnrRetry(wrong))
                        .withMessageContaining("rnr_retry is " + wrong + ", allowed is 0 to 7");
            }
        }
    }

    @Test
    void aReceiverThatIsReadyLater() {
        try (Link link = new Link(devices)) {
            send(link, 1, 8);
            assertThat(Completion.poll(link.client.sendCq)).isNull();
            link.server.postRecv(link.serverQp, 2, 0, 8);
            expect(Completion.await(link.client.sendCq), 1, WcStatus.SUCCESS);
            expect(Completion.await(link.server.recvCq), 2, WcStatus.SUCCESS);
        }
    }

    @Test
    void aPeerThatDoesNotAnswer() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.PATH_ERRORS_SURFACE));
        try (Link link = new Link(devices, Link.Options.retries(8, 2, 7))) {
            link.serverQp.modify(new QpAttributes().qpState(QpState.RESET));
            link.client.postRecv(link.clientQp, 9, 0, 8);
            send(link, 1, 8);
            send(link, 2, 8);
            expect(Completion.await(link.client.sendCq), 1, WcStatus.RETRY_EXC_ERR);
            expect(Completion.await(link.client.sendCq), 2, WcStatus.WR_FLUSH_ERR);
            expect(Completion.await(link.client.recvCq), 9, WcStatus.WR_FLUSH_ERR);
            expectErr(link.clientQp);
        }
    }

    @Test
    void theErrorStateFlushesBothQueuesInOrderAndGoesOnFlushing() {
        try (Link link = new Link(devices)) {
            for (int i = 0; i < 10; i++) {
                link.client.postRecv(link.clientQp, i, 0, 8);
            }
            link.clientQp.modify(new QpAttributes().qpState(QpState.ERR));
            for (int i = 10; i < 15; i++) {
                assertThat(link.client.postRecv(link.clientQp, i, 0, 8)).isEqualTo(1);
                send(link, i, 8);
            }
            for (int i = 0; i < 15; i++) {
                expect(Completion.await(link.client.recvCq), i, WcStatus.WR_FLUSH_ERR);
            }
            for (int i = 10; i < 15; i++) {
                expect(Completion.await(link.client.sendCq), i, WcStatus.WR_FLUSH_ERR);
            }
        }
    }

    @Test
    void requestsThatMakeNoSenseAreRefusedAtThePost() {
        try (Link link = new Link(devices)) {
            final SendWorkRequest wr = link.client.request(WrOpcode.SEND, 0, 1, 0, 8);
            final int tooMany = link.clientQp.capabilities().maxSendSge() + 1;
            assertThat(link.clientQp.postSend(wr.numSge(tooMany))).isEqualTo(-Errno.EINVAL);
            final int tooLong = link.clientQp.capabilities().maxInlineData() + 1;
            assertThat(link.clientQp.postSend(
                            link.client.request(WrOpcode.SEND, SendFlags.INLINE, 1, 0, tooLong)))
                    .isIn(-Errno.EINVAL, -Errno.ENOMEM);
            final int tooManyRecv = link.serverQp.capabilities().maxRecvSge() + 1;
            assertThat(link.serverQp.postRecv(link.server
                            .recv
                            .next(0)
                            .sge(link.server.address(0), 8, link.server.region.lkey())
                            .numSge(tooManyRecv)))
                    .isEqualTo(-Errno.EINVAL);
            assertThat(link.clientQp.state()).isEqualTo(QpState.RTS);
        }
    }
}
