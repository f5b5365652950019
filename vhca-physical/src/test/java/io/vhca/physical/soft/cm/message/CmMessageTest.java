package io.vhca.physical.soft.cm.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is written into a CM message is read out of it again. */
class CmMessageTest {
    private static final CommIds IDS = new CommIds(0x1234_5678, 0x9abc_def0, 0x0102_0304_0506_0708L);
    private static final Gid LOCAL = new Gid(0, 0xffff_0a01_0001L);
    private static final Gid PEER = new Gid(0, 0xffff_0a02_0002L);
    private static final long GUID = 0x0200_0000_0000_0007L;
    private static final CmRoute ROUTE = new CmRoute(LOCAL, GUID, 50_001, PEER, 7_471);
    private static final QpEnd QP = new QpEnd(0xfe_dcba, 0xab_cdef);
    private static final byte[] DATA = {1, 2, 3};

    private static CmMessage read(final byte[] mad) {
        assertThat(mad).hasSize(MadDescriptor.SIZE);
        return Objects.requireNonNull(CmMessage.read(mad));
    }

    private static void assertPair(final CmMessage message, final ConnInput type) {
        assertThat(message.type()).isEqualTo(type);
        assertThat(message.localCommId()).isEqualTo(IDS.local());
        assertThat(message.remoteCommId()).isEqualTo(IDS.remote());
        assertThat(message.transaction()).isEqualTo(IDS.transaction());
    }

    @Test
    void aRequestCarriesTheTermsOfTheConnection() {
        final CmMessage message = read(CmMessages.req(
                IDS, ROUTE, QP, Mtu.MTU_2048, 19, new ServiceClass(0x6a, 3, 9),
                new ConnectParameters(DATA, 7, 5, 6, 4, 0, 0)));

        assertThat(message.type()).isEqualTo(ConnInput.REQ);
        assertThat(message.serviceClass()).isEqualTo(new ServiceClass(0x6a, 3, ServiceClass.UNSET));
        assertThat(message.localCommId()).isEqualTo(IDS.local());
        assertThat(message.transaction()).isEqualTo(IDS.transaction());
        assertThat(ServiceId.port(message.serviceId())).isEqualTo(ROUTE.peerPort());
        assertThat(message.hasAddressing()).isTrue();
        assertThat(message.sourcePort()).isEqualTo(ROUTE.localPort());
        assertThat(message.qpNum()).isEqualTo(QP.qpNum());
        assertThat(message.psn()).isEqualTo(QP.psn());
        assertThat(message.responderResources()).isEqualTo(7);
        assertThat(message.initiatorDepth()).isEqualTo(5);
        assertThat(message.retryCount()).isEqualTo(6);
        assertThat(message.rnrRetryCount()).isEqualTo(4);
        assertThat(message.mtu()).isEqualTo(Mtu.MTU_2048);
        assertThat(message.ackTimeout()).isEqualTo(19);
        assertThat(message.privateData()).hasSize(ConnectParameters.MAX_REQ_PRIVATE_DATA).startsWith(DATA);
    }

    @Test
    void aReplyCarriesTheTermsOfTheConnection() {
        final CmMessage message =
                read(CmMessages.rep(IDS, QP, GUID, new ConnectParameters(DATA, 9, 8, 0, 3, 0, 0)));

        assertPair(message, ConnInput.REP);
        assertThat(message.qpNum()).isEqualTo(QP.qpNum());
        assertThat(message.psn()).isEqualTo(QP.psn());
        assertThat(message.responderResources()).isEqualTo(9);
        assertThat(message.initiatorDepth()).isEqualTo(8);
        assertThat(message.rnrRetryCount()).isEqualTo(3);
        assertThat(message.privateData()).hasSize(ConnectParameters.MAX_REP_PRIVATE_DATA).startsWith(DATA);
    }

    @Test
    void messagesOfAPairNameBothIds() {
        assertPair(read(CmMessages.rtu(IDS)), ConnInput.RTU);
        assertPair(read(CmMessages.dreq(IDS, QP.qpNum())), ConnInput.DREQ);
        assertPair(read(CmMessages.drep(IDS)), ConnInput.DREP);
        final CmMessage mra = read(CmMessages.mra(IDS, true, 18));
        assertPair(mra, ConnInput.MRA);
        assertThat(mra.serviceTimeout()).isEqualTo(18);
    }

    @Test
    void aRejectionCarriesItsReason() {
        final CmMessage message =
                read(CmMessages.rej(IDS, RejDescriptor.MESSAGE_REQ, RejectReason.CONSUMER_DEFINED, DATA));

        assertPair(message, ConnInput.REJ);
        assertThat(message.reason()).isEqualTo(RejectReason.CONSUMER_DEFINED);
        assertThat(message.proposedMtu()).isEqualTo(Mtu.UNKNOWN);
        assertThat(message.privateData()).startsWith(DATA);
        final CmMessage timeout = read(CmMessages.rejTimeout(IDS, false, GUID));
        assertThat(timeout.reason()).isEqualTo(RejectReason.TIMEOUT);
    }

    @Test
    void aRejectionForTheMtuProposesAnother() {
        final CmMessage request =
                read(CmMessages.req(
                        IDS, ROUTE, QP, Mtu.MTU_4096, 14, ServiceClass.NONE, ConnectParameters.of(DATA)));
        final CmMessage message = read(CmMessages.rejMtu(request, Mtu.MTU_512));

        assertThat(message.proposedMtu()).isEqualTo(Mtu.MTU_512);
        assertThat(message.remoteCommId()).isEqualTo(IDS.local());
    }

    @Test
    void aResolutionOfAServiceIdNamesTheRequest() {
        final CmMessage request = read(CmMessages.sidrReq(IDS, ROUTE, DATA));
        assertThat(request.type()).isEqualTo(ConnInput.SIDR_REQ);
        assertThat(ServiceId.port(request.serviceId())).isEqualTo(ROUTE.peerPort());
        assertThat(request.privateData()).startsWith(DATA);

        final CmMessage reply = read(CmMessages.sidrRep(request.answerIds(0), 0, 77, 0x1_1111, 0, DATA));
        assertThat(reply.remoteCommId()).isEqualTo(IDS.local());
        assertThat(reply.transaction()).isEqualTo(IDS.transaction());
        assertThat(reply.sidrParameters().qpNum()).isEqualTo(77);
        assertThat(reply.sidrParameters().qkey()).isEqualTo(0x1_1111);
        assertThat(reply.privateData()).startsWith(DATA);
    }

    @Test
    void whatIsNoCmMessageIsNotRead() {
        final byte[] good = CmMessages.rtu(IDS);
        for (final int offset : new int[] {
            MadDescriptor.BASE_VERSION_OFFSET,
            MadDescriptor.CLASS_OFFSET,
            MadDescriptor.CLASS_VERSION_OFFSET,
            MadDescriptor.METHOD_OFFSET,
            MadDescriptor.ATTRIBUTE_OFFSET
        }) {
            final byte[] bad = Arrays.copyOf(good, good.length);
            bad[offset] ^= 0x40;
            assertThat(CmMessage.read(bad)).as("offset %d", offset).isNull();
        }
    }
}
